#include "nonsmooth/contact_problem.hpp"

#include <algorithm>

namespace escapement::inline nonsmooth {

void ContactProblem::reserve(int rows) {
  if (rows <= capacity()) return;
  W.conservativeResize(rows, rows);
  b.conservativeResize(rows);
  cones.reserve(rows);
}

void ContactProblem::clear() {
  rows_ = 0;
  discs_ = false;
  cones.clear();
}

int ContactProblem::add(const Cone& cone) {
  const int first = rows_;
  rows_ += cone.rows();
  if (rows_ > capacity()) reserve(std::max(rows_, 2 * capacity()));
  cones.push_back(cone);
  discs_ = discs_ || cone.kind == Cone::Kind::disc;
  return first;
}

}  // namespace escapement
