// Moves a position onto g_b = 0, 0 <= g_u: q := q "plus" A^-1 G_d^T Psi with 0 <= g(q) perp Psi >= 0 on contacts, Psi free on
// joints. Directions G_d and metric A stay fixed while Psi is found, as in [004] (31)-(33).
#pragma once

#include <memory>
#include <vector>

#include "math/dense_lu.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "schemes/scheme.hpp"

namespace escapement {

class PositionCorrection {
 public:
  PositionCorrection() : solver_(make_contact_solver()) {}
  void start(const System&);
  // metric: nullptr is the Euclidean one; false: report says why
  bool apply(const System&, const Matrix& directions, const Matrix* metric, State& s, StepReport&);
  const Vec& psi() const { return psi_; }              // by row of G
  const Terms& terms() const { return T_; }            // at the corrected position

 private:
  int v_ = 0, rows_ = 0, bilateral_ = 0;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  DenseLu lu_;
  Terms T_;
  std::vector<Vec> response_;  // A^-1 of each direction
  std::vector<char> positional_;  // rows that have a position level
  std::vector<int> use_;          // rows of the correction: those with a direction and a position level
  Vec psi_, next_, dx_, q_;
};

}  // namespace escapement
