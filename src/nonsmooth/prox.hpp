// The fixed point iteration P <- proj_C(P - r xi) of [004] (13), all rows at once.
#pragma once

#include "nonsmooth/contact_solver.hpp"

namespace escapement::inline nonsmooth {

class Prox : public ContactSolver {
 public:
  void reserve(int rows) override;
  SolveReport solve(const ContactProblem&, Vec& P) override;

  int max_iterations = 20000;

 private:
  SolveReport iterate(const ContactProblem&, Vec& P);

  Vec xi_, r_;
};

}  // namespace escapement
