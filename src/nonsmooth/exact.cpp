#include "nonsmooth/exact.hpp"

#include "nonsmooth/small_problem.hpp"

namespace escapement::inline nonsmooth {

void Exact::reserve(int rows) {
  newton_.reserve(rows);
  lemke_.reserve(rows);
  enumeration_.reserve(rows);
  if (rows > trial_.size()) trial_.setZero(rows);
}

SolveReport Exact::solve(const ContactProblem& problem, Vec& P) {
  SolveReport report;
  if (solve_small(problem, tolerance, P, report)) return report;
  return solve_larger(problem, P);
}

SolveReport Exact::solve_larger(const ContactProblem& problem, Vec& P) {
  reserve(problem.capacity());
  const int n = problem.rows();
  P.head(n).setZero();
  if (problem.has_discs()) return discs_.solve(problem, tolerance, P);
  SolveReport best = newton_.run(problem, tolerance, P);
  if (best.ok) return best;
  lemke_.tolerance = enumeration_.tolerance = tolerance;
  for (ContactSolver* solver : {static_cast<ContactSolver*>(&lemke_), static_cast<ContactSolver*>(&enumeration_)}) {
    const SolveReport report = solver->solve(problem, trial_);
    best.iterations += report.iterations;
    if (report.residual < best.residual) {
      best.ok = report.ok;
      best.residual = report.residual;
      P.head(n) = trial_.head(n);
    }
    if (best.ok) break;
  }
  return best;
}

}  // namespace escapement
