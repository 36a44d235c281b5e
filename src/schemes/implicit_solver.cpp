#include "schemes/implicit_solver.hpp"

#include <cmath>
#include <limits>

#include "math/rows.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline schemes {

void ImplicitForm::resize(const Dim& dim) {
  base.setZero(dim.q);
  for (Vec* v : {&x0, &v0, &a0}) v->setZero(dim.v);
  for (Vec* z : {&z0, &w0}) z->setZero(dim.z);
}

double AverageDiagonal::of(const Matrix& A) {
  double sum = 0;
  if (A.is_sparse()) {
    if (version_ != A.version()) {
      version_ = A.version();
      places_.clear();
      for (int i = 0; i < A.rows(); ++i)
        if (const int place = A.slot(i, i); place >= 0) places_.push_back(place);
    }
    for (const int place : places_) sum += std::abs(A.value()[static_cast<std::size_t>(place)]);
  } else {
    const double* diagonal = A.dense().data();
    for (int i = 0; i < A.rows(); ++i, diagonal += A.rows() + 1) sum += std::abs(*diagonal);
  }
  return A.rows() > 0 ? sum / A.rows() : 0;
}

double average_diagonal(const Matrix& A) { return AverageDiagonal().of(A); }

bool lost_in_rounding(const std::string& scaling, double relative_correction_of_q) {
  return (scaling == "none" || scaling == "left") && relative_correction_of_q < little::near_rounding;
}

void ImplicitSolver::start(const System& sys, const State& s) {
  resize(sys);
  // a first matrix: patterns are analysed and factors sized here and not in a step. The small increment is there for
  // rotations, whose tangent is the identity without it
  ImplicitForm form;
  form.resize(sys.dim());
  form.h = form.c_v = form.c_a = form.c_z = 1;
  x_.setConstant(0.001);
  if (both_levels()) sys.evaluate(s, Need::mass | Need::jacobian, T_n_);
  point_.evaluate(sys, s, form.w0);
  if (point_.linearize(sys, s, x_, form.c_z)) {
    scales(form.h, true);
    factor(form);
  }
  x_.setZero();
}

void ImplicitSolver::resize(const System& sys) {
  const Dim& dim = sys.dim();
  n_ = dim.v;
  m_ = dim.rows();
  const int levels = both_levels() ? 2 : 1;
  point_.resize(sys, imposed_);
  kkt_.resize(levels * n_, levels * m_, levels == 1 ? sys.joint_rows() : levels * m_);
  sparse_ = point_.terms().M.is_sparse();
  if (!sparse_) {
    A_.resize(levels * n_, levels * n_);
    for (Matrix* m : {&top_, &bottom_}) m->resize(levels * m_, levels * n_);
  }
  if (both_levels()) sys.prepare(T_n_);
  for (Vec* v : {&y_, &p_, &x_, &dy_, &dv_, &r_p_}) v->setZero(n_);
  for (Vec* z : {&u_, &du_}) z->setZero(dim.z);
  psi_.setZero(m_);
  position_scale_.setOnes(m_);
  for (Vec* a : {&a_, &dx_}) a->setZero(levels * n_);
  for (Vec* b : {&b_, &dmu_}) b->setZero(levels * m_);
}

Status ImplicitSolver::solve(const System& sys, const ImplicitForm& form, const State& s, State& s1, Vec& zdot1,
                             StepReport& report, double enough, Foresight* known) {
  // a trace shows where the corrections saturate
  newton_.begin(trace_ || to_stagnation_ ? NewtonControl::Aim::stagnation : NewtonControl::Aim::rounding, n_ + m_, enough);
  if (known) newton_.foresee(*known);
  return iterate(sys, form, s, s1, zdot1, report);
}

// of states of first order the matrix would hold too little
Status ImplicitSolver::solve_like_last(const System& sys, const ImplicitForm& form, const State& s, State& s1, Vec& zdot1,
                                       StepReport& report, double enough, Foresight& known) {
  if (s.z.size() > 0 || to_stagnation_) return solve(sys, form, s, s1, zdot1, report, enough);
  newton_.begin(NewtonControl::Aim::rounding, n_ + m_, enough);
  newton_.keep_matrix();
  newton_.foresee(known);
  return iterate(sys, form, s, s1, zdot1, report);
}

