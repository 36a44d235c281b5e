#include "schemes/stage_complementarity.hpp"

#include <cmath>
#include <limits>

#include "schemes/hem5_tableau.hpp"

namespace escapement::inline schemes {

using namespace hem5_tableau;

StageComplementarity::StageComplementarity(const System& system, int first_contact, int contacts)
    : system_(system), first_(first_contact), contacts_(contacts), solver_(make_contact_solver()), stage_(make_state(system.dim())) {
  const Dim& dim = system.dim();
  solver_->reserve(contact_room(dim.rows()));
  problem_.reserve(contact_room(dim.rows()));
  mass_.resize(dim.v, 0);
  for (Terms& T : T_) system.prepare(T);
  Xdot_.resize(stages, dim);
  answer_.assign(dim.rows(), Vec::Zero(dim.v));
  row_.reserve(dim.rows());
  free_.setZero(dim.v);
  direction_.setZero(dim.v);
  Lambda_.setZero(dim.rows());
  P_.setZero(dim.rows());
}

void StageComplementarity::stage_value(const State& s, double h, int i) {
  Xdot_.lead(s, h, c[i], std::span(a[i]).first(i), stage_);
}

bool StageComplementarity::step(const State& s, double h) {
  stage_value(s, h, 0);
  system_.evaluate(stage_, Need::jacobian, T_[0]);
  for (int i = 0; i < stages; ++i) {
    Terms &T = T_[i % 2], &T1 = T_[(i + 1) % 2];
    system_.evaluate(stage_, Need::mass | Need::force, T);
    system_.rate(stage_.q, stage_.v, Xdot_.q[i]);
    Xdot_.z[i] = T.zdot;
    Xdot_.v[i].setZero();
    stage_value(s, h, i + 1);
    system_.evaluate(stage_, Need::jacobian, T1);
    if (!solve_stage(T, T1, h * a[i + 1][i], Xdot_.v[i])) return false;
    stage_.v += (h * a[i + 1][i]) * Xdot_.v[i];
  }
  return true;
}

bool StageComplementarity::solve_stage(const Terms& T, const Terms& T1, double step, Vec& Vdot) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  if (!mass_.factor(T.M, T.G)) return false;
  mass_.solve(T.f, none_, free_, none_);
  problem_.clear();
  row_.clear();
  for (int r = 0; r < T1.G.rows(); ++r) {
    if (T1.G.is_row_zero(r)) continue;
    const bool contact = r >= first_ && r < first_ + contacts_;
    const int k = problem_.add(contact ? Cone::non_negative() : Cone::equality());
    row_.push_back(r);
    direction_.setZero();
    T.top().add_row(r, 1, direction_);
    mass_.solve(direction_, none_, answer_[k], none_);
  }
  problem_.noise = 0;
  for (int k = 0; k < problem_.rows(); ++k) {
    double rate = T1.g_t[row_[k]], size = std::abs(rate);
    T1.G.for_each_in_row(row_[k], [&](int j, double g) {
      rate += g * stage_.v[j];
      size += std::abs(g * stage_.v[j]);
    });
    problem_.b[k] = T1.G.row_dot(row_[k], free_) + rate / step;  // r_i = -rate / step, [000] (14)
    problem_.noise = std::max(problem_.noise, 16 * eps * size / std::abs(step));
    for (int l = 0; l < problem_.rows(); ++l) problem_.W(k, l) = T1.G.row_dot(row_[k], answer_[l]);
  }
  P_.setZero();
  if (!solver_->solve(problem_, P_).ok) return false;
  Lambda_.setZero();
  Vdot = free_;
  for (int k = 0; k < problem_.rows(); ++k) {
    Lambda_[row_[k]] = P_[k];
    Vdot += P_[k] * answer_[k];
  }
  return Vdot.allFinite();
}

}  // namespace escapement
