#include "nonsmooth/small_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nonsmooth/complementarity.hpp"

namespace escapement::inline nonsmooth {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// N non-negative rows; a set is a bit mask of the rows with xi = 0
template <int N>
class Rows {
 public:
  explicit Rows(const ContactProblem& problem)
      : W_(problem.W.data()), stride_(problem.W.outerStride()), b_(problem.b.data()), noise_(problem.noise) {}

  // exchange all wrong rows at once until the set stays; where that returns to an earlier set, try them all
  bool solve(double tolerance, double* P, SolveReport& report) {
    if constexpr (N <= 2) {
      if (obvious(P)) {
        report.iterations = 1;
        return accept(tolerance, P, report);
      }
    }
    return exchange(tolerance, P, report);
  }

 private:
  [[gnu::noinline]] bool exchange(double tolerance, double* P, SolveReport& report) {
    unsigned set = 0, seen = 0;
    for (int i = 0; i < N; ++i) set |= unsigned(b_[i] < -noise_) << i;
    while (!(seen >> set & 1u)) {
      seen |= 1u << set;
      ++report.iterations;
      impulses(set, P);
      const unsigned next = correction(set, P);
      if (next == set) return accept(tolerance, P, report);
      set = next;
    }
    return try_all(tolerance, P, report);
  }

  double W(int i, int j) const { return W_[j * stride_ + i]; }

  // one or two rows where no decision is near rounding
  bool obvious(double* P) {
    constexpr int i = 0, j = N - 1;
    const double alone_i = -b_[i] / W(i, i), alone_j = -b_[j] / W(j, j);
    if (b_[i] >= -noise_ && b_[j] >= -noise_) {
      P[i] = P[j] = 0;
    } else if (b_[i] < 0 && (N == 1 || b_[j] + W(j, i) * alone_i > 0)) {
      P[j] = 0;
      P[i] = alone_i;
    } else if (b_[j] < 0 && b_[i] + W(i, j) * alone_j > 0) {
      P[i] = 0;
      P[j] = alone_j;
    } else {
      P[i] = P[j] = 0;
      pair(i, j, P);
      if (!(P[i] > 0 && P[j] > 0)) return false;
    }
    for (int k = 0; k < N; ++k) {
      const double first = W(k, i) * P[i], second = N == 1 ? 0 : W(k, j) * P[j];
      xi_[k] = b_[k] + first + second;
      terms_[k] = std::abs(first) + std::abs(second);
    }
    return true;
  }

  // W_AA P_A = -b_A; a row that depends on those before it carries nothing
  void impulses(unsigned set, double* P) {
    count_ = 0;
    for (int i = 0; i < N; ++i) {
      P[i] = 0;
      if (set >> i & 1u) index_[count_++] = i;
    }
    if (count_ == 1) {
      const int i = index_[0];
      if (W(i, i) > 0) P[i] = -b_[i] / W(i, i);
    } else if (N >= 2 && count_ == 2) {
      pair(index_[0], index_[N >= 2], P);
    } else if (count_ > 2) {
      eliminate(P);
    }
  }

  void pair(int i, int j, double* P) const {
    const double factor = W(j, i) / W(i, i);
    const double pivot = W(j, j) - factor * W(i, j);
    if (pivot > dependent * W(j, j)) P[j] = (factor * b_[i] - b_[j]) / pivot;
    if (W(i, i) > 0) P[i] = -(b_[i] + W(i, j) * P[j]) / W(i, i);
  }