Status ImplicitSolver::iterate(const System& sys, const ImplicitForm& form, const State& s, State& s1, Vec& zdot1,
                               StepReport& report) {
  if (both_levels()) sys.evaluate(s, Need::mass | Need::jacobian, T_n_);
  unit_ = sys.scale().unit();
  for (int i = 0; i < n_; ++i) y_[i] = (s1.vdot[i] - form.a0[i]) / form.c_a;
  for (int i = 0; i < u_.size(); ++i) u_[i] = (zdot1[i] - form.w0[i]) / form.c_z;
  p_.setZero();
  psi_.setZero();
  if (trace_) trace_->begin();
  auto verdict = NewtonControl::Verdict::iterate;
  while (verdict == NewtonControl::Verdict::iterate) {
    new_state(sys, form, s1, zdot1);
    point_.evaluate(sys, s1, zdot1);
    if (newton_.wants_matrix()) {
      const Status status = new_matrix(sys, form, s1, report);
      if (status != Status::ok) return status;
    }
    set_right_side(form, s1);
    correct(form, s1);
    ++report.newton_iterations;
    verdict = judge(sys, s1);
  }
  if (scaled_) report.scaling = k_.l;
  if (verdict == NewtonControl::Verdict::failed) return failure(s1, report);
  new_state(sys, form, s1, zdot1);
  if (trace_) trace_->converged = true;
  return s1.q.allFinite() ? Status::ok : Status::not_finite;
}

Status ImplicitSolver::new_matrix(const System& sys, const ImplicitForm& form, const State& s1, StepReport& report) {
  if (!point_.linearize(sys, s1, x_, form.c_z)) return Status::singular_matrix;
  if (newton_.iterations() == 0) k_ = scales(form.h, scaled_);
  c_a_ = form.c_a;
  return factor(form) ? Status::ok : factor_failure(form, report);
}

// number by number, here and below: the vectors of small systems cost more than what is done with them
void ImplicitSolver::new_state(const System& sys, const ImplicitForm& form, State& s1, Vec& zdot1) {
  const int z = static_cast<int>(u_.size());
  s1.t = form.t1;
  for (Vec* v : {&s1.v, &s1.vdot}) v->resize(n_);
  for (int i = 0; i < n_; ++i) {
    const double y = y_[i];
    x_[i] = form.x0[i] + y + p_[i];
    s1.v[i] = form.v0[i] + form.c_v * y;
    s1.vdot[i] = form.a0[i] + form.c_a * y;
  }
  sys.retract(form.base, x_, s1.q);
  s1.z.resize(z);
  zdot1.resize(z);
  for (int i = 0; i < z; ++i) {
    s1.z[i] = form.z0[i] + u_[i];
    zdot1[i] = form.w0[i] + form.c_z * u_[i];
  }
}

// two fields, [003] (44), (48), (49): up to a common factor h, `left` multiplies the rows of motion by h, `multipliers`
// and `full` divide them by s and solve for lambda^ = lambda/s
NewtonScales ImplicitSolver::scales(double h, bool scaled) {
  m_ave_ = mass_.of(point_.terms().M);
  if (!scaled) return scaling_ == "left" ? NewtonScales{h, 1} : NewtonScales{};
  const double s = averages_.factor(stiffness_.of(point_.K_x()), m_ave_, h);  // [003] (28)
  return {1 / s, s};
}

// without scaling the matrix may be singular to rounding only: then it is Newton's method that cannot go on
Status ImplicitSolver::factor_failure(const ImplicitForm& form, StepReport& report) {
  if (!kkt_.finite()) return Status::not_finite;
  k_ = scales(form.h, true);
  if (!factor(form)) return Status::singular_matrix;
  point_.note(report);
  return Status::ill_conditioned;
}

Status ImplicitSolver::failure(const State& s1, StepReport& report) {
  point_.note(report);
  if (!dx_.allFinite()) return Status::not_finite;
  const double size = unit_ + s1.q.lpNorm<Eigen::Infinity>();
  return lost_in_rounding(scaling_, dx_.lpNorm<Eigen::Infinity>() / size) ? Status::ill_conditioned
                                                                          : Status::newton_failed;
}

bool ImplicitSolver::factor(const ImplicitForm& form) {
  both_levels() ? assemble_both_levels(form) : assemble(form);
  return kkt_.factor(A_, *used_top_, *used_bottom_);
}

