// The linear problem behind an active set: with the mode of every row decided, P follows from xi = 0 on the free rows.
// One step of the semismooth Newton iteration, and the last step of every pivoting method. Without discs, whose direction no
// mode knows.
#pragma once

#include <vector>

#include "nonsmooth/complementarity.hpp"
#include "nonsmooth/rank_lu.hpp"

namespace escapement::inline nonsmooth {

class ActiveSet {
 public:
  void reserve(int rows);
  // P on its bounds where the mode says so, xi = 0 elsewhere; of dependent rows only as many as the rank carry
  // impulses, equality rows before normal ones before tangential ones. P need not satisfy the inequalities: that is for
  // natural_residual() to tell
  void solve(const ContactProblem&, const std::vector<RowMode>& mode, Vec& P);
  // the same from a P that is right up to rounding on all contacts (equality rows may be anything): dependent rows keep
  // the share they have
  void refine(const ContactProblem&, const std::vector<RowMode>& mode, Vec& P);

 private:
  void collect(const ContactProblem&, const std::vector<RowMode>& mode);
  void add_unknown(const ContactProblem&, int row);
  void factor(const ContactProblem&);
  double velocity(const ContactProblem&, int row, const Vec& P) const;

  int unknowns_ = 0, equalities_ = 0, normals_ = 0;  // equality rows first, then normal, then tangential rows
  std::vector<int> free_;                            // row of each unknown
  std::vector<double> scale_;                        // per unknown: 1/sqrt(W_ii)
  std::vector<int> slip_row_;                        // per unknown: tangential row at its bound, -1: none
  std::vector<double> slip_factor_;                  // P of that row per P of the unknown: +-mu
  std::vector<double> x_;
  RankLu lu_;
};

}  // namespace escapement