  [[gnu::noinline]] void eliminate(double* P) const {
    double a[N][N], x[N];
    for (int k = 0; k < count_; ++k) {
      for (int l = 0; l < count_; ++l) a[k][l] = W(index_[k], index_[l]);
      x[k] = -b_[index_[k]];
    }
    for (int k = 0; k < count_; ++k) {
      if (!(a[k][k] > dependent * W(index_[k], index_[k]))) {
        for (int l = 0; l < count_; ++l) a[k][l] = a[l][k] = 0;
        a[k][k] = 1;
        x[k] = 0;
      }
      for (int i = k + 1; i < count_; ++i) {
        const double factor = a[i][k] / a[k][k];
        for (int j = k + 1; j < count_; ++j) a[i][j] -= factor * a[k][j];
        x[i] -= factor * x[k];
      }
    }
    for (int k = count_ - 1; k >= 0; --k) {
      for (int l = k + 1; l < count_; ++l) x[k] -= a[k][l] * x[l];
      P[index_[k]] = x[k] /= a[k][k];
    }
  }

  // the set without rows that pull and with rows that would penetrate by more than rounding
  unsigned correction(unsigned set, const double* P) {
    for (int i = 0; i < N; ++i) {
      xi_[i] = b_[i];
      terms_[i] = 0;
    }
    for (int k = 0; k < count_; ++k) {
      const double* column = W_ + index_[k] * stride_;
      const double p = P[index_[k]];
      for (int i = 0; i < N; ++i) {
        const double term = column[i] * p;
        xi_[i] += term;
        terms_[i] += std::abs(term);
      }
    }
    unsigned next = 0;
    for (int i = 0; i < N; ++i) {
      const bool in = set >> i & 1u ? P[i] >= 0 : xi_[i] < -(16 * epsilon * (terms_[i] + std::abs(b_[i])) + noise_);
      next |= unsigned(in) << i;
    }
    return next;
  }

  // natural_residual() from what correction() has computed
  bool accept(double tolerance, const double* P, SolveReport& report) const {
    double worst = 0;
    bool finite = true;
    for (int i = 0; i < N; ++i) {
      const double b = std::abs(b_[i]), own = weight(i) * P[i];
      const double violation = std::max(0.0, std::abs(own < xi_[i] ? own : xi_[i]) - noise_);
      // most rows are in the simple case of row_residual()
      const double residual = terms_[i] < 1000 * b ? violation / (b + terms_[i]) : hard_residual(i, violation);
      worst = std::max(worst, residual);
      finite &= xi_[i] - xi_[i] == 0;
    }
    report.residual = worst;
    return report.ok = finite && worst <= tolerance;
  }

  double weight(int i) const { return W(i, i) > 0 ? W(i, i) : 1.0; }

  [[gnu::noinline]] double hard_residual(int row, double violation) const {
    double energy = 0;
    for (int i = 0; i < N; ++i) energy = std::max(energy, b_[i] * b_[i] / weight(i));
    return row_residual(violation, std::abs(b_[row]), terms_[row], weight(row), energy);
  }

  [[gnu::cold, gnu::noinline]] bool try_all(double tolerance, double* P, SolveReport& report) {
    for (unsigned set = 0; set < 1u << N; ++set) {
      ++report.iterations;
      impulses(set, P);
      if (correction(set, P) == set && accept(tolerance, P, report)) return true;
    }
    return false;
  }

  static constexpr double dependent = 64 * epsilon;  // pivot over diagonal entry
  const double* const W_;
  const Eigen::Index stride_;
  const double* const b_;
  const double noise_;
  int count_ = 0, index_[N];  // rows of the set
  double xi_[N], terms_[N];
};

template <int N>
[[gnu::noinline]] bool solve_rows(const ContactProblem& problem, double tolerance, Vec& P, SolveReport& report) {
  return Rows<N>(problem).solve(tolerance, P.data(), report);
}

bool all_non_negative(const ContactProblem& problem) {
  for (const Cone& cone : problem.cones)
    if (cone.kind != Cone::Kind::non_negative) return false;
  return true;
}

bool one_coulomb(const ContactProblem& problem, double tolerance, Vec& P, SolveReport& report) {
  const double W[4] = {problem.W(0, 0), problem.W(1, 0), problem.W(0, 1), problem.W(1, 1)};
  if (!solve_coulomb(problem.cones[0], W, problem.b.data(), P.data())) return false;
  report.iterations = 1;
  report.residual = natural_residual(problem, P);
  return report.ok = report.residual <= tolerance;
}

bool one_disc(const ContactProblem& problem, double tolerance, Vec& P, SolveReport& report) {
  double W[9];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) W[3 * j + i] = problem.W(i, j);
  if (!solve_disc(problem.cones[0], W, problem.b.data(), P.data())) return false;
  report.iterations = 1;
  report.residual = natural_residual(problem, P);
  return report.ok = report.residual <= tolerance;
}

