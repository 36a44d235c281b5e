#include "model/collision/touch_search.hpp"

#include <algorithm>

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
  for (std::size_t k = 0; k < rules.solids().size(); ++k)
    (rules.solids()[k].kind == Kind::plane ? planes_ : round_).push_back(static_cast<int>(k));
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
void TouchSearch<D>::find_pairs(const std::vector<double>& reach) {
  pairs_.clear();
  for (std::size_t k = 0; k < round_.size(); ++k) {
    const Solid<D>& solid = rules_.solids()[static_cast<std::size_t>(round_[k])];
    balls_[k] = {solid_places_[static_cast<std::size_t>(round_[k])].x, solid.extent() + reach_of(solid, reach)};
  }
  broad_.find(balls_, pairs_);
  for (std::uint64_t& pair : pairs_)  // round_ is ascending: the order stays
    pair = static_cast<std::uint64_t>(round_[pair >> 32]) << 32 | static_cast<std::uint64_t>(round_[pair & 0xffffffffu]);
  for (const int p : planes_) {
    const SolidPlace<D>& plane = solid_places_[static_cast<std::size_t>(p)];
    const Solid<D>& solid = rules_.solids()[static_cast<std::size_t>(p)];
    const Vector<D> n = plane.R * solid.normal;
    for (std::size_t k = 0; k < round_.size(); ++k) {
      if (n.dot(balls_[k].x - plane.x) > balls_[k].radius + reach_of(solid, reach)) continue;
      const auto [a, b] = std::minmax(p, round_[k]);
      pairs_.push_back(static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint64_t>(b));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
}

template <int D>
void TouchSearch<D>::find(const State& s, const std::vector<double>& reach, std::vector<ContactPoint>& points) {
  place(s);
  find_pairs(reach);
  points.clear();
  for (const std::uint64_t pair : pairs_) {
    const int i = static_cast<int>(pair >> 32), j = static_cast<int>(pair & 0xffffffffu);
    const int law = rules_.law(i, j);
    if (law == TouchRules<D>::no_law) continue;
    const std::size_t at_i = static_cast<std::size_t>(i), at_j = static_cast<std::size_t>(j);
    const Solid<D>&a = rules_.solids()[at_i], &b = rules_.solids()[at_j];
    touching_.clear();
    touch_[static_cast<std::size_t>(a.kind)][static_cast<std::size_t>(b.kind)](a, solid_places_[at_i], b, solid_places_[at_j], reach_of(a, reach) + reach_of(b, reach), touching_);
    for (const TouchPoint<D>& one : touching_) {
      ContactPoint& point = points.emplace_back();
      point.id = static_cast<std::uint64_t>(i) << 40 | static_cast<std::uint64_t>(j) << 16 | one.feature;
      point.a = a.body;
      point.b = b.body;
      point.law = law;
      point.point.template head<D>() = one.point;
      point.normal.template head<D>() = one.normal;
      point.gap = one.gap;
    }
  }
}

template class TouchSearch<2>;
template class TouchSearch<3>;

}  // namespace escapement
