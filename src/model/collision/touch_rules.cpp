#include "model/collision/touch_rules.hpp"

#include <algorithm>

#include "math/tolerances.hpp"
#include "model/collision/curve_touch.hpp"

namespace escapement::inline model {

template <int D>
void TouchRules<D>::add(Solid<D> solid, int material) {
  solids_.push_back(std::move(solid));
  material_.push_back(material);
}

template <int D>
int TouchRules<D>::add_contact(std::string name, TouchNumbers numbers) {
  bodies_.contacts.push_back(std::move(name));
  contacts_.push_back(numbers);
  return static_cast<int>(contacts_.size()) - 1;
}

template <int D>
void TouchRules<D>::let_touch_among(int contact, const std::vector<int>& bodies) {
  for (const int body : bodies) {
    const std::size_t at = static_cast<std::size_t>(body + 1);
    if (among_.size() <= at) among_.resize(at + 1);
    among_[at].push_back(contact);
  }
}

template <int D>
TouchLaw TouchRules<D>::make_law(int contact, int material_a, int material_b) const {
  const TouchNumbers& own = contacts_[static_cast<std::size_t>(contact)];
  TouchNumbers of_materials;
  if (const auto found = materials_.find(ordered(material_a, material_b)); found != materials_.end()) of_materials = found->second;
  const auto choose = [&](auto member) { return (own.*member).value_or((of_materials.*member).value_or(0)); };
  return {contact, choose(&TouchNumbers::restitution), choose(&TouchNumbers::friction), choose(&TouchNumbers::rolling),
          choose(&TouchNumbers::spinning)};
}

// ends of segments of a body that meet
template <int D>
void TouchRules<D>::join_segments() {
  const auto is_segment = [](const Solid<D>& solid) { return D == 2 && solid.kind == Solid<D>::Kind::hull && solid.corners.size() == 2; };
  for (Solid<D>& one : solids_)
    for (const Solid<D>& other : solids_) {
      if (&one == &other || one.body != other.body || !is_segment(one) || !is_segment(other)) continue;
      const auto own = [&](std::size_t k) { return Vector<D>(one.turned.transpose() * (other.at + other.turned * other.corners[k] - one.at)); };
      for (const Vector<D>& end : one.corners)
        for (const std::size_t k : {0u, 1u})
          if ((own(k) - end).norm() <= little::flush * (one.extent() + other.extent())) one.joined.push_back({end, (own(1 - k) - end).normalized()});
    }
}

template <int D>
void TouchRules<D>::finish(std::vector<std::string> bodies) {
  bodies_.width = width<D>;
  bodies_.extent.assign(bodies.size(), 0);
  bodies_.names = std::move(bodies);
  among_.resize(bodies_.names.size() + 1);
  special_.assign(bodies_.names.size() + 1, 0);
  for (const Solid<D>& solid : solids_)
    if (solid.body != ground && solid.kind != Solid<D>::Kind::plane) {
      double& extent = bodies_.extent[static_cast<std::size_t>(solid.body)];
      extent = std::max(extent, solid.at.norm() + solid.extent());
    }
  join_segments();
  // curves have arcs for each radius that they may meet
  if constexpr (D == 2)
    for (const Solid<2>& curve : solids_)
      for (const Solid<2>& other : solids_) {
        if (!curve.curve || curve.body == other.body) continue;
        other.curve ? curve.curve->expect(*other.curve) : curve.curve->expect(other.radius);
      }
  for (const auto& [pair, contact] : between_)
    for (const int body : {pair.first, pair.second}) special_[static_cast<std::size_t>(body + 1)] = 1;
  for (const auto& [pair, contact] : apart_)
    for (const int body : {pair.first, pair.second}) special_[static_cast<std::size_t>(body + 1)] = 1;
  for (const int material : material_) materials_count_ = std::max(materials_count_, material + 2);
  for (int contact = 0; contact < static_cast<int>(contacts_.size()); ++contact)
    for (int a = -1; a < materials_count_ - 1; ++a)
      for (int b = -1; b < materials_count_ - 1; ++b) bodies_.laws.push_back(make_law(contact, a, b));
}

template <int D>
int TouchRules<D>::contact_of(int a, int b) const {
  if (a == b) return no_law;
  const std::size_t at_a = static_cast<std::size_t>(a + 1), at_b = static_cast<std::size_t>(b + 1);
  if (special_[at_a] && special_[at_b]) {
    if (const auto found = between_.find(ordered(a, b)); found != between_.end()) return found->second;
    if (apart_.contains(ordered(a, b))) return no_law;
  }
  for (const int contact : among_[at_a])
    if (std::find(among_[at_b].begin(), among_[at_b].end(), contact) != among_[at_b].end()) return contact;
  return no_law;
}

template <int D>
int TouchRules<D>::law(int solid_a, int solid_b) const {
  const std::size_t a = static_cast<std::size_t>(solid_a), b = static_cast<std::size_t>(solid_b);
  const int contact = contact_of(solids_[a].body, solids_[b].body);
  if (contact == no_law) return no_law;
  return law_of(contact, material_[a], material_[b]);
}

template <int D>
std::optional<std::pair<int, int>> TouchRules<D>::missing_function() const {
  constexpr int kinds = Solid<D>::kinds;
  for (int ka = 0; ka < kinds; ++ka)
    for (int kb = ka; kb < kinds; ++kb) {
      using Kind = typename Solid<D>::Kind;
      if (touch_function<D>(static_cast<Kind>(ka), static_cast<Kind>(kb))) continue;
      for (std::size_t a = 0; a < solids_.size(); ++a) {
        if (static_cast<int>(solids_[a].kind) != ka) continue;
        for (std::size_t b = 0; b < solids_.size(); ++b)
          if (a != b && static_cast<int>(solids_[b].kind) == kb && contact_of(solids_[a].body, solids_[b].body) != no_law)
            return std::pair(static_cast<int>(std::min(a, b)), static_cast<int>(std::max(a, b)));
      }
    }
  return std::nullopt;
}

template class TouchRules<2>;
template class TouchRules<3>;

}  // namespace escapement