bool one_interval(const ContactProblem& problem, double tolerance, Vec& P, SolveReport& report) {
  const double bound = problem.cones[0].offset, w = problem.W(0, 0);
  P[0] = w > 0 ? std::clamp(-problem.b[0] / w, -bound, bound) : 0;
  report.iterations = 1;
  report.residual = natural_residual(problem, P);
  return report.ok = report.residual <= tolerance;
}

// Friction that is slowed by a > 0: P_t = -(S + a)^-1 c, so that the slip is -a P_t. The a at which |P_t| is what `limit` of it
// allows, between 0, where it is more, and infinity, where it is less
template <class Limit>
bool slide(const double S[4], const double c[2], const Limit& limit, double P[2]) {
  const auto excess = [&](double a) {
    const double s00 = S[0] + a, s11 = S[3] + a, det = s00 * s11 - S[1] * S[2];
    P[0] = -(s11 * c[0] - S[2] * c[1]) / det;
    P[1] = -(s00 * c[1] - S[1] * c[0]) / det;
    return std::hypot(P[0], P[1]) - limit(P);
  };
  double low = 0, high = std::max(S[0], S[3]);
  if (!(high > 0)) return false;
  double below = excess(low), above = excess(high);
  for (int i = 0; above > 0; ++i, high *= 4) {
    if (i == 200) return false;
    low = high;
    below = above;
    above = excess(4 * high);
  }
  // regula falsi with the ends' weights halved (Illinois)
  for (int i = 0; i < 200 && above < 0; ++i) {
    double a = std::isfinite(below) ? (low * above - high * below) / (above - below) : 0.5 * (low + high);
    if (!(a > low && a < high)) a = 0.5 * (low + high);
    const double f = excess(a);
    if (f == 0 || high - low <= 4 * epsilon * high) break;
    if (f > 0) {
      low = a;
      below = f;
      above *= 0.5;
    } else {
      high = a;
      above = f;
      below *= 0.5;
    }
  }
  return std::isfinite(P[0]) && std::isfinite(P[1]);
}

}  // namespace

bool solve_small(const ContactProblem& problem, double tolerance, Vec& P, SolveReport& report) {
  const int n = problem.rows();
  if (n == 0) return report.ok = true;
  if (n > 4) return false;
  if (n == 2 && problem.cones.size() == 1) return one_coulomb(problem, tolerance, P, report);
  if (n == 3 && problem.cones.size() == 1) return one_disc(problem, tolerance, P, report);
  if (n == 1 && problem.cones[0].kind == Cone::Kind::interval) return one_interval(problem, tolerance, P, report);
  if (!all_non_negative(problem)) return false;
  switch (n) {
    case 1:
      return solve_rows<1>(problem, tolerance, P, report);
    case 2:
      return solve_rows<2>(problem, tolerance, P, report);
    case 3:
      return solve_rows<3>(problem, tolerance, P, report);
    default:
      return solve_rows<4>(problem, tolerance, P, report);
  }
}

