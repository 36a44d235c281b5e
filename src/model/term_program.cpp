#include "model/term_program.hpp"

namespace escapement::inline model {

void MatrixTerm::add_nonzero(int i, int j, Expr value) {
  const bool diagonal = i == j && rows_ == cols_;  // stays: other matrices are added to it
  if (value == Expr{} && !diagonal) return;
  places_.emplace_back(i, j);
  values_.push_back(value);
}

void MatrixTerm::prepare(Matrix& m) const {
  if (dense_)
    m.resize(rows_, cols_);
  else
    m.set_pattern(rows_, cols_, places_);
}

}  // namespace escapement
