// Random contact problems of small mechanisms, as ugly as they come, and a judge of solutions that shares no code with
// the library.
#pragma once

#include <cmath>
#include <random>

#include "nonsmooth/contact_problem.hpp"

namespace escapement {

class RandomProblem {
 public:
  explicit RandomProblem(unsigned seed) : generator_(seed) {}

  struct Kind {
    int max_contacts = 5;
    bool friction = true;
    bool discs = false;  // friction in space
    bool equalities = true;
    bool dependent = true;   // copied, negated, added and zero rows
    double decades = 6;      // masses between 10^-decades and 10^decades
    bool consistent = true;  // b = G u: what velocities of bodies give, and then a solution exists
  };

  // fills the problem (W = G M^-1 G^T)
  void fill(const Kind& kind, ContactProblem& problem) {
    const int dof = integer(1, 6);
    inverse_mass.resize(dof);
    for (double& x : inverse_mass) x = std::pow(10.0, real(-kind.decades, kind.decades));
    problem.clear();
    const int contacts = integer(1, kind.max_contacts);
    for (int k = 0; k < contacts; ++k) problem.add(cone(kind));
    const int n = problem.rows();
    rows(kind, n, dof);
    problem.W.topLeftCorner(n, n) = G * Eigen::Map<Vec>(inverse_mass.data(), dof).asDiagonal() * G.transpose();
    u.resize(dof);
    for (int j = 0; j < dof; ++j) u[j] = real(-1, 1) * std::sqrt(inverse_mass[j]);
    problem.b.head(n) = G * u;
    if (!kind.consistent)
      for (int i = 0; i < n; ++i) problem.b[i] = chance(0.2) ? 0.0 : real(-1, 1);
  }

  double real(double from, double to) { return std::uniform_real_distribution<double>(from, to)(generator_); }
  int integer(int from, int to) { return std::uniform_int_distribution<int>(from, to)(generator_); }
  bool chance(double p) { return real(0, 1) < p; }

  // of the last problem: rows x degrees of freedom; velocities that b was made from
  Mat G;
  Vec u;
  std::vector<double> inverse_mass;

 private:
  Cone cone(const Kind& kind) {
    if (kind.equalities && chance(0.15)) return Cone::equality();
    if (kind.discs && chance(0.5)) return chance(0.2) ? Cone::interval(real(0, 1)) : Cone::disc(real(0, 1.5));
    if (kind.friction && chance(0.5))
      return Cone::coulomb(chance(0.1) ? 0.0 : real(0, 5), chance(0.1) ? real(0, 1) : 0.0);
    return Cone::non_negative();
  }

  void rows(const Kind& kind, int n, int dof) {
    G.resize(n, dof);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < dof; ++j) G(i, j) = chance(0.3) ? 0.0 : chance(0.3) ? integer(-1, 1) : real(-1, 1);
    if (!kind.dependent) return;
    for (int i = 1; i < n; ++i) {
      const int other = integer(0, i - 1), third = integer(0, i - 1);
      const double what = real(0, 1);
      if (what < 0.1) G.row(i) = G.row(other);
      if (what >= 0.1 && what < 0.2) G.row(i) = -G.row(other);
      if (what >= 0.2 && what < 0.3) G.row(i) = real(-1, 1) * G.row(other) + real(-1, 1) * G.row(third);
      if (what >= 0.3 && what < 0.35) G.row(i).setZero();
      if (what >= 0.35 && what < 0.4) G.row(i) = (1 + 1e-9) * G.row(other);
    }
  }

  std::mt19937 generator_;
};