bool solve_coulomb(const Cone& cone, const double W[4], const double b[2], double P[2]) {
  const double Wnn = W[0], Wtn = W[1], Wnt = W[2], Wtt = W[3];

  // open: only the friction that needs no normal impulse
  P[0] = 0;
  P[1] = Wtt > 0 ? std::clamp(-b[1] / Wtt, -cone.offset, cone.offset) : 0;
  if (b[0] + Wnt * P[1] >= -16 * epsilon * std::abs(Wnt * P[1])) return true;

  // stick
  const double det = Wnn * Wtt - Wnt * Wtn;
  if (det > 64 * epsilon * Wnn * Wtt) {
    P[0] = (Wnt * b[1] - Wtt * b[0]) / det;
    P[1] = (Wtn * b[0] - Wnn * b[1]) / det;
    if (P[0] >= 0 && std::abs(P[1]) <= cone.mu * P[0] + cone.offset) return true;
  }
  // slip, the friction on one side of its cone: it must not push along
  for (const double s : {-1.0, 1.0}) {
    P[0] = -(b[0] + s * cone.offset * Wnt) / (Wnn + s * cone.mu * Wnt);
    P[1] = s * (cone.mu * P[0] + cone.offset);
    const double slip = b[1] + Wtn * P[0] + Wtt * P[1];
    const double tiny = 16 * epsilon * (std::abs(b[1]) + std::abs(Wtn * P[0]) + std::abs(Wtt * P[1]));
    if (P[0] >= 0 && s * slip <= tiny && std::isfinite(P[0])) return true;
  }
  P[0] = P[1] = 0;
  return false;
}

bool solve_disc(const Cone& cone, const double W[9], const double b[3], double P[3]) {
  const auto w = [&](int i, int j) { return W[3 * j + i]; };
  const double S[4] = {w(1, 1), w(2, 1), w(1, 2), w(2, 2)};
  // open: only the friction that needs no normal impulse
  P[0] = P[1] = P[2] = 0;
  if (cone.offset > 0) {
    const double det = S[0] * S[3] - S[1] * S[2];
    const double stick[2] = {-(S[3] * b[1] - S[2] * b[2]) / det, -(S[0] * b[2] - S[1] * b[1]) / det};
    if (std::hypot(stick[0], stick[1]) <= cone.offset) {
      P[1] = stick[0];
      P[2] = stick[1];
    } else if (!slide(S, b + 1, [&](const double*) { return cone.offset; }, P + 1)) {
      return false;
    }
  }
  const double pulled = w(0, 1) * P[1] + w(0, 2) * P[2];
  if (b[0] + pulled >= -16 * epsilon * std::abs(pulled)) return true;

  // the tangential rows with the normal one eliminated: it is closed, P_n = -(b_n + W_nt P_t) / W_nn
  const double n = w(0, 0);
  if (!(n > 0)) return false;
  const auto normal = [&](const double* Pt) { return -(b[0] + w(0, 1) * Pt[0] + w(0, 2) * Pt[1]) / n; };
  const double T[4] = {S[0] - w(1, 0) * w(0, 1) / n, S[1] - w(2, 0) * w(0, 1) / n, S[2] - w(1, 0) * w(0, 2) / n, S[3] - w(2, 0) * w(0, 2) / n};
  const double c[2] = {b[1] - w(1, 0) * b[0] / n, b[2] - w(2, 0) * b[0] / n};
  const double det = T[0] * T[3] - T[1] * T[2];
  if (det > 64 * epsilon * std::abs(S[0] * S[3])) {
    P[1] = -(T[3] * c[0] - T[2] * c[1]) / det;
    P[2] = -(T[0] * c[1] - T[1] * c[0]) / det;
    P[0] = normal(P + 1);
    if (P[0] >= 0 && std::hypot(P[1], P[2]) <= cone.mu * P[0] + cone.offset) return true;
  }
  const bool found = slide(T, c, [&](const double* Pt) { return cone.mu * normal(Pt) + cone.offset; }, P + 1);
  if (found) P[0] = normal(P + 1);
  if (found && P[0] >= 0 && std::isfinite(P[0])) {
    // friction exactly at its limit
    const double size = std::hypot(P[1], P[2]), bound = cone.mu * P[0] + cone.offset;
    for (int k = 1; k < 3 && size > 0; ++k) P[k] *= bound / size;
    return true;
  }
  P[0] = P[1] = P[2] = 0;
  return false;
}

}  // namespace escapement
