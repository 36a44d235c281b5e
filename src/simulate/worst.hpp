// The largest of a kind that a run has shown, and where.
#pragma once

#include "simulate/snapshot.hpp"

namespace escapement::inline simulate {

struct Worst {
  double value = 0, t = 0;
  int where = -1;

  void note(double x, double at, int index = -1) {
    if (!(x > value)) return;
    value = x;
    t = at;
    where = index;
  }
  void exchange(Snapshot& s) { s(value, t, where); }
};

}  // namespace escapement
