#include "schemes/implicit_point.hpp"

#include "math/rows.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline schemes {

void ImplicitPoint::resize(const System& sys, Imposed imposed) {
  const Dim& dim = sys.dim();
  imposed_ = imposed;
  sys.prepare(T_);
  sys.prepare(D_);
  if (!D_.K.is_sparse()) {
    K_x_.resize(dim.v, dim.v);
    for (Matrix* m : {&G_x_, &A_q_, &A_x_}) m->resize(dim.rows(), dim.v);
    V_x_.resize(dim.multipliers(), dim.v);
  }
  has_position_.resize(dim.rows());
  needs_V_ = imposed != Imposed::position;
  for (int i = 0; i < dim.rows(); ++i) {
    has_position_[i] = sys.level(i) == Level::position;
    needs_V_ = needs_V_ || !has_position_[i];
  }
  if (imposed == Imposed::acceleration) {
    sys.prepare(D_shifted_);
    shifted_ = make_state(dim);
  }
  at_position_.setZero(dim.rows());
  at_velocity_.setZero(dim.rows());
  at_acceleration_.setZero(dim.rows());
  gdot_.setZero(dim.rows());
  R_q_.setZero(dim.v);
  R_q_condensed_.setZero(dim.v);
  dx_local_.setZero(dim.v);
  S_.resize(dim.z);
  S_inverse_.setZero(dim.z, dim.z);
  F_.setZero(dim.v, dim.z);
  R_z_.setZero(dim.z);
  dz_.setZero(dim.z);
  curved_ = filled_ = false;
}

void ImplicitPoint::evaluate(const System& sys, const State& s1, const Vec& zdot1) {
  Need need = Need::mass | Need::force | Need::jacobian;
  need = need | (imposed_ == Imposed::acceleration ? Need::curvature : Need::gap);
  sys.evaluate(s1, need, T_);
  const int n = static_cast<int>(R_q_.size());
  for (int i = 0; i < n; ++i) R_q_[i] = -T_.f[i];
  T_.M.is_sparse() ? T_.M.add_product(1, s1.vdot, R_q_) : add_product(T_.M, s1.vdot, R_q_);
  T_.top().add_transposed_product(-1, s1.lambda, R_q_);  // [000] (9)
  for (int i = 0; i < R_z_.size(); ++i) R_z_[i] = zdot1[i] - T_.zdot[i];
  if (needs_V_) velocity_rows(T_, s1.v, gdot_);
}

const Vec& ImplicitPoint::R_q_condensed() {
  if (R_z_.size() == 0) return R_q_;
  R_q_condensed_ = R_q_;
  R_q_condensed_ += F_.lazyProduct(R_z_);
  return R_q_condensed_;
}

void ImplicitPoint::find_rows() {
  const bool position = imposed_ == Imposed::position || imposed_ == Imposed::position_and_velocity;
  const bool velocity = imposed_ == Imposed::velocity || imposed_ == Imposed::position_and_velocity;
  const Matrix& G = T_.G;
  for (int i = 0; i < G.rows(); ++i) {
    const int first = G.is_sparse() ? G.row_start()[i] : 0;
    const bool begins = G.is_sparse() && first < G.row_start()[i + 1] && G.value()[first] != 0;
    const bool on = begins || !G.is_row_zero(i);
    at_position_[i] = on && position && has_position_[i];
    at_velocity_[i] = on && (velocity || (position && !has_position_[i]));
    at_acceleration_[i] = on && imposed_ == Imposed::acceleration;
  }
}

bool ImplicitPoint::linearize(const System& sys, const State& s1, const Vec& x, double c_z) {
  Parts parts = Parts::all;
  if (needs_V_) parts = parts | Parts::velocity_rows;
  if (imposed_ == Imposed::acceleration) parts = parts | Parts::curvature_rows;
  sys.tangent(s1, s1.vdot, s1.lambda, parts, D_);
  find_rows();
  if (R_z_.size() > 0 && !eliminate_z(c_z)) return false;
  if (imposed_ == Imposed::acceleration) acceleration_rows(sys, s1);

  curved_ = sys.retract_tangent(x, D_.retraction);
  if (curved_) turn_columns();
  return true;
}

// derivatives with respect to the increment x by the chain rule
void ImplicitPoint::turn_columns() {
  const Matrix& T = D_.retraction;
  turned_in_place_ = turn_K_.fits(K(), T);
  if (turned_in_place_) {
    turn_K_.apply(T, filled_ ? K_z_ : D_.K);
  } else {
    K_x_.set_product(K(), T);
  }
  if (turn_G_.fits(T_.G, T)) {
    turn_G_.apply(T, T_.G, G_x_);
  } else {
    G_x_.set_product(T_.G, T);
  }
  if (needs_V_) V_x_.set_product(D_.V_q, T);
  if (imposed_ == Imposed::acceleration) A_x_.set_product(A_q_, T);
}

