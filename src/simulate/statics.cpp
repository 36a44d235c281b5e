#include "simulate/statics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "math/eigenvalues.hpp"
#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"
#include "simulate/lowest_modes.hpp"

namespace escapement::inline simulate {

namespace {

constexpr int most_newton_steps = 200;
constexpr int small_enough = 300;  // velocities, for dense matrices and all modes: a tenth of a second

class EquilibriumSearch {
 public:
  EquilibriumSearch(const System& system, const State& start)
      : system_(system), unit_(system.scale().unit()), touching_(little::resting_gap * unit_), dim_(system.dim()), s_(start) {
    system_.prepare(T_);
    system_.prepare(D_);
    solver_.resize(dim_.v, dim_.rows());
    s_.v.setZero();
    s_.vdot.setZero();
    s_.lambda.setZero();
    w_ = dx_ = r_ = unbalanced_ = Vec::Zero(dim_.v);
    b_ = mu_ = Vec::Zero(dim_.rows());
    trial_ = s_;
    active_.assign(dim_.rows(), 1);
    system_.evaluate(s_, Need::gap, T_);
    for (int i = dim_.bilateral; i < dim_.rows(); ++i) active_[i] = T_.g[i] <= touching_;
  }

  // downhill: it first moves the way its forces push, and so does not come to rest on top of something
  Equilibrium run(bool downhill) {
    Equilibrium result;
    release_pulling();  // contacts of the start that do not push
    const double first = merit(s_);
    for (int pass = 0; downhill && pass <= 4 * dim_.unilateral + 20 && merit(s_) > little::downhill * first; ++pass) {
      if (!fall(result.iterations)) break;
      release_pulling();
    }
    for (int pass = 0; pass <= 4 * dim_.unilateral + 4; ++pass) {
      const bool settled = settle(result.iterations);
      if (close_passed() || release_one()) continue;
      result.found = settled;
      if (settled || !fall(result.iterations)) break;
    }
    result.residual = merit(s_);
    result.unbalanced = unbalanced_;
    result.state = s_;
    for (int i = dim_.bilateral; i < dim_.rows(); ++i) result.held.push_back(active_[i] && s_.lambda[i] > least_push());
    return result;
  }

 private:
  void evaluate(const State& s) {
    system_.evaluate(s, Need::mass | Need::force | Need::gap | Need::jacobian, T_);
    for (int i = 0; i < dim_.rows(); ++i)
      if (!active_[i]) T_.G.set_row_zero(i);
  }

  // unbalanced force with the best reactions, over the largest force of the states gone through; fills s.lambda and w_
  double merit(State& s) {
    evaluate(s);
    if (!T_.f.allFinite() || !T_.g.allFinite() || !solver_.factor(T_.M, T_.G)) return INFINITY;
    b_.setZero();
    solver_.solve(T_.f, b_, w_, mu_);  // accelerations from rest
    if (!w_.allFinite() || !mu_.allFinite()) return INFINITY;
    s.lambda.setZero();
    s.lambda.head(dim_.rows()) = mu_.head(dim_.rows());
    unbalanced_.setZero(dim_.v);
    T_.M.add_product(1, w_, unbalanced_);
    double gap = 0;
    for (int i = 0; i < dim_.rows(); ++i)
      if (active_[i]) gap = std::max(gap, std::abs(T_.g[i]));
    gap_ = gap;
    if (largest_ == 0) note_force();
    const double force = largest_ > 0 ? unbalanced_.lpNorm<Eigen::Infinity>() / largest_ : 0;
    return std::max(force, gap / unit_);
  }

  void note_force() { largest_ = std::max(largest_, T_.f.lpNorm<Eigen::Infinity>()); }

  // dx_ of Newton's method with inertia, (K + shift M) dx = f + G^T lambda, into trial_; D_ holds the tangent of s_
  bool make_trial(double shift) {
    evaluate(s_);
    A_.set_sum({{1, &D_.K}, {shift, &T_.M}});
    if (!solver_.factor(A_, T_.G)) return false;
    r_ = T_.f;
    T_.G.add_transposed_product(1, Vec(s_.lambda.head(dim_.rows())), r_);
    for (int i = 0; i < dim_.rows(); ++i) b_[i] = active_[i] ? -T_.g[i] : 0;
    solver_.solve(r_, b_, dx_, mu_);
    if (!dx_.allFinite()) return false;
    system_.retract(s_.q, dx_, trial_.q);
    if (dim_.z > 0) trial_.z = s_.z + D_.zdot_v * dx_;  // turns that joints count
    // no farther than the system is large, many times over: Newton's method leaps where the stiffness almost vanishes
    return dx_.lpNorm<Eigen::Infinity>() <= 10 * (unit_ + s_.q.lpNorm<Eigen::Infinity>());
  }

