// Compliant contact of two bodies in space at the points where their shapes are found to touch: its forces, and what is told of them.
//
// The law holds at each point that has a depth. Where points come and go with one, as where a corner slides over an edge, forces jump.
#pragma once

#include <memory>
#include <vector>

#include "math/program.hpp"
#include "model/collision/touch.hpp"
#include "model/contact_force.hpp"
#include "model/force.hpp"

namespace escapement::inline model {

class SoftTouch {
 public:
  // the solids of one body and those of another; throws std::invalid_argument where two of them cannot touch. The law has no states
  SoftTouch(ExpressionGraph&, const std::vector<Solid<3>>&, const std::vector<Solid<3>>&, const ContactForceLaw&);

  int a() const { return a_; }  // the bodies
  int b() const { return b_; }
  double size() const { return size_; }  // of the smallest solid
  int ways() const { return ways_; }     // in which forces act: along the normal; with friction three

  // a point of some pair of solids; its normal is from a to b
  struct Point {
    std::uint32_t pair = 0;
    TouchPoint<3> is{};
  };
  // of all pairs, those whose gap is at most this
  void find(const Frame<3>& A, const Frame<3>& B, double margin, std::vector<Point>&) const;

  // how both bodies move at a point: along the normal and along two ways across it
  struct Meeting {
    double gap = 0;
    Vector<3> way[3];
    Gradient<3> row[3];  // rate = row . velocities
    double rate[3] = {};
  };
  // like: ways across the normal are turned from its own by as little as can be
  Meeting meeting(const Frame<3>& A, const Frame<3>& B, const TouchPoint<3>&, const Meeting* like = nullptr) const;

  // along the ways, and the slopes by the gap and by the rates
  struct Push {
    double force[3] = {}, slope[3][4] = {};
  };
  Push push(const Meeting&, bool with_slopes = false) const;

 private:
  struct Pair {
    int first, second;  // solids
    bool exchanged;     // the first is b's
    TouchFunction<3> touch;
  };

  int a_, b_, ways_;
  std::vector<Solid<3>> solids_;
  std::vector<Pair> pairs_;
  double size_;
  Program values_, slopes_;
};

ForcePtr<3> make_soft_touch_force(std::shared_ptr<const SoftTouch>);
// what is read but not pushed along: the least gap, no more than the smallest solid's size; the sum of the normal forces, without a rate
MeasurePtr<3> soft_touch_gap(std::shared_ptr<const SoftTouch>);
MeasurePtr<3> soft_touch_sum(std::shared_ptr<const SoftTouch>);

}  // namespace escapement
