#include "simulate/row_guard.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

namespace {
constexpr double margin = 10;  // of rows that take the place of others, over those and the tolerance
}

bool RowGuard::holds(const State& s, const State& s1, double tolerance) {
  if (system_.row_distance(s.q, s1.q) > 1) return false;
  if (!system_.choose_rows(s1)) return true;
  const double before = residual(s), after = residual(s1);
  system_.choose_rows(s);
  return after <= before + margin * (tolerance + residual(s1));
}

double RowGuard::residual(const State& s) {
  system_.evaluate(s, Need::gap | Need::jacobian, terms_);
  double largest = 0;
  for (int i = 0; i < system_.dim().bilateral; ++i) {
    const double off = std::max(std::abs(terms_.g[i]), std::abs(terms_.G.row_dot(i, s.v) + terms_.g_t[i]));
    if (off > 0) largest = std::max(largest, off / row_scale(system_.scale(), terms_.G, i));
  }
  return largest;
}

}  // namespace escapement
