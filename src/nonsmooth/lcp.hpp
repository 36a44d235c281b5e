// Lemke's complementary pivoting for  w = M z + q,  0 <= w perp z >= 0, with the lexicographic rule: no cycles,
// whatever ties the pivots have. Sized once, allocates nothing afterwards.
#pragma once

#include <vector>

namespace escapement::inline nonsmooth {

class Lcp {
 public:
  void reserve(int n);
  void resize(int n) { n_ = n; }  // n <= reserved; fill M and q before solve(), which leaves them as they are
  double& M(int i, int j) { return M_[i * n_ + j]; }
  double& q(int i) { return q_[i]; }

  // the number of pivots. Ends in a solution, on a ray, or at the limit of pivots: the caller judges what is found.
  // Another attempt takes another path (another covering vector), for when rounding has spoilt a decision
  int solve(int attempt = 0);
  double z(int i) const { return z_is_basic(i) ? T(place_[n_ + i], right_side()) : 0; }
  bool z_is_basic(int i) const { return place_[n_ + i] >= 0; }
  bool w_is_basic(int i) const { return place_[i] >= 0; }

 private:
  void start(int attempt);
  int first_row() const;
  int leaving_row(int column) const;
  bool lexicographically_less(int row, int other, int column) const;
  void pivot(int row, int column);

  double& T(int i, int j) { return tableau_[i * width() + j]; }
  double T(int i, int j) const { return tableau_[i * width() + j]; }
  int z0() const { return 2 * n_; }
  int right_side() const { return 2 * n_ + 1; }
  int width() const { return 2 * n_ + 2; }

  int n_ = 0;
  std::vector<double> M_, q_;
  std::vector<double> tableau_;     // n x (w, z, z0, right side), by rows
  std::vector<int> basis_, place_;  // column in the basis per row; row of each column, -1: not in the basis
};

}  // namespace escapement
