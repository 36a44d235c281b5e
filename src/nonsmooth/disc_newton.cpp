#include "nonsmooth/disc_newton.hpp"

#include <cmath>

#include "math/tolerances.hpp"
#include "nonsmooth/complementarity.hpp"

namespace escapement::inline nonsmooth {

namespace {
constexpr int most_iterations = 30;
constexpr int patience = 8;  // iterations without a better result
constexpr int few_sweeps = 20;
// of nearby problems: how fast others come nearer, or go back where one is not solved; with how many iterations that is so
constexpr double nearer = 4;
constexpr int few_iterations = 4, most_problems = 100;
}  // namespace

void DiscNewton::reserve(int rows) {
  if (rows <= xi_.size()) return;
  for (Vec* x : {&xi_, &phi_, &best_, &trial_, &next_, &about_}) x->setZero(rows);
  near_.reserve(rows);
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

// The method of multipliers. Where contacts can share what they carry in many ways, or slip as soon as they give some of it away,
// Newton's method wanders. With W + share diag(w) about the last impulses there is one way, found in a few steps; the share
// falls as long as that is easy, and what it takes away is taken back by the next one
SolveReport DiscNewton::approach(const ContactProblem& problem, double tolerance, Vec& P) {
  const int n = problem.rows();
  near_.clear();
  for (const Cone& cone : problem.cones) near_.add(cone);
  near_.noise = problem.noise;
  next_.head(n) = P.head(n);
  SolveReport report{false, natural_residual(problem, P), 0};
  double share = little::first_share;
  for (int k = 0; k < most_problems && !report.ok; ++k) {
    near_.W.topLeftCorner(n, n) = problem.W.topLeftCorner(n, n);
    int row = 0;
    for (const Cone& cone : problem.cones) {
      double w[3];
      weights(problem, cone, row, w);
      for (int i = 0; i < cone.rows(); ++i, ++row) {
        near_.W(row, row) += share * w[i];
        near_.b[row] = problem.b[row] - share * w[i] * next_[row];
      }
    }
    about_.head(n) = next_.head(n);
    const SolveReport near = run(near_, 0.1 * tolerance, next_);
    report.iterations += near.iterations;
    if (!near.ok) {
      next_.head(n) = about_.head(n);
      share *= nearer;
      continue;
    }
    if (near.iterations <= few_iterations) share /= nearer;
    const double residual = natural_residual(problem, next_);
    if (residual < report.residual) {
      report.residual = residual;
      P.head(n) = next_.head(n);
    }
    report.ok = report.residual <= tolerance;
  }
  return report;
}

SolveReport DiscNewton::solve(const ContactProblem& problem, double tolerance, Vec& P) {
  reserve(problem.capacity());
  sweeps_.tolerance = tolerance;
  sweeps_.max_sweeps = few_sweeps;
  SolveReport report = run(problem, tolerance, P);
  const auto then = [&](const SolveReport& next) { report = {next.ok, next.residual, report.iterations + next.iterations}; };
  if (!report.ok) {
    P.head(problem.rows()).setZero();
    then(sweeps_.solve(problem, P));
  }
  if (!report.ok) then(run(problem, tolerance, P));
  if (!report.ok) then(approach(problem, tolerance, P));
  return report;
}

}  // namespace escapement
