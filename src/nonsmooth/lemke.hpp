// Lemke's method with lexicographic pivoting. Equality rows are eliminated first; planar Coulomb friction is an exact LCP
// in the form of Anitescu and Potra (1997), whose matrix is copositive, so that the method ends in a solution whenever
// b comes from velocities of the bodies. The impulses are then recomputed from the active set it found.
#pragma once

#include "nonsmooth/active_set.hpp"
#include "nonsmooth/contact_solver.hpp"

namespace escapement {

class Lemke : public ContactSolver {
 public:
  void reserve(int rows) override;
  SolveReport solve(const ContactProblem&, Vec& P) override;

 private:
  // one variable z of the LCP  w = M z + q,  0 <= w perp z >= 0
  struct Variable {
    int contact_row;  // its row of the reduced problem, -1: multiplier of a friction cone
    double sign;      // of its impulse in that row
  };

  void scale(const ContactProblem&);
  void eliminate_equalities(const ContactProblem&);
  void make_lcp(const ContactProblem&);
  void start_tableau(int attempt);
  int pivots();  // negative: ended without a solution
  int leaving_row(int column) const;
  bool lexicographically_less(int row, int other, int column) const;
  void pivot(int row, int column);
  bool basic(int variable) const { return place_[variable] >= 0; }
  void read(const ContactProblem&, Vec& P);

  double& M(int i, int j) { return M_[i * size_ + j]; }
  double& T(int i, int j) { return tableau_[i * width() + j]; }
  double T(int i, int j) const { return tableau_[i * width() + j]; }
  int width() const { return 2 * size_ + 2; }
  int z0() const { return 2 * size_; }
  int right_side() const { return 2 * size_ + 1; }

  int capacity_ = 0;
  std::vector<double> d_;                 // per row: 1/sqrt(W_ii)
  double b_scale_ = 1;
  std::vector<int> equality_, contact_;   // rows of the problem
  std::vector<double> V_, c_, y_;         // reduced, scaled: xi = V P + c on the contact rows
  RankLu lu_;

  int size_ = 0;                          // variables of the LCP
  std::vector<Variable> variable_;
  std::vector<double> M_, q_;
  std::vector<double> tableau_;           // size x width: w, z, z0, right side
  std::vector<int> basis_, place_;        // column in the basis per row, and its inverse
  std::vector<Mode> mode_;
  ActiveSet set_;
  Vec trial_;
};

}  // namespace escapement
