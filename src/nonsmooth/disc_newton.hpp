// Semismooth Newton on the complementarity function of Alart and Curnier with friction in space. Discs are round: a step is
// the solution of a linear problem, not of an active set, and the end is quadratic.
#pragma once

#include "nonsmooth/contact_solver.hpp"
#include "nonsmooth/gauss_seidel.hpp"
#include "nonsmooth/rank_lu.hpp"

namespace escapement::inline nonsmooth {

class DiscNewton {
 public:
  void reserve(int rows);
  // from P, then from what some sweeps of Gauss-Seidel make of it, then through nearby problems
  SolveReport solve(const ContactProblem&, double tolerance, Vec& P);

 private:
  SolveReport run(const ContactProblem&, double tolerance, Vec& P);
  SolveReport approach(const ContactProblem&, double tolerance, Vec& P);
  bool step(const ContactProblem&, Vec& P);  // false: not finite

  Vec xi_, phi_, best_, trial_, next_, about_;
  ContactProblem near_;
  std::vector<double> scale_;  // per row: 1/sqrt(W_ii)
  std::vector<double> x_;
  RankLu lu_;
  GaussSeidel sweeps_;
};

}  // namespace escapement
