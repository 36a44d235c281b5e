#include "nonsmooth/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "nonsmooth/complementarity.hpp"
#include "nonsmooth/small_problem.hpp"

namespace escapement {

namespace {

struct Velocity {
  double xi, terms;
};

Velocity velocity(const ContactProblem& problem, int row, const Vec& P) {
  Velocity u{problem.b[row], std::abs(problem.b[row])};
  for (int j = 0; j < problem.rows(); ++j) {
    const double term = problem.W(row, j) * P[j];
    u.xi += term;
    u.terms += std::abs(term);
  }
  return u;
}

// one contact's impulses; returns the largest change of a row's velocity, relative to the terms of the row
double relax(const ContactProblem& problem, const Cone& cone, int row, Vec& P) {
  const Velocity u = velocity(problem, row, P);
  const double w = problem.W(row, row);
  if (cone.kind != Cone::Kind::coulomb) {
    if (!(w > 0)) return 0;
    const double old = P[row];
    P[row] -= u.xi / w;
    project(cone, &P[row]);
    const double change = w * std::abs(P[row] - old);
    return change > 0 ? change / u.terms : 0;
  }
  const Velocity s = velocity(problem, row + 1, P);
  const double W[4] = {w, problem.W(row + 1, row), problem.W(row, row + 1), problem.W(row + 1, row + 1)};
  const double old[2] = {P[row], P[row + 1]};
  const double b[2] = {u.xi - W[0] * old[0] - W[2] * old[1], s.xi - W[1] * old[0] - W[3] * old[1]};
  if (!solve_coulomb(cone, W, b, &P[row])) {
    P[row] = old[0];
    P[row + 1] = old[1];
    return 0;
  }
  const double normal = W[0] * std::abs(P[row] - old[0]), tangential = W[3] * std::abs(P[row + 1] - old[1]);
  return std::max(normal > 0 ? normal / u.terms : 0, tangential > 0 ? tangential / s.terms : 0);
}

}  // namespace

SolveReport GaussSeidel::sweep(const ContactProblem& problem, Vec& P) const {
  SolveReport report;
  project(problem, P);
  while (report.iterations < max_sweeps) {
    double change = 0;
    int row = 0;
    for (const Cone& cone : problem.cones) {
      change = std::max(change, relax(problem, cone, row, P));
      row += cone.rows();
    }
    ++report.iterations;
    // a small change is necessary, not sufficient; without any change nothing more will come
    if (!std::isfinite(change)) break;
    if (change <= tolerance && natural_residual(problem, P) <= 0.1 * tolerance) break;
    if (change == 0) break;
  }
  report.residual = natural_residual(problem, P);
  report.ok = report.residual <= tolerance;
  return report;
}

SolveReport GaussSeidel::solve(const ContactProblem& problem, Vec& P) {
  const bool guessed = !P.head(problem.rows()).isZero(0);
  SolveReport report = sweep(problem, P);
  if (report.ok || !guessed) return report;
  // impulses of opposed contacts against each other, once in the guess, never leave
  const int sweeps = report.iterations;
  P.head(problem.rows()).setZero();
  report = sweep(problem, P);
  report.iterations += sweeps;
  return report;
}

}  // namespace escapement
