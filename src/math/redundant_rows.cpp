#include <cmath>

#include "math/saddle_solver.hpp"

namespace escapement {

namespace {

// modified Gram-Schmidt, row by row, so that the later of two dependent rows is the one named
std::vector<int> redundant_rows_dense(const Matrix& G, double tolerance) {
  std::vector<int> dependent;
  std::vector<Vec> basis;
  for (int i = 0; i < G.rows(); ++i) {
    Vec row = Vec::Zero(G.cols());
    G.add_row(i, 1, row);
    const double norm = row.norm();
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec& e : basis) row -= e.dot(row) * e;
    if (row.norm() <= tolerance * norm || norm == 0) {
      dependent.push_back(i);
    } else {
      basis.push_back(row / row.norm());
    }
  }
  return dependent;
}

}  // namespace

std::vector<int> redundant_rows(const Matrix& G, double tolerance) { return redundant_rows_dense(G, tolerance); }

}  // namespace escapement