  void accept() {
    s_.q = trial_.q;
    s_.z = trial_.z;
    s_.lambda = trial_.lambda;
  }

  // Newton steps, shortened by inertia until they help
  bool settle(int& iterations) {
    double now = merit(s_), shift = 0;
    if (!std::isfinite(now)) return false;
    for (int k = 0; k < most_newton_steps && now > little::digits; ++k, ++iterations) {
      system_.tangent(s_, w_, s_.lambda, Parts::force | Parts::constraint, D_);
      if (is_rounding()) {
        // soft motions may still be off by more than rounding: what is left of the force is rounding of stiff ones
        if (make_trial(0) && dx_.lpNorm<Eigen::Infinity>() <= little::near_rounding * (unit_ + s_.q.lpNorm<Eigen::Infinity>()) &&
            merit(trial_) < now)
          accept();
        merit(s_);
        return true;
      }
      double next = INFINITY;
      // Newton's own step moves nothing but the last digits: forces cancel as far as they can
      bool still = false;
      const bool on_rows = gap_ <= touching_;
      const double scale = typical_stiffness();
      for (int attempt = 0; attempt < 40; ++attempt) {
        if (make_trial(shift)) {
          still =
              on_rows && shift == 0 && dx_.lpNorm<Eigen::Infinity>() <= little::gap * (unit_ + s_.q.lpNorm<Eigen::Infinity>());
          next = merit(trial_);
        }
        if (next < now || still) break;
        shift = shift == 0 ? little::first_shift * scale : 4 * shift;
      }
      if (!(next < now)) return still || now < little::stagnation;
      accept();
      note_force();
      now = merit(s_);
      shift = shift > little::first_shift * scale ? shift / 8 : 0;
    }
    return now < little::stagnation;
  }

  // what is unbalanced is no more than the last digits of the positions make; where nothing holds the system Newton's
  // method would go anywhere for it. D_ holds the tangent of s_
  bool is_rounding() const {
    if (gap_ > touching_) return false;
    const double digits = 2 * std::numeric_limits<double>::epsilon() * (unit_ + s_.q.lpNorm<Eigen::Infinity>());
    for (int i = 0; i < dim_.v; ++i) {
      double stiffness = 0;
      D_.K.for_each_in_row(i, [&](int, double value) { stiffness += std::abs(value); });
      if (!(std::abs(unbalanced_[i]) <= digits * stiffness)) return false;
    }
    return true;
  }

  // Where Newton's method finds none: along the accelerations from rest, each step from rest again, until an open
  // contact closes or most of the force is balanced. Steps double while the force hardly changes
  bool fall(int& iterations) {
    const double first = merit(s_);
    double reach = 1;
    for (int k = 0; k < most_newton_steps; ++k, ++iterations) {
      const double now = merit(s_);
      if (!std::isfinite(now)) return false;
      if (now < 0.1 * first) return true;
      system_.evaluate(s_, Need::gap | Need::jacobian, T_);
      double closing = 0;  // rate of the contact that closes first over its gap
      for (int i = dim_.bilateral; i < dim_.rows(); ++i)
        if (!active_[i]) closing = std::max(closing, -rate_of(i).first / std::max(T_.g[i], touching_));
      system_.tangent(s_, w_, s_.lambda, Parts::force | Parts::constraint, D_);
      const Vec force = unbalanced_, push = w_;
      const double least = std::max(0.5 * closing, w_.lpNorm<Eigen::Infinity>() / reach);
      bool moved = false;
      for (double shift = least; !moved && shift < 1e12 * least; shift *= 4)
        moved = make_trial(shift) && dx_.dot(force) > 0 && dx_.lpNorm<Eigen::Infinity>() <= 4 * reach &&
                restore_rows() && std::isfinite(merit(trial_)) && (unbalanced_.dot(dx_) > 0 || passes(trial_));
      if (!moved) return false;
      accept();
      const double change = (w_ - push).lpNorm<Eigen::Infinity>();
      if (close_passed()) return true;
      reach = change < 0.5 * push.lpNorm<Eigen::Infinity>() ? 2 * reach : 1;
    }
    return false;
  }

