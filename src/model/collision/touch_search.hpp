// The search for the contacts of a mechanism's shapes: broad phase, then the narrow phase of each pair.
#pragma once

#include "model/collision/broad_phase.hpp"
#include "model/collision/touch_rules.hpp"

namespace escapement::inline model {

template <int D>
class TouchSearch : public ContactSearch {
 public:
  explicit TouchSearch(const TouchRules<D>&);  // which outlive it
  void find(const State&, const std::vector<double>& reach, std::vector<ContactPoint>& points) override;
  const std::vector<BodyPlace>& places() const override { return places_; }

 private:
  void place(const State&);
  void find_pairs(const std::vector<double>& reach);
  double reach_of(const Solid<D>& solid, const std::vector<double>& reach) const { return solid.body == ground ? 0 : reach[static_cast<std::size_t>(solid.body)]; }

  const TouchRules<D>& rules_;
  std::array<std::array<TouchFunction<D>, Solid<D>::kinds>, Solid<D>::kinds> touch_{};  // by kinds
  std::vector<int> round_, planes_;  // solids with and without an end
  std::vector<Frame<D>> frames_;
  std::vector<BodyPlace> places_;
  std::vector<SolidPlace<D>> solid_places_;
  BroadPhase<D> broad_;
  std::vector<typename BroadPhase<D>::Round> balls_;
  std::vector<std::uint64_t> pairs_;
  std::vector<TouchPoint<D>> touching_;
};

}  // namespace escapement
