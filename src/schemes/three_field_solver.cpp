#include "schemes/three_field_solver.hpp"

#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {
}

void ThreeFieldSolver::start(const System& sys, const State& s) {
  resize(sys);
  // as in ImplicitSolver: a first matrix sizes what is sized by use
  ImplicitForm form;
  form.resize(sys.dim());
  form.h = form.c_v = form.c_a = form.c_z = 1;
  y_.setConstant(0.001);
  point_.evaluate(sys, s, form.w0);
  if (point_.linearize(sys, s, y_, form.c_z)) {
    assemble_condensed(form, s);
    kkt_.factor(A_, top_, bottom_);
  }
  y_.setZero();
}

void ThreeFieldSolver::resize(const System& sys) {
  const Dim& dim = sys.dim();
  n_ = dim.v;
  m_ = dim.rows();
  solves_ = 0;
  point_.resize(sys, ImplicitPoint::Imposed::position);
  sparse_ = point_.terms().M.is_sparse();
  kkt_.resize(n_, m_, sys.joint_rows());
  if (!sparse_) {
    matrix_.setZero(2 * n_ + m_, 2 * n_ + m_);
    lu_.resize(2 * n_ + m_);
    A_.resize(n_, n_);
    for (Matrix* m : {&top_, &bottom_}) m->resize(m_, n_);
  }
  x_.setZero(2 * n_ + m_);
  for (Vec* v : {&y_, &v_, &b_, &r_, &a_, &dy_, &dv_}) v->setZero(n_);
  for (Vec* r : {&rows_, &dlambda_, &Gr_}) r->setZero(m_);
  for (Vec* z : {&u_, &du_}) z->setZero(dim.z);
}

Status ThreeFieldSolver::solve(const System& sys, const ImplicitForm& form, State& s1, Vec& zdot1, StepReport& report) {
  unit_ = sys.scale().unit();
  y_.setZero();
  u_.setZero();
  v_ = s1.v;
  b_ = form.a0 - form.c_v * form.v0;
  if (trace_) trace_->begin();
  newton_.begin(NewtonControl::Aim::stagnation);
  auto verdict = NewtonControl::Verdict::iterate;
  while (verdict == NewtonControl::Verdict::iterate) {
    new_state(sys, form, s1, zdot1);
    point_.evaluate(sys, s1, zdot1);
    if (!point_.linearize(sys, s1, y_, form.c_z)) return Status::singular_matrix;
    if (newton_.iterations() == 0) k_ = scales(form.h);
    if (!factor(form, s1)) return kkt_.finite() ? Status::singular_matrix : Status::not_finite;
    correct(form, s1);
    ++report.newton_iterations;
    verdict = judge(s1);
  }
  report.scaling = k_.scaled ? k_.lambda : 0;
  if (verdict == NewtonControl::Verdict::failed) return failure(s1, report);
  new_state(sys, form, s1, zdot1);
  if (trace_) trace_->converged = true;
  return s1.q.allFinite() ? Status::ok : Status::not_finite;
}

Status ThreeFieldSolver::failure(const State& s1, StepReport& report) const {
  point_.note(report);
  if (!x_.allFinite()) return Status::not_finite;
  const double size = unit_ + s1.q.lpNorm<Eigen::Infinity>();
  return lost_in_rounding(scaling_, x_.head(n_).lpNorm<Eigen::Infinity>() / size) ? Status::ill_conditioned
                                                                                  : Status::newton_failed;
}

void ThreeFieldSolver::new_state(const System& sys, const ImplicitForm& form, State& s1, Vec& zdot1) {
  s1.t = form.t1;
  sys.retract(form.base, y_, s1.q);
  s1.v = v_;
  s1.vdot = form.c_v * v_ + b_;
  s1.z = form.z0 + u_;
  zdot1 = form.w0 + form.c_z * u_;
  r_ = form.v0 + form.c_v * y_ - v_;
}

ThreeFieldSolver::Scales ThreeFieldSolver::scales(double h) const {
  Scales k;
  if (scaling_ == "none") return k;
  k.rows = 1 / h;  // [003] (16)
  if (scaling_ == "left") return k;
  const double s = averages_.factor(average_diagonal(point_.K_x()), average_diagonal(point_.terms().M), h);  // [003] (28)
  k.motion = 1 / (h * s);                                                                          // [003] (23)
  k.scaled = true;
  k.lambda = s;                                                                                    // [003] (24)
  if (scaling_ == "full") k.v = 1 / h;                                                             // [003] (29)
  return k;
}

