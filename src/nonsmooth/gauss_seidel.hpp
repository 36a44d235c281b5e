// Projected Gauss-Seidel: one contact after the other is solved exactly, with the others' impulses as they are.
#pragma once

#include "nonsmooth/contact_solver.hpp"

namespace escapement::inline nonsmooth {

class GaussSeidel : public ContactSolver {
 public:
  void reserve(int) override {}
  SolveReport solve(const ContactProblem&, Vec& P) override;

  int max_sweeps = 10000;

 private:
  SolveReport sweep(const ContactProblem&, Vec& P) const;
};

}  // namespace escapement
