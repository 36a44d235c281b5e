// Keeps a run on its constraints: the end of a step is near enough to every row, is brought back there, or the step is
// refused.
//
// Rows that the equations leave out (system/row_selection.hpp) hold as the others do in positions on all rows. Off them
// rows that depend on each other contradict each other: no velocity meets them all, and those left out, or exchanged for
// others, depart. So steps are not to outrun the selection that they are made with, and a scheme that lets positions
// drift is brought back to all rows before that counts.
//
// The option max_drift, [000] Table 1, bounds the drift of any row: a step that has drifted further is brought back when
// the scheme projects at all.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "schemes/index1.hpp"
#include "simulate/course.hpp"
#include "simulate/monitors.hpp"
#include "simulate/settings.hpp"

namespace escapement::inline simulate {

class ConstraintKeeper {
 public:
  ConstraintKeeper(Course&, const Settings&, const Options& loop);
  void start(const State&);
  void exchange(Snapshot&);

  enum class Finding {
    near,      // to every row, now
    too_long,  // a shorter step would be nearer
    adrift     // further than max_drift
  };
  // of the step from course.s to course.s1. Errors that its tolerance allows; none given: it cannot be made shorter
  Finding keep(std::optional<double> tolerance);
  void bring_back();  // what an event has cut, as far as that can be
  // of a step that is adrift: the rows behind it, and what to say
  void blame(StepReport&) const;
  std::string message() const;
  const char* advice() const;

 private:
  // of a system with rows to leave out
  struct LeftOut {
    explicit LeftOut(const Course&);
    RowSelection there;  // at the end of the step
    SelectedRows by_these;
    ActiveView held;  // with the contacts that are closed; a time-stepping scheme sees to its own
    DriftMonitor every_row;
    Projection both{true, true}, position{true, false};
    SaddleSolver kkt{};
    Terms terms{};
    unsigned version = 0;  // of `held`, that these are for

    void show_contacts(const Course&);
    double residual(const System&, const State&);  // of the rows that are on, the largest of both levels
  };
  bool outruns(double tolerance);
  bool hold_every_row();
  bool within_limit();
  bool has_drifted(const State&);

  Course& course_;
  double limit_;  // max_drift, 0: none
  double bound_;  // of what rows are off, scaled, that is left alone; 0: everything is
  std::unique_ptr<LeftOut> left_out_;
  std::optional<Index1> projection_;
  Terms terms_, on_rows_;  // of the system; of what is integrated
  unsigned version_ = 0;   // that these are for
  Vec rates_;              // of the rows
};

}  // namespace escapement
