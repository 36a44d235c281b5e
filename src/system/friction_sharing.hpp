// Contacts that stick may hold more than the motion asks of them: a box on four corners. Nothing but their limits says then how
// they share its friction. Of all forces L on the rows T with the same T^T L these are the ones with the least sum of L_i^2/w_i,
// where w_i is the limit of row i's contact: with C = W^1/2 T and x = W^-1/2 L they are x without what no column of C has.
#pragma once

#include <array>
#include <vector>

#include "math/matrix.hpp"
#include "math/types.hpp"

namespace escapement::inline system {

// A slip that has a row: a row of T, or two of them along one direction
struct ActiveSlip {
  int first, count = 1;
  std::array<double, 2> along{1, 0};

  template <class F>
  void for_each(F&& f) const {  // f(row of T, factor)
    for (int k = 0; k < count; ++k) f(first + k, along[std::size_t(k)]);
  }
  template <class Numbers>
  double of(const Numbers& of_slips, int from = 0) const {
    double sum = along[0] * of_slips[from + first];
    if (count > 1) sum += along[1] * of_slips[from + first + 1];
    return sum;
  }
};

class FrictionSharing {
 public:
  void clear() { rows_.clear(); }
  void add(const ActiveSlip& row, double limit) { rows_.push_back({row, limit}); }  // limits that are not above 0 count as tiny
  // forces: of all rows of T. Nothing changes where those that were added do not depend on each other
  void share(const Matrix& T, Eigen::Ref<Vec> forces);

 private:
  struct Row {
    ActiveSlip row;
    double limit;
  };
  bool weigh();
  void scale_rows(const Matrix& T);
  void find_basis();

  std::vector<Row> rows_;
  std::vector<double> root_;  // of the limits
  std::vector<int> columns_;  // where a row is not zero
  Mat scaled_;                // C
  std::vector<Vec> basis_;    // of its columns, orthonormal: the first rank_
  std::size_t rank_ = 0;
  Vec column_, x_, shared_;
};

}  // namespace escapement
