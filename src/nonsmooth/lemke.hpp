// Lemke's method on the whole problem. Equality rows are eliminated first; planar Coulomb friction is an exact LCP in
// the form of Anitescu and Potra (1997), whose matrix is copositive, so that the method ends in a solution whenever b
// comes from velocities of the bodies. The impulses are then recomputed from the active set it found. Discs are no linear
// problem: with them it finds nothing, and says so.
#pragma once

#include "nonsmooth/active_set.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "nonsmooth/lcp.hpp"

namespace escapement::inline nonsmooth {

class Lemke : public ContactSolver {
 public:
  void reserve(int rows) override;
  SolveReport solve(const ContactProblem&, Vec& P) override;

 private:
  // what one variable z of the LCP does
  struct Variable {
    int contact_row;  // its row of the reduced problem, -1: multiplier of a friction cone
    double sign;      // of its impulse in that row
  };

  void scale(const ContactProblem&);
  void eliminate_equalities(const ContactProblem&);
  void make_lcp(const ContactProblem&);
  void add_friction(const ContactProblem&);
  void read(const ContactProblem&, Vec& P);

  int capacity_ = 0;
  std::vector<double> d_;  // per row: 1/sqrt(W_ii)
  double b_scale_ = 1;
  std::vector<int> equality_, contact_;  // rows of the problem
  std::vector<double> V_, c_, y_;        // reduced, scaled: xi = V P + c on the contact rows
  RankLu lu_;
  std::vector<Variable> variable_;
  Lcp lcp_;
  std::vector<RowMode> mode_;
  ActiveSet set_;
  Vec trial_;
};

}  // namespace escapement
