#include "nonsmooth/newton.hpp"

#include <algorithm>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline nonsmooth {

void NewtonIteration::reserve(int rows) {
  if (rows <= static_cast<int>(mode_.size())) return;
  set_.reserve(rows);
  mode_.resize(rows);
  history_.resize(static_cast<size_t>(max_iterations_) * rows);
  xi_.setZero(rows);
}

bool NewtonIteration::seen_before(int rows, int iterations) const {
  for (int k = 0; k < iterations; ++k)
    if (std::equal(mode_.begin(), mode_.begin() + rows, history_.begin() + k * rows)) return true;
  return false;
}

SolveReport NewtonIteration::run(const ContactProblem& problem, double tolerance, Vec& P) {
  const int n = problem.rows();
  reserve(problem.capacity());
  SolveReport report{false, std::numeric_limits<double>::infinity(), 0};
  while (report.iterations < max_iterations_ && !(report.residual <= little::right_set * n)) {
    velocities(problem, P, xi_);
    decide(problem, P, xi_, mode_);
    if (seen_before(n, report.iterations)) break;
    std::copy_n(mode_.begin(), n, history_.begin() + report.iterations * n);
    set_.solve(problem, mode_, P);
    ++report.iterations;
    report.residual = natural_residual(problem, P);
  }
  if (project(problem, P)) report.residual = natural_residual(problem, P);
  report.ok = report.residual <= tolerance;
  return report;
}

void Newton::reserve(int rows) {
  iteration_.reserve(rows);
  lemke_.reserve(rows);
}

SolveReport Newton::solve(const ContactProblem& problem, Vec& P) {
  if (problem.has_discs()) return discs_.solve(problem, tolerance, P);
  SolveReport report = iteration_.run(problem, tolerance, P);
  if (report.ok) return report;
  lemke_.tolerance = tolerance;
  const int iterations = report.iterations;
  report = lemke_.solve(problem, P);
  report.iterations += iterations;
  return report;
}

}  // namespace escapement
