#include "model/collision/touch_search.hpp"

#include <algorithm>

#include "math/tolerances.hpp"

namespace escapement::inline model {

template <int D>
TouchSearch<D>::TouchSearch(const TouchRules<D>& rules) : rules_(rules) {
  using Kind = typename Solid<D>::Kind;
  for (int a = 0; a < Solid<D>::kinds; ++a)
    for (int b = 0; b < Solid<D>::kinds; ++b)
      touch_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = touch_function<D>(static_cast<Kind>(a), static_cast<Kind>(b));
  const std::size_t bodies = rules.bodies().names.size();
  frames_.resize(bodies + 1);
  places_.resize(bodies);
  solid_places_.resize(rules.solids().size());
  for (std::size_t k = 0; k < rules.solids().size(); ++k) {
    const bool plane = rules.solids()[k].kind == Kind::plane;
    (plane ? planes_ : round_).push_back(static_cast<int>(k));
    extent_.push_back(plane ? 0 : rules.solids()[k].extent());
  }
  room_.resize(extent_.size());
  balls_.resize(round_.size());
}

template <int D>
void TouchSearch<D>::place(const State& s) {
  set_frames<D>(s, static_cast<int>(places_.size()), frames_.data());
  for (std::size_t b = 0; b < places_.size(); ++b) {
    places_[b].x.template head<D>() = frames_[b + 1].x;
    places_[b].R.template topLeftCorner<D, D>() = frames_[b + 1].R;
  }
  for (std::size_t k = 0; k < solid_places_.size(); ++k)
    solid_places_[k] = place_of(rules_.solids()[k], frames_[static_cast<std::size_t>(rules_.solids()[k].body + 1)]);
}

template <int D>
bool TouchSearch<D>::pairs_serve(const std::vector<double>& reach) const {
  if (found_at_.empty()) return false;
  for (const int p : planes_) {
    const std::size_t k = static_cast<std::size_t>(p);
    if (solid_places_[k].x != found_at_[k].x || solid_places_[k].R != found_at_[k].R || reach_of(k, reach) > room_[k]) return false;
  }
  for (const int solid : round_) {
    const std::size_t k = static_cast<std::size_t>(solid);
    const double left = room_[k] - reach_of(k, reach);
    if (left < 0 || (solid_places_[k].x - found_at_[k].x).squaredNorm() > left * left) return false;
  }
  return true;
}

template <int D>
void TouchSearch<D>::find_pairs(const std::vector<double>& reach) {
  // more room makes more pairs, less is used up sooner
  constexpr double steps = 2, part = 0.05;
  for (std::size_t k = 0; k < room_.size(); ++k) room_[k] = (1 + steps) * reach_of(k, reach) + part * extent_[k];
  found_at_ = solid_places_;
  pairs_.clear();
  for (std::size_t k = 0; k < round_.size(); ++k) {
    const std::size_t solid = static_cast<std::size_t>(round_[k]);
    balls_[k] = {solid_places_[solid].x, extent_[solid] + room_[solid]};
  }
  broad_.find(balls_, pairs_);
  for (std::uint64_t& pair : pairs_)  // round_ is ascending: the order stays
    pair = static_cast<std::uint64_t>(round_[pair >> 32]) << 32 | static_cast<std::uint64_t>(round_[pair & 0xffffffffu]);
  for (const int p : planes_) {
    const std::size_t at = static_cast<std::size_t>(p);
    const Vector<D> n = solid_places_[at].R * rules_.solids()[at].normal;
    for (std::size_t k = 0; k < round_.size(); ++k) {
      if (n.dot(balls_[k].x - solid_places_[at].x) > balls_[k].radius + room_[at]) continue;
      const auto [a, b] = std::minmax(p, round_[k]);
      pairs_.push_back(static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint64_t>(b));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  near_.clear();
  for (const std::uint64_t pair : pairs_) {
    const int a = static_cast<int>(pair >> 32), b = static_cast<int>(pair & 0xffffffffu);
    const int law = rules_.law(a, b);
    if (law != TouchRules<D>::no_law) near_.push_back({a, b, law});
  }
}

// the smallest balls about both overlap, or the one of a solid reaches a plane
template <int D>
bool TouchSearch<D>::are_near(const Near& pair, const std::vector<double>& reach) const {
  using Kind = typename Solid<D>::Kind;
  std::size_t a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  if (rules_.solids()[b].kind == Kind::plane) std::swap(a, b);
  const Vector<D> d = solid_places_[b].x - solid_places_[a].x;
  const double together = reach_of(a, reach) + reach_of(b, reach) + extent_[b];
  if (rules_.solids()[a].kind == Kind::plane) return (solid_places_[a].R * rules_.solids()[a].normal).dot(d) <= together;
  return d.squaredNorm() <= (together + extent_[a]) * (together + extent_[a]);
}

// Where segments meet, what lies beyond the end of one is nearer to the next: their end is no corner to that. p: on the solid
template <int D>
bool TouchSearch<D>::is_inner(std::size_t solid, const Vector<D>& p, const Vector<D>& outward) const {
  const SolidPlace<D>& place = solid_places_[solid];
  for (const auto& joined : rules_.solids()[solid].joined)
    if ((place.x + place.R * joined.end - p).norm() <= little::flush * extent_[solid] && outward.dot(place.R * joined.along) > little::flush) return true;
  return false;
}

template <int D>
void TouchSearch<D>::find(const State& s, const std::vector<double>& reach, std::vector<ContactPoint>& points) {
  place(s);
  if (!pairs_serve(reach)) find_pairs(reach);
  points.clear();
  for (const Near& pair : near_) {
    if (!are_near(pair, reach)) continue;
    const std::size_t at_a = static_cast<std::size_t>(pair.a), at_b = static_cast<std::size_t>(pair.b);
    const Solid<D>&a = rules_.solids()[at_a], &b = rules_.solids()[at_b];
    touching_.clear();
    touch_[static_cast<std::size_t>(a.kind)][static_cast<std::size_t>(b.kind)](a, solid_places_[at_a], b, solid_places_[at_b], reach_of(at_a, reach) + reach_of(at_b, reach), touching_);
    for (const TouchPoint<D>& one : touching_) {
      if (is_inner(at_a, one.point - 0.5 * one.gap * one.normal, one.normal) || is_inner(at_b, one.point + 0.5 * one.gap * one.normal, -one.normal)) continue;
      ContactPoint& point = points.emplace_back();
      point.id = static_cast<std::uint64_t>(pair.a) << 40 | static_cast<std::uint64_t>(pair.b) << 16 | one.feature;
      point.a = a.body;
      point.b = b.body;
      point.law = pair.law;
      point.point.template head<D>() = one.point;
      point.normal.template head<D>() = one.normal;
      point.gap = one.gap;
    }
  }
}

template class TouchSearch<2>;
template class TouchSearch<3>;

}  // namespace escapement