// does P solve the problem, each row to a tolerance relative to the terms it sums? What is small must be small against
// the velocities of the problem, too: large impulses against each other prove nothing
inline bool is_solution(const ContactProblem& problem, const Vec& P, double tolerance = 1e-9) {
  const int n = problem.rows();
  long double fastest = 0;  // over rows, in units of sqrt(energy)
  for (int i = 0; i < n; ++i)
    fastest = std::max(fastest, std::abs(problem.b[i]) /
                                    std::sqrt(problem.W(i, i) > 0 ? static_cast<long double>(problem.W(i, i)) : 1));
  int row = 0;
  for (const Cone& cone : problem.cones) {
    long double xi[3], tiny[3], force[3];
    for (int k = 0; k < cone.rows(); ++k) {
      xi[k] = problem.b[row + k];
      tiny[k] = std::abs(xi[k]);
      for (int j = 0; j < n; ++j) {
        const long double term = static_cast<long double>(problem.W(row + k, j)) * P[j];
        xi[k] += term;
        tiny[k] += std::abs(term);
      }
      // the velocity the row's own impulse makes; a row that moves nothing is asked about its impulse itself
      const long double w = problem.W(row + k, row + k) > 0 ? problem.W(row + k, row + k) : 1;
      force[k] = w * P[row + k];
      tiny[k] = std::min(tiny[k], 2000 * std::sqrt(w) * fastest) * tolerance + problem.noise + 1e-300L;
      if (!std::isfinite(P[row + k])) return false;
    }
    if (cone.kind == Cone::Kind::equality) {
      if (std::abs(xi[0]) > tiny[0]) return false;
    } else if (cone.kind != Cone::Kind::interval) {
      if (P[row] < 0 || xi[0] < -tiny[0]) return false;
      if (force[0] > tiny[0] && xi[0] > tiny[0]) return false;
    }
    if (cone.kind == Cone::Kind::coulomb) {
      const double w = problem.W(row + 1, row + 1) > 0 ? problem.W(row + 1, row + 1) : 1;
      const long double bound = w * (static_cast<long double>(cone.mu) * P[row] + cone.offset);
      if (std::abs(force[1]) > bound * (1 + 1e-12L)) return false;
      if (bound - force[1] > tiny[1] + 1e-14L * bound && xi[1] < -tiny[1]) return false;  // slips back: the friction must be at its most
      if (bound + force[1] > tiny[1] + 1e-14L * bound && xi[1] > tiny[1]) return false;
    }
    if (cone.kind == Cone::Kind::interval) {
      const double w = problem.W(row, row) > 0 ? problem.W(row, row) : 1;
      const long double bound = w * static_cast<long double>(cone.offset);
      if (std::abs(force[0]) > bound * (1 + 1e-12L)) return false;
      if (bound - force[0] > tiny[0] + 1e-14L * bound && xi[0] < -tiny[0]) return false;
      if (bound + force[0] > tiny[0] + 1e-14L * bound && xi[0] > tiny[0]) return false;
    }
    if (cone.kind == Cone::Kind::disc) {
      // as velocities by the mean of both rows: friction within its disc, and opposite to the slip at its edge where it slips
      const long double w = 0.5L * (problem.W(row + 1, row + 1) + problem.W(row + 2, row + 2)), small = std::max(tiny[1], tiny[2]);
      const long double t[2] = {w * P[row + 1], w * P[row + 2]}, size = std::hypot(t[0], t[1]);
      const long double bound = w * (static_cast<long double>(cone.mu) * P[row] + cone.offset);
      const long double speed = std::hypot(xi[1], xi[2]);
      if (size > bound * (1 + 1e-12L) + small) return false;
      if (speed > small) {
        // at the edge, and opposite: the slip has nothing across friction, or friction nothing across the slip
        const long double nothing = 3 * small + 1e-14L * bound;
        if (size < bound - nothing || xi[1] * t[0] + xi[2] * t[1] > nothing * std::max(size, speed)) return false;
        const long double area = std::abs(xi[1] * t[1] - xi[2] * t[0]);
        if (area > nothing * speed && area > nothing * size) return false;
      }
    }
    row += cone.rows();
  }
  return true;
}

}  // namespace escapement