// d(G w + kappa)/dq at w = v': V_q is affine in v, so (G w)_q is what it gains from v to v + w
void ImplicitPoint::acceleration_rows(const System& sys, const State& s1) {
  shifted_.t = s1.t;
  shifted_.q = s1.q;
  shifted_.v = s1.v + s1.vdot;
  shifted_.z = s1.z;
  sys.tangent(shifted_, s1.vdot, s1.lambda, Parts::velocity_rows, D_shifted_);
  A_q_.set_blocks(T_.G.rows(), T_.G.cols(), {{1, &D_.kappa_q}, {1, &D_shifted_.V_q}, {-1, &D_.V_q}});
}

namespace {

// A - F Z for sparse A: the product has its own pattern, which only ever grows
void subtract_sparse(const Mat& F, const Mat& Z, const Matrix& A, Matrix& fill, Matrix& out) {
  bool fits = fill.rows() == A.rows();
  auto each = [&](auto&& visit) {
    for (int i = 0; i < F.rows(); ++i) {
      if (F.row(i).isZero(0)) continue;
      for (int j = 0; j < Z.cols(); ++j)
        if (!Z.col(j).isZero(0)) visit(i, j);
    }
  };
  if (fits) each([&](int i, int j) { fits = fits && fill.slot(i, j) >= 0; });
  if (!fits) {
    std::vector<std::pair<int, int>> places;
    for (int i = 0; i < fill.rows(); ++i) fill.for_each_in_row(i, [&](int j, double) { places.emplace_back(i, j); });
    each([&](int i, int j) { places.emplace_back(i, j); });
    fill.set_pattern(A.rows(), A.cols(), places);
  }
  fill.set_zero();
  each([&](int i, int j) { fill.add(i, j, -F.row(i).dot(Z.col(j))); });
  out.set_sum({{1, &A}, {1, &fill}});
}

}  // namespace

// S dz = zdot_q dq + zdot_v dv - R_z with S = c_z I - zdot_z turns -f_z dz into changes of K, D and R_q
bool ImplicitPoint::eliminate_z(double c_z) {
  S_.matrix() = -D_.zdot_z;
  S_.matrix().diagonal().array() += c_z;
  if (!(S_.factor() > little::rounding)) return false;
  for (int k = 0; k < R_z_.size(); ++k) {
    dz_.setZero();
    dz_[k] = 1;
    S_.solve(dz_);
    S_inverse_.col(k) = dz_;
  }
  F_ = D_.f_z.lazyProduct(S_inverse_);
  filled_ = D_.K.is_sparse();
  if (filled_) {
    subtract_sparse(F_, D_.zdot_q, D_.K, fill_K_, K_z_);
    subtract_sparse(F_, D_.zdot_v, D_.D, fill_D_, D_z_);
  } else {
    D_.K.dense() -= F_.lazyProduct(D_.zdot_q);
    D_.D.dense() -= F_.lazyProduct(D_.zdot_v);
  }
  return true;
}

void ImplicitPoint::z_step(const Vec& dx, const Vec& dv, Vec& dz) {
  if (dz.size() == 0) return;
  dx_local_ = dx;
  if (curved_) {
    dx_local_.setZero();
    D_.retraction.add_product(1, dx, dx_local_);
  }
  dz_ = D_.zdot_q.lazyProduct(dx_local_);
  dz_ += D_.zdot_v.lazyProduct(dv);
  dz_ -= R_z_;
  dz = S_inverse_.lazyProduct(dz_);
}

const Matrix& ImplicitPoint::impose(double c_v, double c_a, Matrix& work) const {
  const int m = T_.G.rows(), n = T_.G.cols();
  if (imposed_ == Imposed::acceleration) {
    const Matrix& A = curved_ ? A_x_ : A_q_;
    const Vec& on = at_acceleration_;
    work.set_blocks(m, n, {{1, &T_.G}, {1 / c_a, &A, 0, 0, &on}, {c_v / c_a, &D_.kappa_v, 0, 0, &on}});
    return work;
  }
  if (!needs_V_) return G_x();  // rows that are switched off are zero
  const Vec &p = at_position_, &v = at_velocity_;
  work.set_blocks(m, n, {{1, &G_x(), 0, 0, &p}, {1, &T_.G, 0, 0, &v}, {1 / c_v, &V_x(), 0, 0, &v}});
  return work;
}

void ImplicitPoint::imposed_residual(const State& s1, double c_v, double c_a, Vec& residual) const {
  if (imposed_ == Imposed::acceleration) {
    residual = T_.kappa;
    T_.G.add_product(1, s1.vdot, residual);
    residual = at_acceleration_.cwiseProduct(residual) / c_a;
  } else if (needs_V_) {
    residual = at_position_.cwiseProduct(T_.g) + at_velocity_.cwiseProduct(gdot_) / c_v;
  } else {
    for (int i = 0; i < residual.size(); ++i) residual[i] = at_position_[i] * T_.g[i];
  }
}

void ImplicitPoint::note(StepReport& report) const {
  for (int i = 0; i < R_q_.size(); ++i) note_residual(report, RowResidual::Kind::motion, i, R_q_[i]);
  for (int i = 0; i < at_position_.size(); ++i) {
    if (at_position_[i] != 0) note_residual(report, RowResidual::Kind::row, i, T_.g[i]);
    if (at_velocity_[i] != 0) note_residual(report, RowResidual::Kind::row, i, gdot_[i]);
  }
}

}  // namespace escapement
