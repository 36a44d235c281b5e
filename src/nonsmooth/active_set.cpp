#include "nonsmooth/active_set.hpp"

#include <cmath>

namespace escapement::inline nonsmooth {

void ActiveSet::reserve(int rows) {
  if (rows <= static_cast<int>(free_.size())) return;
  free_.resize(rows);
  scale_.resize(rows);
  slip_row_.resize(rows);
  slip_factor_.resize(rows);
  x_.resize(rows);
  lu_.reserve(rows);
}

void ActiveSet::add_unknown(const ContactProblem& problem, int row) {
  free_[unknowns_] = row;
  scale_[unknowns_] = 1 / std::sqrt(weight(problem, row));
  slip_row_[unknowns_] = -1;
  slip_factor_[unknowns_] = 0;
  ++unknowns_;
}

void ActiveSet::collect(const ContactProblem& problem, const std::vector<RowMode>& mode) {
  unknowns_ = 0;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == Cone::Kind::equality) add_unknown(problem, row);
    row += cone.rows();
  }
  equalities_ = unknowns_;
  row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.normals() > 0 && mode[row] == RowMode::free) {
      add_unknown(problem, row);
      if (cone.kind == Cone::Kind::coulomb && mode[row + 1] != RowMode::free) {
        slip_row_[unknowns_ - 1] = row + 1;
        slip_factor_[unknowns_ - 1] = side(mode[row + 1]) * cone.mu;
      }
    }
    row += cone.rows();
  }
  normals_ = unknowns_ - equalities_;
  row = 0;
  for (const Cone& cone : problem.cones) {
    if (const int t = row + cone.normals(); cone.tangents() > 0 && mode[t] == RowMode::free) add_unknown(problem, t);
    row += cone.rows();
  }
}

// the equations of the free rows, with the impulses of sliding rows expressed by their normal impulse
void ActiveSet::factor(const ContactProblem& problem) {
  lu_.resize(unknowns_);
  for (int l = 0; l < unknowns_; ++l)
    for (int k = 0; k < unknowns_; ++k) {
      double a = problem.W(free_[k], free_[l]);
      if (slip_row_[l] >= 0) a += slip_factor_[l] * problem.W(free_[k], slip_row_[l]);
      lu_.at(k, l) = scale_[k] * a * scale_[l];
    }
  lu_.factor({equalities_, equalities_ + normals_});
}

double ActiveSet::velocity(const ContactProblem& problem, int row, const Vec& P) const {
  double xi = problem.b[row];
  for (int j = 0; j < problem.rows(); ++j) xi += problem.W(row, j) * P[j];
  return xi;
}

void ActiveSet::solve(const ContactProblem& problem, const std::vector<RowMode>& mode, Vec& P) {
  P.head(problem.rows()).setZero();
  refine(problem, mode, P);
}

void ActiveSet::refine(const ContactProblem& problem, const std::vector<RowMode>& mode, Vec& P) {
  collect(problem, mode);
  factor(problem);

  int row = 0;
  for (const Cone& cone : problem.cones) {
    const int t = row + cone.normals();
    if (cone.normals() > 0 && mode[row] == RowMode::lower) P[row] = 0;
    if (cone.tangents() > 0 && mode[t] != RowMode::free)
      P[t] = side(mode[t]) * (cone.mu * P[row] + cone.offset);
    row += cone.rows();
  }
  // the second round makes each row small against its own terms, however different the masses
  for (int round = 0; round < 2 && unknowns_ > 0; ++round) {
    for (int k = 0; k < unknowns_; ++k) x_[k] = -scale_[k] * velocity(problem, free_[k], P);
    lu_.solve(x_.data());
    for (int k = 0; k < unknowns_; ++k) {
      P[free_[k]] += scale_[k] * x_[k];
      if (slip_row_[k] >= 0) P[slip_row_[k]] += slip_factor_[k] * scale_[k] * x_[k];
    }
  }
}

}  // namespace escapement
