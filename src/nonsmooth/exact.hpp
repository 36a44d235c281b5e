// The default: direct formulas for the smallest problems, then semismooth Newton from P = 0, then pivoting, then all
// sets. With discs, which have no sets, it is Newton's method and sweeps. The result does not depend on the guess.
#pragma once

#include "nonsmooth/contact_solver.hpp"
#include "nonsmooth/disc_newton.hpp"
#include "nonsmooth/enumeration.hpp"
#include "nonsmooth/lemke.hpp"
#include "nonsmooth/newton.hpp"

namespace escapement::inline nonsmooth {

class Exact : public ContactSolver {
 public:
  void reserve(int rows) override;
  SolveReport solve(const ContactProblem&, Vec& P) override;

 private:
  SolveReport solve_larger(const ContactProblem&, Vec& P);

  NewtonIteration newton_;
  DiscNewton discs_;
  Lemke lemke_;
  Enumeration enumeration_;
  Vec trial_;
};

}  // namespace escapement
