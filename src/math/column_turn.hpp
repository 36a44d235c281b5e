// A sparse matrix times the tangent of many rotations, in place: the identity but for blocks of 3 on the diagonal.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace escapement::inline math {

class ColumnTurn {
 public:
  // b is such a matrix, and the rows of a hold its blocks whole or not at all
  bool fits(const Matrix& a, const Matrix& b);
  void apply(const Matrix& b, Matrix& a) const { apply(b, a, a); }      // a = a b, for the matrices that fitted last
  void apply(const Matrix& b, const Matrix& a, Matrix& product) const;  // product = a b, the same

 private:
  struct Place {
    int in_a, in_b;
  };
  bool look(const Matrix& a, const Matrix& b);

  unsigned version_a_ = 0, version_b_ = 0;
  bool fits_ = false;
  std::vector<int> ones_;      // in b: what must be 1
  std::vector<Place> blocks_;  // where in a 3 neighbours meet a block
};

}  // namespace escapement