  // trial_ back onto the active rows, by the shortest way in the metric of the kinetic energy
  bool restore_rows() {
    const Vec none = Vec::Zero(dim_.v);
    Vec back = none, q;
    for (double before = INFINITY;;) {
      evaluate(trial_);
      double gap = 0;
      for (int i = 0; i < dim_.rows(); ++i) {
        b_[i] = active_[i] ? -T_.g[i] : 0;
        gap = std::max(gap, std::abs(b_[i]));
      }
      if (gap <= little::touching * unit_) return true;
      if (!(gap < before)) return gap <= touching_;
      before = gap;
      if (!solver_.factor(T_.M, T_.G)) return false;
      solver_.solve(none, b_, back, mu_);
      q = trial_.q;
      system_.retract(q, back, trial_.q);
    }
  }

  bool passes(const State& s) {
    system_.evaluate(s, Need::gap, T_);
    for (int i = dim_.bilateral; i < dim_.rows(); ++i)
      if (!active_[i] && T_.g[i] < -little::touching * unit_) return true;
    return false;
  }

  double typical_stiffness() const {
    double k = 0, m = 0;
    for (int i = 0; i < dim_.v; ++i) {
      k = std::max(k, std::abs(D_.K(i, i)));
      m = std::max(m, T_.M(i, i));
    }
    return k > 0 ? k / m : 1;
  }

  // of a gap by the accelerations from rest, and the size of the terms it sums
  std::pair<double, double> rate_of(int row) const {
    double rate = 0, size = 0;
    T_.G.for_each_in_row(row, [&](int j, double value) {
      rate += value * w_[j];
      size += std::abs(value * w_[j]);
    });
    return {rate, size};
  }

  // open contacts that were passed, or that touch and are being closed
  bool close_passed() {
    if (!std::isfinite(merit(s_))) return false;
    system_.evaluate(s_, Need::gap | Need::jacobian, T_);
    bool changed = false;
    for (int i = dim_.bilateral; i < dim_.rows(); ++i) {
      if (active_[i] || T_.g[i] > touching_) continue;
      const auto [rate, size] = rate_of(i);
      if (T_.g[i] >= -little::touching * unit_ && !(rate < -little::solved * size)) continue;
      active_[i] = 1;
      changed = true;
    }
    return changed;
  }

  // of the closed contacts the one that would have to pull most
  bool release_one() {
    int worst = -1;
    for (int i = dim_.bilateral; i < dim_.rows(); ++i)
      if (active_[i] && s_.lambda[i] < -least_push() && (worst < 0 || s_.lambda[i] < s_.lambda[worst])) worst = i;
    if (worst >= 0) active_[worst] = 0;
    return worst >= 0;
  }

  void release_pulling() {
    do merit(s_);
    while (release_one());
  }

  double least_push() const { return little::contact_residual * largest_; }

