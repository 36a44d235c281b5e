// Combinations of rows that vanish, and which rows they make dispensable. Sized once; then nothing is allocated.
#pragma once

#include <vector>

#include "math/types.hpp"

namespace escapement::inline system {

class NullRows {
 public:
  // rows by columns; count: how many combinations vanish, negative: find out
  void resize(int rows, int columns, int count = -1);
  Mat& rows() { return left_; }  // to fill before find(), which overwrites them; a row per column
  // false: more rows depend on each other than were announced
  bool find();

  int count() const { return static_cast<int>(null_.cols()); }
  const Mat& vectors() const { return null_; }  // orthonormal, one per column; of the rows scaled to length 1

 private:
  int eliminate(int most);  // how many rows are independent
  void solve(int rank);
  void orthonormalise();

  int count_ = -1;
  Mat left_;                // a row per column: what the rows before it have left of it
  Mat parts_;               // of every row along those chosen before, by steps and rows
  std::vector<int> order_;  // of the rows: the chosen ones first
  Mat null_;
};

// how far rows can be left out given the vectors N, in which every row has its part
class Dispensable {
 public:
  void resize(int rows, int count);
  // row after row the one with the largest part in what is left of N; the smallest part of all
  double choose(const Mat& N, std::vector<int>& chosen);
  // the smallest part of these rows, 0 when the others depend on each other
  double judge(const Mat& N, const std::vector<int>& rows);

 private:
  double take(int row);  // its part, which the others lose

  Mat left_;
  Vec along_, share_;
  std::vector<char> taken_;
};

}  // namespace escapement
