#include "nonsmooth/disc_newton.hpp"

#include <cmath>

#include "math/tolerances.hpp"
#include "nonsmooth/complementarity.hpp"

namespace escapement::inline nonsmooth {

namespace {
constexpr int most_iterations = 30, most_rounds = 6;
constexpr int patience = 8;  // iterations without a better result
constexpr int few_sweeps = 20;
}  // namespace

void DiscNewton::reserve(int rows) {
  if (rows <= xi_.size()) return;
  for (Vec* x : {&xi_, &phi_, &best_, &trial_}) x->setZero(rows);
  scale_.resize(rows);
  x_.resize(rows);
  lu_.reserve(rows);
}

bool DiscNewton::step(const ContactProblem& problem, Vec& P) {
  const int n = problem.rows();
  velocities(problem, P, xi_);
  for (int i = 0; i < n; ++i) scale_[i] = 1 / std::sqrt(weight(problem, i));
  lu_.resize(n);
  int row = 0;
  for (const Cone& cone : problem.cones) {
    const int rows = cone.rows();
    double w[3], r[3];
    weights(problem, cone, row, w);
    for (int k = 0; k < rows; ++k) r[k] = 1 / w[k];
    ConeDerivative d;
    derivative(cone, &P[row], &xi_[row], r, d);
    complementarity(cone, &P[row], &xi_[row], r, &phi_[row]);
    for (int k = 0; k < rows; ++k) {
      for (int j = 0; j < n; ++j) {
        double a = 0;
        for (int l = 0; l < rows; ++l) a += d.xi[k][l] * problem.W(row + l, j);
        if (j >= row && j < row + rows) a += d.P[k][j - row];
        lu_.at(row + k, j) = a / scale_[row + k] * scale_[j];
      }
      x_[row + k] = -phi_[row + k] / scale_[row + k];
    }
    row += rows;
  }
  lu_.factor();
  lu_.solve(x_.data());
  bool finite = true;
  for (int i = 0; i < n; ++i) {
    P[i] += scale_[i] * x_[i];
    finite = finite && std::isfinite(P[i]);
  }
  return finite;
}

SolveReport DiscNewton::run(const ContactProblem& problem, double tolerance, Vec& P) {
  const int n = problem.rows();
  best_.head(n) = P.head(n);
  project(problem, best_);
  SolveReport report{false, natural_residual(problem, best_), 0};
  int waited = 0;
  while (report.iterations < most_iterations && waited < patience && !(report.residual <= little::right_set * n)) {
    ++report.iterations;
    ++waited;
    if (!step(problem, P)) break;
    trial_.head(n) = P.head(n);
    project(problem, trial_);
    const double residual = natural_residual(problem, trial_);
    if (residual >= report.residual) {
      if (report.residual <= tolerance) break;  // rounding
      continue;
    }
    if (residual < 0.5 * report.residual) waited = 0;
    report.residual = residual;
    best_.head(n) = trial_.head(n);
  }
  P.head(n) = best_.head(n);
  report.ok = report.residual <= tolerance;
  return report;
}

SolveReport DiscNewton::solve(const ContactProblem& problem, double tolerance, Vec& P) {
  reserve(problem.capacity());
  SolveReport report = run(problem, tolerance, P);
  sweeps_.tolerance = tolerance;
  sweeps_.max_sweeps = few_sweeps;
  for (int round = 0; round < most_rounds && !report.ok; ++round) {
    const int before = report.iterations;
    if (round == 0) P.head(problem.rows()).setZero();
    report = sweeps_.solve(problem, P);
    if (!report.ok) report = run(problem, tolerance, P);
    report.iterations += before;
    sweeps_.max_sweeps *= 4;
  }
  return report;
}

}  // namespace escapement
