// L D L^T of a small symmetric positive definite matrix whose size the compiler knows: a mass matrix on plain arrays.
#pragma once

#include "math/tolerances.hpp"

namespace escapement::inline math {

template <int N>
class SymmetricFactors {
 public:
  // A: by columns, of which the lower half is read. False: a pivot is nearly lost, and the matrix needs more care
  bool factor(const double* A) {
    bool clear = true;
    double LD[N][N];
#pragma GCC unroll 8
    for (int j = 0; j < N; ++j) {
      double pivot = A[j * N + j];
#pragma GCC unroll 8
      for (int k = 0; k < j; ++k) pivot -= L_[j][k] * LD[j][k];
      clear &= pivot > little::doubtful_pivot * A[j * N + j];
      inverse_[j] = 1 / pivot;
#pragma GCC unroll 8
      for (int i = j + 1; i < N; ++i) {
        LD[i][j] = A[j * N + i];
#pragma GCC unroll 8
        for (int k = 0; k < j; ++k) LD[i][j] -= L_[i][k] * LD[j][k];
        L_[i][j] = LD[i][j] * inverse_[j];
      }
    }
    return clear;
  }
  void solve(double* x) const {
#pragma GCC unroll 8
    for (int i = 1; i < N; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < i; ++j) x[i] -= L_[i][j] * x[j];
#pragma GCC unroll 8
    for (int i = N - 1; i >= 0; --i) {
      x[i] *= inverse_[i];
#pragma GCC unroll 8
      for (int j = i + 1; j < N; ++j) x[i] -= L_[j][i] * x[j];
    }
  }

 private:
  double L_[N][N], inverse_[N];  // below the diagonal; of D
};

}  // namespace escapement
