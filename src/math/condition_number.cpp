#include "math/condition_number.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "math/tolerances.hpp"

namespace escapement::inline math {

namespace {

__extension__ typedef __float128 Quad;
using Column = std::vector<Quad>;

constexpr int most_sweeps = 100;

Quad square_root(Quad x) {
  if (x <= 0) return 0;
  Quad root = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 3; ++i) root = (root + x / root) / 2;
  return root;
}

Quad dot(const Column& a, const Column& b) {
  Quad sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// turns two columns until they are orthogonal; false: they are
bool rotate(Column& p, Column& q) {
  const Quad a = dot(p, p), b = dot(q, q), c = dot(p, q);
  if (c * c <= Quad(little::quad_cosine) * a * b) return false;
  const Quad zeta = (b - a) / (2 * c), size = zeta < 0 ? -zeta : zeta;
  const Quad tangent = (zeta < 0 ? -1 : 1) / (size + square_root(1 + zeta * zeta));
  const Quad cosine = 1 / square_root(1 + tangent * tangent), sine = cosine * tangent;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Quad x = p[i], y = q[i];
    p[i] = cosine * x - sine * y;
    q[i] = sine * x + cosine * y;
  }
  return true;
}

}  // namespace

// one-sided Jacobi method: rotations from the right make the columns orthogonal, their lengths are the singular values
double condition_number(const Mat& A) {
  const int n = static_cast<int>(A.cols());
  std::vector<Column> column(n, Column(A.rows()));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < A.rows(); ++i) column[j][i] = A(i, j);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < most_sweeps; ++sweep) {
    rotated = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) rotated = rotate(column[p], column[q]) || rotated;
  }
  Quad largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (const Column& c : column) {
    const Quad square = dot(c, c);
    if (square > largest) largest = square;
    if (square < smallest) smallest = square;
  }
  if (n == 0) return 1;
  if (smallest == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(square_root(largest / smallest));
}

}  // namespace escapement
