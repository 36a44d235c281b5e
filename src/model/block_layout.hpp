// Where the blocks of bodies stand in a matrix over all velocities, dense or sparse. Many pairs of bodies are coupled
// by their angular velocities alone: sparse storage has no places for the rest of such a block.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace escapement::inline model {

class BlockLayout {
 public:
  // bodies that are coupled with each other and themselves, by all velocities or by the angular ones alone
  struct Clique {
    std::vector<int> bodies;
    bool angular_only = false;
  };
  // a block's first place and that of its angular part; first = -1: it has no other part
  struct Place {
    int first, angular;
  };

  // each body has `width` velocities, first the linear ones
  void build(int bodies, int linear, int width, const std::vector<Clique>& cliques, bool sparse);

  const Matrix& zero() const { return zero_; }  // a matrix of this layout
  // places of all pairs of these bodies, in order
  std::vector<Place> blocks(const std::vector<int>& bodies) const;
  // adds a local matrix over the bodies, row by row, given the places from blocks(); what has no place must be zero
  void add(const double* local, const std::vector<int>& bodies, const std::vector<Place>& blocks, Matrix& to) const;
  // adds to the angular part of a block on the diagonal, row by row
  void add_angular(const double* local, int body, Matrix& to) const;

 private:
  Place place(int i, int j) const;
  static double* data(Matrix& m) { return m.is_sparse() ? m.value().data() : m.dense().data(); }

  int linear_ = 0, width_ = 0;
  Matrix zero_;
  std::vector<int> linear_stride_, angular_stride_;  // per body: from one row to the next
  int column_stride_ = 1;
  std::vector<int> diagonal_;  // per body: angular place
};

}  // namespace escapement
