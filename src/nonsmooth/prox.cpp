#include "nonsmooth/prox.hpp"

#include <algorithm>
#include <cmath>

#include "nonsmooth/complementarity.hpp"

namespace escapement::inline nonsmooth {

namespace {
constexpr int check_every = 8;  // the residual costs more than an iteration
}

void Prox::reserve(int rows) {
  if (rows <= xi_.size()) return;
  xi_.setZero(rows);
  r_.setZero(rows);
}

SolveReport Prox::iterate(const ContactProblem& problem, Vec& P) {
  SolveReport report;
  project(problem, P);
  while (report.iterations < max_iterations) {
    velocities(problem, P, xi_);
    for (int i = 0; i < problem.rows(); ++i) P[i] -= r_[i] * xi_[i];
    project(problem, P);  // [004] (13)
    ++report.iterations;
    if (report.iterations % check_every == 0 && natural_residual(problem, P) <= 0.1 * tolerance) break;
  }
  report.residual = natural_residual(problem, P);
  report.ok = report.residual <= tolerance;
  return report;
}

SolveReport Prox::solve(const ContactProblem& problem, Vec& P) {
  const int n = problem.rows();
  reserve(problem.capacity());
  // with the sum of the row, the eigenvalues of r W lie in [0, 1]: no step overshoots
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += std::abs(problem.W(i, j));
    r_[i] = sum > 0 ? 1 / sum : 1;
  }
  int row = 0;
  for (const Cone& cone : problem.cones) {  // no direction of a disc counts more than another
    if (cone.kind == Cone::Kind::disc) r_[row + 1] = r_[row + 2] = std::min(r_[row + 1], r_[row + 2]);
    row += cone.rows();
  }
  const bool guessed = !P.head(n).isZero(0);
  SolveReport report = iterate(problem, P);
  if (report.ok || !guessed) return report;
  // impulses of opposed contacts against each other, once in the guess, never leave
  const int iterations = report.iterations;
  P.head(n).setZero();
  report = iterate(problem, P);
  report.iterations += iterations;
  return report;
}

}  // namespace escapement
