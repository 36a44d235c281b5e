// Programs that fill the vectors and matrices of Terms and Tangent, and the storage these have.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "math/matrix.hpp"
#include "math/deferred_program.hpp"

namespace escapement::inline model {

// a matrix of expressions with the storage its values will have: dense when small, the symbolic non-zeros when large
class MatrixTerm {
 public:
  MatrixTerm() = default;
  // entry(i, j) gives the expression
  template <class F>
  MatrixTerm(int rows, int cols, bool dense, F&& entry) : rows_(rows), cols_(cols), dense_(dense) {
    if (dense)
      for_each_place([&](int i, int j) { values_.push_back(entry(i, j)); });
    else
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j) add_nonzero(i, j, entry(i, j));
  }
  // other expressions on the same storage; they must be zero where this one has no place
  template <class F>
  MatrixTerm with(F&& entry) const {
    MatrixTerm other = *this;
    other.values_.clear();
    for_each_place([&](int i, int j) { other.values_.push_back(entry(i, j)); });
    return other;
  }

  void prepare(Matrix&) const;
  const std::vector<Expr>& values() const { return values_; }  // in the order of the storage

 private:
  void add_nonzero(int i, int j, Expr);
  template <class F>
  void for_each_place(F&& f) const {  // in the order of the storage
    if (!dense_)
      for (auto [i, j] : places_) f(i, j);
    else
      for (int j = 0; j < cols_; ++j)
        for (int i = 0; i < rows_; ++i) f(i, j);
  }

  int rows_ = 0, cols_ = 0;
  bool dense_ = true;
  std::vector<std::pair<int, int>> places_;  // sparse only, row by row
  std::vector<Expr> values_;
};

// of a matrix sized by MatrixTerm::prepare
inline double* storage(Matrix& m) { return m.is_sparse() ? m.value().data() : m.dense().data(); }

// one program whose outputs are consecutive pieces, each for one target
template <class Target>
struct TermProgram {
  struct Piece {
    Target target;
    int count;
  };
  DeferredProgram program;
  std::vector<Piece> pieces;
};

// collects pieces and compiles them together, so that they share what they have in common
template <class Target>
class TermProgramBuilder {
 public:
  void add(Target target, std::span<const Expr> values) {
    if (values.empty()) return;
    pieces_.push_back({target, static_cast<int>(values.size())});
    outputs_.insert(outputs_.end(), values.begin(), values.end());
  }
  // compile makes a program of expressions
  template <class F>
  TermProgram<Target> build(F&& compile) const {
    return {compile(outputs_), pieces_};
  }

 private:
  std::vector<typename TermProgram<Target>::Piece> pieces_;
  std::vector<Expr> outputs_;
};

}  // namespace escapement
