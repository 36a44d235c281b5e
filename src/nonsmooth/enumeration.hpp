// All active sets, one after the other: the last resort, and the oracle for the other solvers.
#pragma once

#include "nonsmooth/active_set.hpp"
#include "nonsmooth/contact_solver.hpp"

namespace escapement::inline nonsmooth {

class Enumeration : public ContactSolver {
 public:
  void reserve(int rows) override;
  SolveReport solve(const ContactProblem&, Vec& P) override;

  double max_sets = 1 << 16;  // not tried at all when there are more

 private:
  ActiveSet set_;
  std::vector<RowMode> mode_;
  Vec trial_;
};

}  // namespace escapement