void ImplicitSolver::assemble(const ImplicitForm& form) {
  const Terms& T = point_.terms();
  A_.set_sum({{k_.e * form.c_a, &T.M}, {k_.e * form.c_v, &point_.D()}, {k_.e, &point_.K_x()}});  // [000] (10)
  used_top_ = &T.top();
  if (!scaled_ && scaling_ == "left") {  // e l = 1 otherwise
    top_.set_sum({{k_.e * k_.l, &T.top()}});
    used_top_ = &top_;
  }
  used_bottom_ = &point_.impose(form.c_v, form.c_a, bottom_);
}

void ImplicitSolver::set_right_side(const ImplicitForm& form, const State& s1) {
  if (both_levels()) {
    const Vec &at_p = point_.at_position(), &at_v = point_.at_velocity();
    r_p_.setZero();
    T_n_.M.add_product(1 / m_ave_, p_, r_p_);
    T_n_.G.add_transposed_product(-1, psi_, r_p_);
    a_.head(n_) = -k_.e * point_.R_q_condensed();
    a_.tail(n_) = -r_p_;
    b_.head(m_) = -(1 / form.c_v) * at_v.cwiseProduct(point_.velocity_residual());
    b_.tail(m_) = -at_p.cwiseProduct(point_.terms().g);
  } else {
    const Vec& R_q = point_.R_q_condensed();
    for (int i = 0; i < n_; ++i) a_[i] = -k_.e * R_q[i];
    point_.imposed_residual(s1, form.c_v, form.c_a, b_);
    for (int i = 0; i < m_; ++i) b_[i] = -b_[i];
  }
}

// unknowns (y, p) and (lambda, psi):  R_q = 0,  M p = G^T psi,  G v1 + g_t = 0,  g = 0
void ImplicitSolver::assemble_both_levels(const ImplicitForm& form) {
  const Terms& T = point_.terms();
  const Matrix &K = point_.K_x(), &G_x = point_.G_x(), &V_x = point_.V_x();
  const Vec &at_p = point_.at_position(), &at_v = point_.at_velocity();
  const double e = k_.e, d = 1 / form.c_v;
  A_.set_blocks(
      2 * n_, 2 * n_,
      {{e * form.c_a, &T.M}, {e * form.c_v, &point_.D()}, {e, &K}, {e, &K, 0, n_}, {1 / m_ave_, &T_n_.M, n_, n_}});
  top_.set_blocks(2 * m_, 2 * n_, {{e * k_.l, &T.top(), 0, 0, &at_v}, {1, &T_n_.G, m_, n_, &at_p}});
  bottom_.set_blocks(2 * m_, 2 * n_,
                     {{1, &T.G, 0, 0, &at_v},
                      {d, &V_x, 0, 0, &at_v},
                      {d, &V_x, 0, n_, &at_v},
                      {1, &G_x, m_, 0, &at_p},
                      {1, &G_x, m_, n_, &at_p}});
  used_top_ = &top_;
  used_bottom_ = &bottom_;
}

void ImplicitSolver::correct(const ImplicitForm& form, State& s1) {
  // a matrix of another c_a belongs to equations of motion that are so many times larger, forces of the rows included
  const double ratio = c_a_ / form.c_a;
  if (ratio != 1) a_.head(n_) *= ratio;
  kkt_.solve(a_, b_, dx_, dmu_);
  if (ratio != 1) dmu_.head(m_) /= ratio;
  for (int i = 0; i < n_; ++i) {
    dy_[i] = dx_[i];
    dv_[i] = form.c_v * dy_[i];
    y_[i] += dy_[i];
  }
  if (both_levels()) {
    dy_ += dx_.tail(n_);
    p_ += dx_.tail(n_);
    psi_ += dmu_.tail(m_);
  }
  if (u_.size() > 0) {
    point_.z_step(dy_, dv_, du_);
    u_ += du_;
  }
  for (int i = 0; i < m_; ++i) s1.lambda[i] += k_.l * dmu_[i];
}

