// Dense output of an extrapolated midpoint rule. With n = 2, 6, 10, ... substeps the middle of the step is an odd point of every
// column. Central differences over the odd points give the derivatives there, extrapolated like everything else; with the values
// in the middle and at both ends they make polynomials of the step's own order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "schemes/extrapolation_control.hpp"
#include "schemes/middle_polynomial.hpp"
#include "system/system.hpp"

namespace escapement::inline schemes {

class ExtrapolatedOutput {
 public:
  explicit ExtrapolatedOutput(std::span<const int> substeps);  // of each column
  void start(const Dim&, State& s);  // room in its memory

  // at the odd point i = 0, 1, ... of a column
  void sample(int i, const Vec& qdot, const Vec& vdot, const Vec& lambda, const Vec& zdot);
  void difference(int k);  // the odd points of column k = 0, 1, ... are there
  // column j with the next one, of which a part is added to what they differ by
  void extrapolate(int j, double part);
  // into the end of a step of so many columns: q, v, z in its middle, z' where it begins
  void remember(int columns, const Eigen::Ref<const Vec>& middle, const Vec& zdot, State& s1) const;
  void end(const Vec& zdot, State& s1) const { s1.memory.vectors[zdot_end] = zdot; }

  // of the velocities near the ends of the step, where it is largest: what the highest derivative contributes there
  double error(const System& sys, const State& s, const State& s1, int columns);
  void interpolate(const System& sys, const State& s, const State& s1, int columns, double theta, State& out) const;

 private:
  enum Slot { middle, derivatives, zdot_begin, zdot_end, slots };  // of State::memory.vectors
  static constexpr int most_columns = ExtrapolationControl::most_columns, most_derivatives = 2 * (most_columns - 1);  // column k has k odd points on either side
  using Polynomial = MiddlePolynomial<most_derivatives + 6>;
  static int last(int columns) { return 2 * (columns - 1); }  // derivative of the samples

  std::span<const int> substeps_;
  Dim dim_;
  int vdot_ = 0, lambda_ = 0, zdot_ = 0, size_ = 0;  // where the parts stand in a sample; q' is the first
  Mat samples_;                                      // at the odd points of a column
  std::vector<Mat> derivatives_;                     // per column: of the samples in the middle of the step, one to a column
  Vec no_position_, velocity_;
  mutable Vec rate0_, rate1_;  // q' at both ends
};

}  // namespace escapement
