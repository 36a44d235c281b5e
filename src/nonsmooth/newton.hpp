// Semismooth Newton on the complementarity function of Alart and Curnier. In the plane that function is piecewise
// linear, so a step is the solution of the present active set, and the iteration ends when the set repeats.
#pragma once

#include "nonsmooth/active_set.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "nonsmooth/disc_newton.hpp"
#include "nonsmooth/lemke.hpp"

namespace escapement::inline nonsmooth {

// the iteration alone: from P, or from P = 0, to a solution or to a cycle of sets
class NewtonIteration {
 public:
  void reserve(int rows);
  SolveReport run(const ContactProblem&, double tolerance, Vec& P);

 private:
  bool seen_before(int rows, int iterations) const;

  static constexpr int max_iterations_ = 50;
  ActiveSet set_;
  std::vector<RowMode> mode_;     // rows
  std::vector<RowMode> history_;  // max_iterations x rows
  Vec xi_;
};

// with pivoting as the way out of a cycle; discs have a method of their own
class Newton : public ContactSolver {
 public:
  void reserve(int rows) override;
  SolveReport solve(const ContactProblem&, Vec& P) override;

 private:
  NewtonIteration iteration_;
  DiscNewton discs_;
  Lemke lemke_;
};

}  // namespace escapement