bool ImplicitSolver::across_constraints(const System& sys, const State& s1) {
  const Terms& T = point_.terms();
  velocity_rows(T, s1.v, b_);
  for (int i = 0; i < m_; ++i) {
    double size = row_scale(sys.scale(), T.G, i) + std::abs(T.g_t[i]);
    if (std::abs(b_[i]) <= 0.5 * size) continue;
    for_each_of_row(T.G, i, [&](int j, double x) { size += std::abs(x * s1.v[j]); });
    if (std::abs(b_[i]) > 0.5 * size) return true;
  }
  return false;
}

void ImplicitSolver::find_across(const Vec& rates, Vec& dv) {
  a_.setZero();
  kkt_.solve(a_, rates, dv, dmu_);
}

void ImplicitSolver::make_tangential(Vec& v) {
  if (m_ == 0 || both_levels()) return;
  a_.setZero();
  A_.add_product(1, v, a_);
  b_.setZero();
  kkt_.solve(a_, b_, v, dmu_);
}

// the last residuals of the rows are no more than what rounding leaves there: in a dead point and near it, where rows
// hardly hold a direction, that alone makes corrections which do not decrease
bool ImplicitSolver::rows_at_rounding(const System& sys, const State& s1) {
  if (m_ == 0 || imposed_ != Imposed::position || !scaled_) return false;
  sys.position_scale(s1, position_scale_);
  return (b_.array().abs() <= 16 * std::numeric_limits<double>::epsilon() * position_scale_.array()).all();
}

NewtonControl::Verdict ImplicitSolver::judge(const System& sys, const State& s1) {
  // each correction over what counts as one in it
  const Scale& one = sys.scale();
  const auto largest_of = [](const double* x, int count) {
    double largest = 0;
    for (int i = 0; i < count; ++i) largest = std::max(largest, std::abs(x[i]));
    return largest;
  };
  double u = 0, size_q = 0, norm2 = dmu_.squaredNorm() / (unit_ * unit_);
  const double lambda = largest_of(dmu_.data(), static_cast<int>(dmu_.size())) / unit_;
  if (!one.given()) {
    const double* const dx = dx_.data();
    for (int i = 0; i < dx_.size(); ++i) norm2 += dx[i] * dx[i];
    u = largest_of(dx, static_cast<int>(dx_.size()));
    size_q = largest_of(s1.q.data(), static_cast<int>(s1.q.size()));
  } else {
    for (int i = 0; i < dx_.size(); ++i) {
      const double x = std::abs(dx_[i]) / one.v(i % n_);
      norm2 += x * x;
      u = std::max(u, x);
    }
    for (int i = 0; i < s1.q.size(); ++i) size_q = std::max(size_q, std::abs(s1.q[i]) / one.q(i));
  }
  double largest = std::max(u, lambda);
  for (int i = 0; i < du_.size(); ++i) {
    const double z = du_[i] / (1 + std::abs(s1.z[i]));
    norm2 += z * z;
    largest = std::max(largest, std::abs(z));
  }
  ++size_q;
  const double size_lambda = 1 + largest_of(s1.lambda.data(), m_) / (k_.l * unit_);
  bool at_rounding = newton_.at_rounding(u / size_q, 0, lambda / size_lambda, kkt_.pivot());
  if (!at_rounding && newton_.iterations() > 1 && u < little::near_rounding * size_q) at_rounding = rows_at_rounding(sys, s1);
  const double norm = trace_ || newton_.aim() == NewtonControl::Aim::stagnation ? std::sqrt(norm2) : 0;
  if (trace_) record({norm, u, 0, lambda});
  if (newton_.aim() == NewtonControl::Aim::stagnation) return newton_.judge(norm, size_q, at_rounding);
  if (std::isnan(norm2)) largest = norm2;
  return newton_.judge(largest, size_q, at_rounding, u);  // the 2-norm grows with the number of unknowns
}

void ImplicitSolver::record(const NewtonTrace::Correction& correction) {
  const int n = A_.rows(), m = used_bottom_->rows();
  matrix_.setZero(n + m, n + m);
  for (int i = 0; i < n; ++i) A_.for_each_in_row(i, [&](int j, double x) { matrix_(i, j) = x; });
  for (int i = 0; i < m; ++i) {
    used_top_->for_each_in_row(i, [&](int j, double x) { matrix_(j, n + i) = -x; });
    used_bottom_->for_each_in_row(i, [&](int j, double x) { matrix_(n + i, j) = x; });
  }
  trace_->add(correction, matrix_);
}

}  // namespace escapement
