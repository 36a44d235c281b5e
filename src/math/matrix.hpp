// A real matrix with two storages: dense for small systems, compressed rows with a fixed pattern for large ones.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "math/types.hpp"

namespace escapement::inline math {

class Matrix {
 public:
  struct Scaled {
    double factor;
    const Matrix* matrix;
    int row = 0, col = 0;             // where its corner goes, in set_blocks()
    const Vec* row_weight = nullptr;  // each of its rows times an entry of this
  };

  void resize(int rows, int cols);  // dense, zero
  void set_pattern(int rows, int cols,
                   const std::vector<std::pair<int, int>>& places);  // sparse, zero; any order, repeats allowed

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  bool is_sparse() const { return sparse_; }
  unsigned version() const { return version_; }  // changes whenever the pattern changes

  Mat& dense() { return dense_; }
  const Mat& dense() const { return dense_; }

  // sparse storage: entries of row i are [row_start()[i], row_start()[i+1]) of col() and value(), columns ascending
  const std::vector<int>& row_start() const { return row_start_; }
  const std::vector<int>& col() const { return col_; }
  std::vector<double>& value() { return value_; }
  const std::vector<double>& value() const { return value_; }
  int slot(int i, int j) const;  // index into value(), -1 where the pattern has no entry

  void copy(const Matrix& other);  // *this = other; allocates only when the pattern or the size differs
  void set_zero();
  void set_row_zero(int i);
  bool is_row_zero(int i) const;  // in a matrix of rows: it is switched off
  double operator()(int i, int j) const;
  void add(int i, int j, double x);  // the place must be in the pattern

  void add_product(double a, const Vec& x, Vec& y) const;             // y += a A x
  void add_transposed_product(double a, const Vec& x, Vec& y) const;  // y += a A^T x
  double row_dot(int i, const Vec& x) const;
  void add_row(int i, double a, Vec& y) const;  // y += a * (row i)^T

  // *this = sum of factor * matrix; a sparse result takes the union of the patterns (allocates only when a pattern
  // changed)
  void set_sum(std::initializer_list<Scaled> terms);
  // the same with each term at its place in a matrix of this size; rows of a term beyond the last are left out
  void set_blocks(int rows, int cols, std::initializer_list<Scaled> terms);
  void set_product(const Matrix& a, const Matrix& b);  // *this = a b, sparse when both are

  template <class F>
  void for_each_in_row(int i, F&& f) const {  // f(column, value)
    if (sparse_) {
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) f(col_[k], value_[k]);
    } else {
      for (int j = 0; j < cols_; ++j) f(j, dense_(i, j));
    }
  }

 private:
  // neighbours in a row of a term that are neighbours here too
  struct Run {
    int row, source, target, length;
  };

  void set_block_pattern(int rows, int cols, std::initializer_list<Scaled> terms);
  void set_product_pattern(const Matrix& a, const Matrix& b);

  int rows_ = 0, cols_ = 0;
  bool sparse_ = false;
  unsigned version_ = 0;
  Mat dense_;
  std::vector<int> row_start_, col_;
  std::vector<double> value_;
  std::vector<unsigned> term_versions_;  // versions of the terms this pattern was made for
  std::vector<Run> runs_;                // of all terms of a sum, one after the other
  std::vector<std::size_t> term_runs_;   // where each term's runs begin, and the end
  std::vector<int> product_slots_;       // per entry a_ik of a product: where row k of b begins in row i, -1: scattered
};

}  // namespace escapement
