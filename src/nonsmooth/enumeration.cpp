#include "nonsmooth/enumeration.hpp"

#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline nonsmooth {

namespace {


double count_sets(const ContactProblem& problem) {
  double sets = 1;
  for (const Cone& cone : problem.cones) sets *= (cone.normals() > 0 ? 2 : 1) * (cone.frictional() ? 3 : 1);
  return sets;
}

bool advance(RowMode& mode, RowMode last) {
  if (mode == last) {
    mode = RowMode::lower;
    return false;
  }
  mode = static_cast<RowMode>(static_cast<int>(mode) + 1);
  return true;
}

// like a counter, one digit per row that has a choice; false after the last set
bool next_set(const ContactProblem& problem, std::vector<RowMode>& mode) {
  int row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.normals() > 0 && advance(mode[row], RowMode::free)) return true;
    if (cone.frictional() && advance(mode[row + cone.normals()], RowMode::upper)) return true;
    row += cone.rows();
  }
  return false;
}

}  // namespace

void Enumeration::reserve(int rows) {
  if (rows <= static_cast<int>(mode_.size())) return;
  set_.reserve(rows);
  mode_.resize(rows);
  trial_.setZero(rows);
}

SolveReport Enumeration::solve(const ContactProblem& problem, Vec& P) {
  reserve(problem.capacity());
  const int n = problem.rows();
  SolveReport report{false, std::numeric_limits<double>::infinity(), 0};
  P.head(n).setZero();
  if (problem.has_discs() || count_sets(problem) > max_sets) return report;

  int row = 0;
  for (const Cone& cone : problem.cones) {
    mode_[row] = cone.kind == Cone::Kind::equality ? RowMode::free : RowMode::lower;
    if (cone.tangents() > 0) mode_[row + cone.normals()] = RowMode::lower;
    row += cone.rows();
  }
  do {
    set_.solve(problem, mode_, trial_);
    project(problem, trial_);
    ++report.iterations;
    const double residual = natural_residual(problem, trial_);
    if (residual < report.residual) {
      report.residual = residual;
      P.head(n) = trial_.head(n);
    }
  } while (report.residual > little::right_set * n && next_set(problem, mode_));
  report.ok = report.residual <= tolerance;
  return report;
}

}  // namespace escapement
