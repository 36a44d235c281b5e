// The search for the contacts of a mechanism's shapes: broad phase, then the narrow phase of each pair.
//
// The broad phase is asked for some more room than bodies reach, and its pairs serve as long as nothing has moved farther than that.
// Whether it was asked anew makes no difference to what is found.
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
  struct Near {
    int a, b;  // solids
    int law;
  };

  void place(const State&);
  bool pairs_serve(const std::vector<double>& reach) const;
  void find_pairs(const std::vector<double>& reach);
  bool is_inner(std::size_t solid, const Vector<D>& p, const Vector<D>& outward) const;
  bool are_near(const Near&, const std::vector<double>& reach) const;
  double reach_of(std::size_t solid, const std::vector<double>& reach) const {
    const int body = rules_.solids()[solid].body;
    return body == ground ? 0 : reach[static_cast<std::size_t>(body)];
  }

  const TouchRules<D>& rules_;
  std::array<std::array<TouchFunction<D>, Solid<D>::kinds>, Solid<D>::kinds> touch_{};  // by kinds
  std::vector<int> round_, planes_;  // solids with and without an end
  std::vector<double> extent_;       // of the solids
  std::vector<Frame<D>> frames_;
  std::vector<BodyPlace> places_;
  std::vector<SolidPlace<D>> solid_places_;
  BroadPhase<D> broad_;
  std::vector<typename BroadPhase<D>::Round> balls_;
  std::vector<std::uint64_t> pairs_;
  std::vector<Near> near_;                   // pairs that touch by the rules, as they were found
  std::vector<SolidPlace<D>> found_at_;      // when they were
  std::vector<double> room_;                 // of the solids: how far each may have moved and reach since
  std::vector<TouchPoint<D>> touching_;
};

}  // namespace escapement
