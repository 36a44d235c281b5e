#include "nonsmooth/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "nonsmooth/complementarity.hpp"
#include "nonsmooth/small_problem.hpp"

namespace escapement::inline nonsmooth {

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
  const int n = cone.rows();
  if (n == 1) {
    const Velocity u = velocity(problem, row, P);
    const double w = problem.W(row, row);
    if (!(w > 0)) return 0;
    const double old = P[row];
    P[row] -= u.xi / w;
    project(cone, &P[row]);
    const double change = w * std::abs(P[row] - old);
    return change > 0 ? change / u.terms : 0;
  }
  double W[9], b[3], old[3], terms[3];
  for (int j = 0; j < n; ++j) {
    old[j] = P[row + j];
    for (int i = 0; i < n; ++i) W[n * j + i] = problem.W(row + i, row + j);
  }
  for (int i = 0; i < n; ++i) {
    const Velocity u = velocity(problem, row + i, P);
    b[i] = u.xi;
    terms[i] = u.terms;
    for (int j = 0; j < n; ++j) b[i] -= W[n * j + i] * old[j];
  }
  if (!(n == 2 ? solve_coulomb(cone, W, b, &P[row]) : solve_disc(cone, W, b, &P[row]))) {
    for (int k = 0; k < n; ++k) P[row + k] = old[k];
    return 0;
  }
  double largest = 0;
  for (int k = 0; k < n; ++k)
    if (const double change = W[n * k + k] * std::abs(P[row + k] - old[k]); change > 0) largest = std::max(largest, change / terms[k]);
  return largest;
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
