#include "system/joint_pull.hpp"

#include <cmath>
#include <limits>

namespace escapement::inline system {

bool JointPull::begin(unsigned version) {
  const bool others = !sized_ || version != version_;
  version_ = version;
  sized_ = true;
  return others;
}

void JointPull::resize(int v, int rows, int brakes) {
  kkt_.resize(v, rows);
  followers_.reserve(static_cast<std::size_t>(brakes));
  answer_.resize(static_cast<std::size_t>(brakes));
  for (Vec& answer : answer_) answer.setZero(rows);
  for (Vec* vec : {&vdot_, &right_}) vec->setZero(v);
  for (Vec* vec : {&rows_, &forces_}) vec->setZero(rows);
}

void JointPull::solve(const Matrix& slips) {
  constexpr int most_rounds = 100;
  if (!kkt_.factor(terms_.M, terms_.top(), terms_.G)) {
    forces_.setConstant(std::nan(""));  // the scheme meets the same matrix, and says so
    return;
  }
  rows_ = -terms_.kappa;
  kkt_.solve(terms_.f, rows_, vdot_, forces_);
  rows_.setZero();
  for (std::size_t k = 0; k < followers_.size(); ++k) {
    right_.setZero();
    slips.add_row(followers_[k].law.slip, 1, right_);
    kkt_.solve(right_, rows_, vdot_, answer_[k]);
  }
  // Newton's method for one after another, until nothing changes
  for (int round = 0; round < most_rounds; ++round) {
    double change = 0, largest = 0;
    for (std::size_t k = 0; k < followers_.size(); ++k) {
      Follower& f = followers_[k];
      const double pressing = size(f), strength = f.along * f.law.friction;
      if (!(pressing > 0)) continue;
      const int row = f.law.joint_row, n = f.law.joint_rows;
      const double by_tau = forces_.segment(row, n).dot(answer_[k].segment(row, n)) / pressing;
      const double step = -(f.tau + strength * pressing) / (1 + strength * by_tau);
      f.tau += step;
      forces_ += step * answer_[k];
      change = std::max(change, std::abs(step));
      largest = std::max(largest, std::abs(f.tau));
    }
    if (!(change > 4 * std::numeric_limits<double>::epsilon() * largest)) return;
  }
}

}  // namespace escapement
