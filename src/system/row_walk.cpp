#include "system/row_walk.hpp"

#include "math/tolerances.hpp"

namespace escapement::inline system {

namespace {
constexpr int most_corrections = 20;
constexpr double pace = 0.3;
}  // namespace

RowWalk::RowWalk(const System& system, const State& start, const Vec& weight, std::vector<char> free)
    : system_(system), weight_(weight), size_(1 / weight.minCoeff()), free_(std::move(free)), s_(start) {
  const Dim& dim = system.dim();
  system.prepare(T_);
  solver_.resize(dim.v, dim.bilateral);
  x_ = a_ = direction_ = Vec::Zero(dim.v);
  b_ = mu_ = Vec::Zero(dim.bilateral);
}

void RowWalk::evaluate(Need need) {
  const Dim& dim = system_.dim();
  system_.evaluate(s_, need, T_);
  for (int i = 0; i < dim.rows(); ++i)
    if (i >= dim.bilateral || free_[i]) {
      if (has(need, Need::jacobian)) T_.G.set_row_zero(i);
      if (has(need, Need::gap)) T_.g[i] = 0;
    }
}

const Matrix& RowWalk::rows() {
  evaluate(Need::jacobian);
  return T_.G;
}

bool RowWalk::turn_towards(const Vec& wanted) {
  evaluate(Need::mass | Need::jacobian);
  a_.setZero();
  b_.setZero();
  T_.M.add_product(1, wanted, a_);
  if (!solver_.factor(T_.M, T_.G)) return false;
  solver_.solve(a_, b_, x_, mu_);
  const double largest = x_.cwiseProduct(weight_).lpNorm<Eigen::Infinity>();
  if (!(largest > little::blocked * wanted.cwiseProduct(weight_).lpNorm<Eigen::Infinity>())) return false;
  direction_ = x_ / largest;
  return true;
}

bool RowWalk::settle() {
  for (int i = 0; i < most_corrections; ++i) {
    evaluate(Need::mass | Need::gap | Need::jacobian);
    b_ = -T_.g.head(system_.dim().bilateral);
    if (b_.lpNorm<Eigen::Infinity>() < little::touching * size_) return true;
    if (!solver_.factor(T_.M, T_.G)) return false;
    a_.setZero();
    solver_.solve(a_, b_, x_, mu_);
    if (!x_.allFinite() || x_.cwiseProduct(weight_).norm() > 1e2) return false;
    const Vec from = s_.q;
    system_.retract(from, x_, s_.q);
  }
  return false;
}

bool RowWalk::go() {
  const Vec from = s_.q;
  system_.retract(from, pace * direction_, s_.q);
  return settle() && turn_towards(direction_);
}

}  // namespace escapement
