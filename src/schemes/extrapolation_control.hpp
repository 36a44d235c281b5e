// Order and step size of an extrapolation method with an expansion in h^2, after P. Deuflhard (1983), with the rules of
// Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.9. Column k has order 2k and costs
// the substeps of all columns up to it.
#pragma once

#include <array>
#include <span>

namespace escapement::inline schemes {

class ExtrapolationControl {
 public:
  static constexpr int most_columns = 6;
  enum class Verdict { go_on, accept, reject };

  explicit ExtrapolationControl(std::span<const int> substeps);  // of each column

  int first_target(double tolerance) const;  // the column to aim at, 2 ... most_columns
  void begin(double h, double tolerance, int target);
  // the error of column k = 2, 3, ... in turn
  Verdict judge(int k, double error);
  // after accept or reject
  int next_target() const { return next_target_; }
  double next_step() const { return next_step_; }

 private:
  Verdict accept(int k);
  Verdict reject(int k);
  double hopeless(int k) const;  // error/tolerance at column k that the columns up to target + 1 cannot bring below 1

  std::span<const int> n_;
  std::array<double, most_columns + 1> cost_{}, step_{}, work_{};  // per column: substeps, best step, substeps per time
  double h_ = 0, tolerance_ = 0;
  int target_ = 2, next_target_ = 2;
  double next_step_ = 0;
};

}  // namespace escapement
