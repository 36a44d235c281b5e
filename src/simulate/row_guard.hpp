// Guards the choice of joint rows: a step so long that the rows it began with stopped holding the mechanism on the way
// is too long.
#pragma once

#include "system/system.hpp"

namespace escapement {

class RowGuard {
 public:
  explicit RowGuard(const System& system) : system_(system) {}

  void start() { system_.prepare(terms_); }
  // the rows that the system takes at s1 hold there as the former ones do
  bool holds(const State& s, const State& s1, double tolerance);

 private:
  double residual(const State& s);  // the largest of both levels

  const System& system_;
  Terms terms_;
};

}  // namespace escapement
