// Which bodies of a mechanism touch, by which solids, and with which numbers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/collision/touch.hpp"
#include "system/contact_search.hpp"

namespace escapement::inline model {

// what a contact or a pair of materials says; what it leaves open is said by the other, or is 0
struct TouchNumbers {
  std::optional<double> restitution, friction, rolling, spinning;
};

template <int D>
class TouchRules {
 public:
  static constexpr int no_law = -1;

  // building, in any order, then finish()
  void add(Solid<D> solid, int material);                                         // material -1: none
  int add_contact(std::string name, TouchNumbers);                                // its number
  void let_touch(int contact, int a, int b) { between_[ordered(a, b)] = contact; }  // bodies
  void let_touch_among(int contact, const std::vector<int>& bodies);
  void keep_apart(int a, int b) { apart_.emplace(ordered(a, b), true); }  // unless let_touch() names the pair
  void set_materials(int a, int b, TouchNumbers numbers) { materials_[ordered(a, b)] = numbers; }
  // bodies: what they are called; places of their solids are in their own frames
  void finish(std::vector<std::string> bodies);
  void set_reason(std::string why) { bodies_.why = std::move(why); }

  bool empty() const { return bodies_.contacts.empty(); }
  const TouchingBodies& bodies() const { return bodies_; }
  const std::vector<Solid<D>>& solids() const { return solids_; }
  int law(int solid_a, int solid_b) const;  // of a pair of solids, no_law: they do not touch
  // some pair that touches and has no TouchFunction: its solids; nullopt: none
  std::optional<std::pair<int, int>> missing_function() const;
  int contact_of(int a, int b) const;  // of two bodies, no_law: none

 private:
  void join_segments();
  static std::pair<int, int> ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }
  TouchLaw make_law(int contact, int material_a, int material_b) const;
  // laws are in the order of contacts, then of both materials; the first is none
  int law_of(int contact, int material_a, int material_b) const { return (contact * materials_count_ + material_a + 1) * materials_count_ + material_b + 1; }

  TouchingBodies bodies_;
  std::vector<Solid<D>> solids_;
  std::vector<int> material_;                       // of the solids
  int materials_count_ = 1;                         // and none
  std::vector<TouchNumbers> contacts_;
  std::map<std::pair<int, int>, int> between_;
  std::map<std::pair<int, int>, bool> apart_;
  std::map<std::pair<int, int>, TouchNumbers> materials_;
  std::vector<std::vector<int>> among_;             // contacts of each body; the ground first
  std::vector<char> special_;                       // of each body: it stands in between_ or apart_; the ground first
};

}  // namespace escapement