// [003] (4) with a mass matrix, scaled as (22a)
void ThreeFieldSolver::assemble(const ImplicitForm& form) {
  const Terms& T = point_.terms();
  const double h = form.h, alpha0 = form.c_v * h;
  Mat& A = matrix_;
  A.setZero();
  for (int i = 0; i < n_; ++i) {
    A(i, i) = alpha0;
    A(i, n_ + i) = -h * k_.v;
    point_.K_x().for_each_in_row(i, [&](int j, double x) { A(n_ + i, j) = k_.motion * h * x; });
    T.M.for_each_in_row(i, [&](int j, double x) { A(n_ + i, n_ + j) = k_.motion * k_.v * alpha0 * x; });
    point_.D().for_each_in_row(i, [&](int j, double x) { A(n_ + i, n_ + j) += k_.motion * k_.v * h * x; });
  }
  for (int i = 0; i < m_; ++i) {
    const int row = 2 * n_ + i;
    if (point_.at_position()[i] != 0) {
      point_.G_x().for_each_in_row(i, [&](int j, double x) { A(row, j) = k_.rows * h * x; });
    } else if (point_.at_velocity()[i] != 0) {
      point_.V_x().for_each_in_row(i, [&](int j, double x) { A(row, j) = k_.rows * h * x; });
      T.G.for_each_in_row(i, [&](int j, double x) { A(row, n_ + j) = k_.rows * k_.v * h * x; });
    } else {
      A(row, row) = 1;
      continue;
    }
    T.top().for_each_in_row(i, [&](int j, double x) { A(n_ + j, row) = -k_.motion * k_.lambda * h * x; });
  }
}

void ThreeFieldSolver::set_right_side(const ImplicitForm& form) {
  const double h = form.h;
  x_.head(n_) = -h * r_;
  x_.segment(n_, n_) = -k_.motion * h * point_.R_q_condensed();
  x_.tail(m_) = -k_.rows * h * point_.at_position().cwiseProduct(point_.terms().g);
  x_.tail(m_) -= k_.rows * h * point_.at_velocity().cwiseProduct(point_.velocity_residual());
}

bool ThreeFieldSolver::factor(const ImplicitForm& form, const State& s1) {
  condensed_ = sparse_;
  if (!sparse_) {
    assemble(form);
    lu_.matrix() = matrix_;
    pivot_ = lu_.factor();
    if (pivot_ > little::suspicious_pivot) return true;
  }
  // only rows that depend on others, seen at a good scale, leave the matrix of the paper
  assemble_condensed(form, s1);
  if (!kkt_.factor(A_, top_, bottom_)) return false;
  condensed_ = sparse_ || kkt_.redundant();
  if (condensed_) pivot_ = kkt_.pivot();
  return true;
}

// v eliminated by dv = c_v dy + r
void ThreeFieldSolver::assemble_condensed(const ImplicitForm& form, const State& s1) {
  const Terms& T = point_.terms();
  const double c_v = form.c_v, e = form.h * form.h / average_diagonal(T.M);
  A_.set_sum({{e * form.c_a, &T.M}, {e * c_v, &point_.D()}, {e, &point_.K_x()}});
  top_.set_sum({{1, &T.top()}});
  bottom_.copy(point_.impose(c_v, form.c_a, bottom_));
  point_.imposed_residual(s1, c_v, form.c_a, rows_);
  a_ = point_.R_q_condensed();
  T.M.add_product(c_v, r_, a_);
  point_.D().add_product(1, r_, a_);
  a_ *= -e;
  Gr_.setZero();
  T.G.add_product(1 / c_v, r_, Gr_);
  rows_ = -rows_ - point_.at_velocity().cwiseProduct(Gr_);
}

void ThreeFieldSolver::solve_condensed(const ImplicitForm& form) {
  const double e = form.h * form.h / average_diagonal(point_.terms().M);
  kkt_.solve(a_, rows_, dy_, dlambda_);
  x_.head(n_) = dy_;
  x_.segment(n_, n_) = (form.c_v * dy_ + r_) / k_.v;
  x_.tail(m_) = dlambda_ / (e * k_.lambda);
}

void ThreeFieldSolver::correct(const ImplicitForm& form, State& s1) {
  ++solves_;
  if (condensed_) {
    solve_condensed(form);
  } else {
    set_right_side(form);
    lu_.solve(x_);
  }
  dy_ = x_.head(n_);
  dv_ = k_.v * x_.segment(n_, n_);
  point_.z_step(dy_, dv_, du_);
  y_ += dy_;
  v_ += dv_;
  u_ += du_;
  s1.lambda.head(m_) += k_.lambda * x_.tail(m_);
}

NewtonControl::Verdict ThreeFieldSolver::judge(const State& s1) {
  double norm2 = x_.squaredNorm();
  for (int i = 0; i < du_.size(); ++i) norm2 += std::pow(du_[i] / (1 + std::abs(s1.z[i])), 2);
  const double norm = std::sqrt(norm2);
  const double u = x_.head(n_).lpNorm<Eigen::Infinity>(), v = x_.segment(n_, n_).lpNorm<Eigen::Infinity>(),
               lambda = x_.tail(m_).lpNorm<Eigen::Infinity>();
  if (trace_) trace_->add({norm, u, v, lambda}, matrix_);
  const double size_q = unit_ + s1.q.lpNorm<Eigen::Infinity>(), size_v = unit_ + v_.lpNorm<Eigen::Infinity>() / k_.v,
               size_lambda = unit_ + s1.lambda.head(m_).lpNorm<Eigen::Infinity>() / k_.lambda;
  return newton_.judge(norm, size_q, newton_.at_rounding(u / size_q, v / size_v, lambda / size_lambda, pivot_));
}

}  // namespace escapement
