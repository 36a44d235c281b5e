// Where the blocks of bodies stand in a matrix over all velocities, dense or sparse.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace escapement {

class BlockLayout {
 public:
  // blocks of the given width for every pair of bodies that occurs together in a clique, and for each body itself
  void build(int bodies, int width, const std::vector<std::vector<int>>& cliques, bool sparse);

  const Matrix& zero() const { return zero_; }  // a matrix of this layout
  // places of all pairs of these bodies, in order
  std::vector<int> blocks(const std::vector<int>& bodies) const;
  // adds a local matrix over the bodies, row by row, given the places from blocks()
  void add(const double* local, const std::vector<int>& bodies, const std::vector<int>& blocks, Matrix& to) const;
  // adds a single block on the diagonal
  void add_diagonal(const double* local, int body, Matrix& to) const;

 private:
  int place(int i, int j) const;
  static double* data(Matrix& m) { return m.is_sparse() ? m.value().data() : m.dense().data(); }

  int width_ = 0;
  Matrix zero_;
  std::vector<int> row_stride_;  // per body
  int column_stride_ = 1;
  std::vector<int> diagonal_;
};

}  // namespace escapement
