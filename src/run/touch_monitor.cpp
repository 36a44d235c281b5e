#include "run/touch_monitor.hpp"

#include <algorithm>

namespace escapement::inline run {

namespace {
constexpr double limit = 1e-2;  // as of every scheme that keeps the velocity level alone
}

void TouchMonitor::step(const StepRecord& record) {
  if (!record.accepted) return;
  memory_.recall(record.after.memory);
  deepest_ = std::max(deepest_, memory_.penetration);
  step_energy_ = std::max(step_energy_, memory_.step_energy);
  if (memory_.sunk > 0) sunk_.note(memory_.sunk, record.after.t);
}

void TouchMonitor::exchange(Snapshot& s) {
  s(deepest_, step_energy_);
  sunk_.exchange(s);
}

void TouchMonitor::judge(Judgement& judgement) const {
  if (sunk_.value > limit)
    judgement.findings.push_back({"penetration", "", sunk_.t, sunk_.value, limit, "take a smaller step, or more sweeps where contacts are many"});
}

}  // namespace escapement
