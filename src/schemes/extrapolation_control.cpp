#include "schemes/extrapolation_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement::inline schemes {

namespace {
constexpr double safety = 0.94, error_safety = 0.65;
constexpr double cheaper_below = 0.8, cheaper_above = 0.9;  // work ratios that change the order
}  // namespace

ExtrapolationControl::ExtrapolationControl(std::span<const int> substeps) : n_(substeps) {
  for (int k = 1; k <= most_columns; ++k) cost_[k] = cost_[k - 1] + n_[k - 1];
  for (int k = 1; k <= most_columns; ++k) cost_[k] += 1;  // the acceleration at the end
}

int ExtrapolationControl::first_target(double tolerance) const {
  return std::clamp(static_cast<int>(1.5 - 0.6 * std::log10(tolerance)), 2, most_columns);
}

void ExtrapolationControl::begin(double h, double tolerance, int target) {
  h_ = h;
  tolerance_ = tolerance;
  target_ = std::clamp(target, 2, most_columns);
}

ExtrapolationControl::Verdict ExtrapolationControl::judge(int k, double error) {
  const double ratio = error / tolerance_, power = 1.0 / (2 * k - 1);
  const double least = std::pow(0.02, power);
  const double factor = ratio > 0 ? safety * std::pow(error_safety / ratio, power) : 1 / least;
  step_[k] = h_ * std::clamp(factor, least / 4, 1 / least);
  work_[k] = cost_[k] / step_[k];
  if (ratio <= 1) return accept(k);
  if (k > target_ || k == most_columns || !(ratio <= hopeless(k))) return reject(k);
  return Verdict::go_on;
}

// each further column divides the error by about (n_column/n_1)^2; a low column far below the target says little
double ExtrapolationControl::hopeless(int k) const {
  if (k < target_ - 1) return std::numeric_limits<double>::infinity();
  double limit = 1;
  for (int j = k + 1; j <= std::min(target_ + 1, most_columns); ++j) {
    const double quotient = static_cast<double>(n_[j - 1]) / n_[0];
    limit *= quotient * quotient;
  }
  return limit;
}

ExtrapolationControl::Verdict ExtrapolationControl::accept(int k) {
  next_target_ = std::min(k, target_);
  if (k == 2) {
    next_target_ = 3;
  } else if (k <= target_) {
    if (work_[k - 1] < cheaper_below * work_[k]) next_target_ = k - 1;
    if (work_[k] < cheaper_above * work_[k - 1]) next_target_ = k + 1;
  } else {
    if (k > 3 && work_[k - 2] < cheaper_below * work_[k - 1]) next_target_ = k - 2;
    if (work_[k] < cheaper_above * work_[next_target_]) next_target_ = k;
  }
  next_target_ = std::clamp(next_target_, 2, most_columns);
  next_step_ = next_target_ <= k ? step_[next_target_] : step_[k] * cost_[next_target_] / cost_[k];
  return Verdict::accept;
}

ExtrapolationControl::Verdict ExtrapolationControl::reject(int k) {
  next_target_ = std::min(k, target_);
  if (next_target_ > 2 && work_[next_target_ - 1] < cheaper_below * work_[next_target_]) --next_target_;
  next_step_ = step_[next_target_];
  return Verdict::reject;
}

}  // namespace escapement