  const System& system_;
  const double unit_, touching_;
  const Dim& dim_;
  State s_, trial_;
  Terms T_;
  Tangent D_;
  Matrix A_;
  SaddleSolver solver_;
  std::vector<char> active_;
  Vec w_, dx_, r_, b_, mu_, unbalanced_;
  double largest_ = 0, gap_ = 0;
};

Mat dense(const Matrix& m) {
  Mat out = Mat::Zero(m.rows(), m.cols());
  for (int i = 0; i < m.rows(); ++i) m.for_each_in_row(i, [&](int j, double value) { out(i, j) = value; });
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const System& system, const State& start) {
  const auto is_stable = [&](const Equilibrium& e) {
    const Modes found = find_modes(system, e, 4);
    return found.modes.empty() || found.modes.front().square >= -little::solved * (1 + std::abs(found.modes.back().square));
  };
  const Equilibrium near = EquilibriumSearch(system, start).run(false);
  if (near.found && (near.iterations == 0 || is_stable(near))) return near;
  const Equilibrium low = EquilibriumSearch(system, start).run(true);
  return low.found && (!near.found || is_stable(low)) ? low : near;
}

double NaturalMode::frequency() const { return std::sqrt(std::max(0.0, square)) / (2 * std::numbers::pi); }

Modes find_modes(const System& system, const Equilibrium& equilibrium, int count) {
  const Dim& dim = system.dim();
  Terms T;
  Tangent D;
  system.prepare(T);
  system.prepare(D);
  const State& s = equilibrium.state;
  system.evaluate(s, Need::mass | Need::jacobian, T);
  for (int i = 0; i < dim.unilateral; ++i)
    if (!equilibrium.held[i]) T.G.set_row_zero(dim.bilateral + i);
  system.tangent(s, Vec::Zero(dim.v), s.lambda, Parts::force | Parts::constraint, D);

  if (count > 0 && T.M.is_sparse() && dim.v > small_enough && 4 * count < dim.v) {
    Modes lowest{.modes = lowest_modes(D.K, T.M, T.G, count), .eigenvalues = {}, .all = false};
    lowest.finite = !lowest.modes.empty();
    return lowest;
  }
  // motions x = L^-T Q y that the rows allow, with unit mass
  const Eigen::LLT<Mat> L(dense(T.M));
  Mat free = Mat::Identity(dim.v, dim.v);
  if (dim.rows() > 0) {
    const Eigen::ColPivHouseholderQR<Mat> qr(L.matrixL().solve(dense(T.G).transpose()));
    free = Mat(qr.householderQ()).rightCols(dim.v - qr.rank());
  }
  Modes result;
  if (free.cols() == 0) return result;
  const Mat basis = L.matrixU().solve(free);
  const Mat K = basis.transpose() * dense(D.K) * basis, damping = basis.transpose() * dense(D.D) * basis;
  const int n = static_cast<int>(K.rows());
  result.finite = K.allFinite() && damping.allFinite();
  if (!result.finite) return result;
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (K + K.transpose()));
  // squares that rounding makes are those of motions that nothing holds: the rounding of the stiffest springs, also of
  // those that rows hold, because the free motions leave the rows by some last digits
  const Mat sizes = basis.cwiseAbs().transpose() * dense(D.K).cwiseAbs() * basis.cwiseAbs();
  const Mat half = L.matrixL().solve(dense(D.K)), unit_mass = L.matrixL().solve(half.transpose());
  const double rounding = 4 * std::numeric_limits<double>::epsilon() *
                          std::max(sizes.rowwise().sum().maxCoeff(), unit_mass.cwiseAbs().rowwise().sum().maxCoeff());
  for (int i = 0; i < n; ++i) {
    NaturalMode& mode = result.modes.emplace_back();
    mode.square = std::abs(eigen.values[i]) <= rounding ? 0 : eigen.values[i];
    mode.shape = basis * eigen.vectors.col(i);
    int largest = 0;
    mode.shape.cwiseAbs().maxCoeff(&largest);
    mode.shape /= mode.shape[largest];
  }
  const bool conservative = damping.norm() <= little::rest * (1 + K.norm()) && (K - K.transpose()).norm() <= little::asymmetry * K.norm();
  if (conservative) return result;
  // motions that nothing holds or damps have the eigenvalue 0 twice, which rounding would drive apart: they stay out
  const Mat K_modes = eigen.vectors.transpose() * K * eigen.vectors;
  const Mat D_modes = eigen.vectors.transpose() * damping * eigen.vectors;
  const auto reach = [](const Mat& m, int i) { return std::max(m.row(i).lpNorm<1>(), m.col(i).lpNorm<1>()); };
  const double damping_rounding =
      4 * std::numeric_limits<double>::epsilon() *
      (basis.cwiseAbs().transpose() * dense(D.D).cwiseAbs() * basis.cwiseAbs()).rowwise().sum().maxCoeff();
  std::vector<int> moving;
  for (int i = 0; i < n; ++i)
    if (reach(K_modes, i) > n * rounding || reach(D_modes, i) > n * damping_rounding) moving.push_back(i);
  const int k = static_cast<int>(moving.size());
  Mat first_order = Mat::Zero(2 * k, 2 * k);
  first_order.topRightCorner(k, k).setIdentity();
  first_order.bottomLeftCorner(k, k) = -K_modes(moving, moving);
  first_order.bottomRightCorner(k, k) = -D_modes(moving, moving);
  if (k > 0) result.eigenvalues = escapement::eigenvalues(first_order);
  result.eigenvalues.resize(2 * static_cast<std::size_t>(n));  // zeros
  std::sort(result.eigenvalues.begin(), result.eigenvalues.end(), [](auto a, auto b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a.imag() < b.imag();
  });
  return result;
}

}  // namespace escapement
