// Rows that the equations leave out, since the others hold them too: they do so in positions on all rows. Off them
// rows that depend on each other contradict each other: no velocity meets them all, and those left out, or exchanged
// for others, depart. A scheme that lets positions drift is therefore brought back to all rows before that counts.
#pragma once

#include <memory>

#include "schemes/projection.hpp"
#include "simulate/course.hpp"
#include "simulate/monitors.hpp"

namespace escapement {

class RowHold {
 public:
  // system: the one to integrate; every_row: the same with the rows that it leaves out; tolerance 0: fixed steps
  RowHold(const System& system, const System& every_row, double tolerance);
  void begin(const State& s) { rows_.begin(s); }
  void exchange(Snapshot& s) { rows_.exchange(s); }

  // after a step from course.s to course.s1. False: the end is off the rows, or was so far off that the step was too long
  bool hold(Course&);

 private:
  void prepare(const System& held);

  const System& system_;
  ActiveView joints_;  // contacts are left to a time-stepping scheme
  const System* prepared_ = nullptr;
  unsigned version_ = 0;
  DriftMonitor rows_;
  Projection both_{true, true}, position_{true, false};
  SaddleSolver kkt_;
  Terms terms_;
  double bound_;  // of what the rows are off, scaled, that is left alone
};

}  // namespace escapement
