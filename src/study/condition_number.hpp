// The condition number of a small matrix by one-sided Jacobi rotations in quadruple precision: unscaled iteration
// matrices of index-3 systems reach 5e32.
#pragma once

#include <cmath>
#include <vector>

#include "math/types.hpp"

namespace escapement::inline study {

__extension__ typedef __float128 Quad;

inline Quad square_root(Quad x) {
  if (x <= 0) return 0;
  Quad root = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 3; ++i) root = (root + x / root) / 2;
  return root;
}

inline double condition_number(const Mat& A) {
  const int n = static_cast<int>(A.rows());
  std::vector<std::vector<Quad>> column(n, std::vector<Quad>(n));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) column[j][i] = A(i, j);
  auto dot = [&](int p, int q) {
    Quad sum = 0;
    for (int i = 0; i < n; ++i) sum += column[p][i] * column[q][i];
    return sum;
  };
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 100; ++sweep) {
    rotated = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const Quad a = dot(p, p), b = dot(q, q), c = dot(p, q);
        if (c * c <= Quad(1e-62) * a * b) continue;
        rotated = true;
        const Quad zeta = (b - a) / (2 * c), size = zeta < 0 ? -zeta : zeta;
        const Quad t = (zeta < 0 ? -1 : 1) / (size + square_root(1 + zeta * zeta));
        const Quad cosine = 1 / square_root(1 + t * t), sine = cosine * t;
        for (int i = 0; i < n; ++i) {
          const Quad x = column[p][i], y = column[q][i];
          column[p][i] = cosine * x - sine * y;
          column[q][i] = sine * x + cosine * y;
        }
      }
  }
  Quad largest = dot(0, 0), smallest = largest;
  for (int j = 1; j < n; ++j) {
    const Quad norm2 = dot(j, j);
    if (norm2 > largest) largest = norm2;
    if (norm2 < smallest) smallest = norm2;
  }
  return static_cast<double>(square_root(largest / smallest));
}

}  // namespace escapement
