#include "schemes/starting_step.hpp"

namespace escapement::inline schemes {

void StartingStep::start(const System& sys, State& s, int order) {
  const Dim& dim = sys.dim();
  order_ = order;
  point_.resize(sys, ImplicitPoint::Imposed::position);
  kkt_.resize(dim.v, dim.rows(), sys.joint_rows());
  sys.prepare(T_);
  if (!T_.M.is_sparse()) A_.resize(dim.v, dim.v);
  sys.prepare(T_end_);
  index1_.start(sys, s, T_end_);
  substep_ = make_state(dim);
  q_.setZero(dim.q);
  row_.assign(order, Vec::Zero(2 * dim.v + dim.z));
  for (Vec* y : {&y_, &next_, &diagonal_}) y->setZero(2 * dim.v + dim.z);
  for (Vec* v : {&a_, &u_, &dx_, &dv_}) v->setZero(dim.v);
  for (Vec* r : {&b_, &mu_}) r->setZero(dim.rows());
  for (Vec* z : {&dz_, &no_zdot_}) z->setZero(dim.z);
  euler(sys, s, 0.001, 1, y_);  // sizes the matrices and their factors
}

Status StartingStep::step(const System& sys, const State& s, double h, State& s1, State& reference) {
  for (int j = 1; j <= order_; ++j) {
    if (const Status status = euler(sys, s, h, j, y_); status != Status::ok) return status;
    // row j of the table by Aitken and Neville; the errors are a series in h
    for (int l = 1; l < j; ++l) {
      next_ = y_ + (y_ - row_[l - 1]) / (double(j) / (j - l) - 1);
      row_[l - 1] = y_;
      y_.swap(next_);
    }
    row_[j - 1] = y_;
    if (j == order_ - 1) diagonal_ = y_;
  }
  set_state(sys, s, diagonal_, reference);
  s1.t = s.t + h;
  set_state(sys, s, row_[order_ - 1], s1);
  s1.vdot = s.vdot;
  s1.lambda = s.lambda;
  return index1_.finish(sys, s1, Need(0), T_end_);
}

void StartingStep::set_state(const System& sys, const State& s, const Vec& y, State& s1) {
  const int n = static_cast<int>(s.v.size());
  dx_ = y.head(n);
  sys.retract(s.q, dx_, s1.q);
  s1.v = y.segment(n, n);
  s1.z = y.tail(s.z.size());
}

Status StartingStep::euler(const System& sys, const State& s, double h, int substeps, Vec& result) {
  const int n = static_cast<int>(s.v.size());
  const double eta = h / substeps;
  State& x = substep_;
  x.q = s.q;
  x.v = s.v;
  x.z = s.z;
  for (int i = 0; i < substeps; ++i) {
    // [M + eta D + eta^2 K, -G^T; G, 0] [u; lambda] = [f - eta K v; -kappa], z eliminated
    x.t = s.t + i * eta;
    point_.evaluate(sys, x, no_zdot_);  // v' and lambda of x are 0: R_q = -f, R_z = -zdot
    dx_.setZero();
    if (!point_.linearize(sys, x, dx_, 1 / eta)) return Status::singular_matrix;
    sys.evaluate(x, Need::curvature, T_);
    A_.set_sum({{1, &point_.terms().M}, {eta, &point_.D()}, {eta * eta, &point_.K_x()}});
    if (!kkt_.factor(A_, point_.terms().top(), point_.terms().G)) return failure_of(kkt_);
    a_ = -point_.R_q_condensed();
    point_.K_x().add_product(-eta, x.v, a_);
    b_ = -T_.kappa;
    kkt_.solve(a_, b_, u_, mu_);

    dv_ = eta * u_;
    x.v += dv_;
    dx_ = eta * x.v;
    point_.z_step(dx_, dv_, dz_);
    x.z += dz_;
    sys.retract(x.q, dx_, q_);
    x.q.swap(q_);
  }
  dx_.setZero();
  sys.difference(s.q, x.q, dx_);
  result.head(n) = dx_;
  result.segment(n, n) = x.v;
  result.tail(x.z.size()) = x.z;
  return result.allFinite() ? Status::ok : Status::not_finite;
}

}  // namespace escapement
