#include "simulate/statics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/eigenvalues.hpp"
#include "math/saddle_solver.hpp"

namespace escapement {

namespace {

constexpr int most_iterations = 200;

class EquilibriumSearch {
 public:
  EquilibriumSearch(const System& system, const State& start) : system_(system), dim_(system.dim()), s_(start) {
    system_.prepare(T_);
    system_.prepare(D_);
    solver_.resize(dim_.v, dim_.rows());
    s_.v.setZero();
    s_.vdot.setZero();
    s_.lambda.setZero();
    active_.assign(dim_.rows(), 1);
    for (int i = dim_.bilateral; i < dim_.rows(); ++i) active_[i] = 0;
    w_ = dx_ = r_ = Vec::Zero(dim_.v);
    b_ = mu_ = Vec::Zero(dim_.rows());
    trial_ = s_;
  }

  Equilibrium run() {
    Equilibrium result;
    for (int pass = 0; pass <= 2 * dim_.unilateral + 1; ++pass) {
      result.found = settle(result.iterations);
      if (!change_active()) break;
    }
    result.state = s_;
    result.residual = merit(s_);
    return result;
  }

 private:
  void evaluate(const State& s) {
    system_.evaluate(s, Need::mass | Need::force | Need::gap | Need::jacobian, T_);
    for (int i = 0; i < dim_.rows(); ++i)
      if (!active_[i]) T_.G.set_row_zero(i);
  }

  // unbalanced force with the best reactions, over the largest force met; fills s.lambda
  double merit(State& s) {
    evaluate(s);
    if (!solver_.factor(T_.M, T_.G)) return INFINITY;
    b_.setZero();
    solver_.solve(T_.f, b_, w_, mu_);  // accelerations from rest
    s.lambda.setZero();
    s.lambda.head(dim_.rows()) = mu_.head(dim_.rows());
    r_.setZero();
    T_.M.add_product(1, w_, r_);
    double gap = 0;
    for (int i = 0; i < dim_.rows(); ++i)
      if (active_[i]) gap = std::max(gap, std::abs(T_.g[i]));
    largest_ = std::max(largest_, T_.f.lpNorm<Eigen::Infinity>());
    const double force = largest_ > 0 ? r_.lpNorm<Eigen::Infinity>() / largest_ : 0;
    return std::max(force, gap);
  }

  // Newton steps, shortened by inertia (K + shift M) until they help
  bool settle(int& iterations) {
    double now = merit(s_), shift = 0;
    for (; iterations < most_iterations && now > 1e-14; ++iterations) {
      evaluate(s_);
      system_.tangent(s_, w_, s_.lambda, Parts::force | Parts::constraint, D_);
      r_ = T_.f;
      T_.G.add_transposed_product(1, Vec(s_.lambda.head(dim_.rows())), r_);
      for (int i = 0; i < dim_.rows(); ++i) b_[i] = active_[i] ? -T_.g[i] : 0;
      double next = INFINITY;
      const double scale = D_.K.rows() > 0 ? typical_stiffness() : 1;
      for (int attempt = 0; attempt < 40; ++attempt) {
        evaluate(s_);
        A_.set_sum({{1, &D_.K}, {shift, &T_.M}});
        if (solver_.factor(A_, T_.G)) {
          solver_.solve(r_, b_, dx_, mu_);
          if (dx_.allFinite()) {
            system_.retract(s_.q, dx_, trial_.q);
            const Vec unbalanced = r_;
            next = merit(trial_);
            r_ = unbalanced;
          }
        }
        if (next < now) break;
        shift = shift == 0 ? 1e-3 * scale : 4 * shift;
      }
      if (!(next < now)) break;
      s_.q = trial_.q;
      s_.lambda = trial_.lambda;
      now = next;
      shift = shift > 1e-3 * scale ? shift / 8 : 0;
    }
    return now < 1e-10;
  }

  double typical_stiffness() const {
    double k = 0, m = 0;
    for (int i = 0; i < dim_.v; ++i) {
      k = std::max(k, std::abs(D_.K(i, i)));
      m = std::max(m, T_.M(i, i));
    }
    return k > 0 ? k / m : 1;
  }

  // contacts that were passed close, contacts that would have to pull open
  bool change_active() {
    system_.evaluate(s_, Need::gap, T_);
    bool changed = false;
    for (int i = dim_.bilateral; i < dim_.rows(); ++i) {
      const char wanted = active_[i] ? s_.lambda[i] >= 0 : T_.g[i] < -1e-12;
      changed = changed || wanted != active_[i];
      active_[i] = wanted;
    }
    return changed;
  }

  const System& system_;
  const Dim& dim_;
  State s_, trial_;
  Terms T_;
  Tangent D_;
  Matrix A_;
  SaddleSolver solver_;
  std::vector<char> active_;
  Vec w_, dx_, r_, b_, mu_;
  double largest_ = 0;
};

Mat dense(const Matrix& m) {
  Mat out = Mat::Zero(m.rows(), m.cols());
  for (int i = 0; i < m.rows(); ++i) m.for_each_in_row(i, [&](int j, double value) { out(i, j) = value; });
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const System& system, const State& start) {
  return EquilibriumSearch(system, start).run();
}

double Mode::frequency() const { return std::sqrt(std::max(0.0, square)) / (2 * std::numbers::pi); }

Modes find_modes(const System& system, const State& equilibrium) {
  const Dim& dim = system.dim();
  Terms T;
  Tangent D;
  system.prepare(T);
  system.prepare(D);
  State s = equilibrium;
  s.v.setZero();
  system.evaluate(s, Need::mass | Need::jacobian, T);
  for (int i = dim.bilateral; i < dim.rows(); ++i)
    if (!(s.lambda[i] > 0)) T.G.set_row_zero(i);
  system.tangent(s, Vec::Zero(dim.v), s.lambda, Parts::force | Parts::constraint, D);

  // motions x = L^-T Q y that the rows allow, with unit mass
  const Eigen::LLT<Mat> L(dense(T.M));
  const Mat rows = L.matrixL().solve(dense(T.G).transpose());
  Mat free = Mat::Identity(dim.v, dim.v);
  if (dim.rows() > 0) {
    const Eigen::ColPivHouseholderQR<Mat> qr(rows);
    free = Mat(qr.householderQ()).rightCols(dim.v - qr.rank());
  }
  const Mat basis = L.matrixU().solve(free);
  const Mat K = basis.transpose() * dense(D.K) * basis, damping = basis.transpose() * dense(D.D) * basis;
  const int n = static_cast<int>(K.rows());

  Modes result;
  if (n == 0) return result;
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (K + K.transpose()));
  for (int i = 0; i < n; ++i) {
    Mode& mode = result.modes.emplace_back();
    mode.square = eigen.values[i];
    mode.shape = basis * eigen.vectors.col(i);
    int largest = 0;
    mode.shape.cwiseAbs().maxCoeff(&largest);
    mode.shape /= mode.shape[largest];
  }
  const bool conservative = damping.norm() <= 1e-12 * (1 + K.norm()) && (K - K.transpose()).norm() <= 1e-9 * K.norm();
  if (conservative) return result;
  Mat first_order = Mat::Zero(2 * n, 2 * n);
  first_order.topRightCorner(n, n).setIdentity();
  first_order.bottomLeftCorner(n, n) = -K;
  first_order.bottomRightCorner(n, n) = -damping;
  result.eigenvalues = escapement::eigenvalues(first_order);
  std::sort(result.eigenvalues.begin(), result.eigenvalues.end(), [](auto a, auto b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a.imag() < b.imag();
  });
  return result;
}

}  // namespace escapement
