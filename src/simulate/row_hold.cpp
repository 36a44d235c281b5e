#include "simulate/row_hold.hpp"

#include <algorithm>

namespace escapement {

namespace {

constexpr double part = 0.1;     // of the errors allowed
constexpr double far = 100;      // bounds in one step
constexpr double least = 1e-10;  // a projection reaches it

}  // namespace

RowHold::RowHold(const System& system, const System& every_row, double tolerance)
    : system_(system),
      joints_(system),
      rows_(every_row),
      bound_(std::max(part * (tolerance > 0 ? std::min(tolerance, DriftMonitor::kept) : DriftMonitor::kept), least)) {
  for (std::size_t i = 0; i < system.contacts().size(); ++i) joints_.set(static_cast<int>(i), ContactMode::open);
}

void RowHold::prepare(const System& held) {
  if (prepared_ == &held && version_ == held.version()) return;
  prepared_ = &held;
  version_ = held.version();
  held.prepare(terms_);
  kkt_.resize(held.dim().v, held.dim().rows());
  both_.resize(held);
  position_.resize(held);
}

bool RowHold::hold(Course& course) {
  const SchemeInfo& scheme = course.scheme->info();
  // a scheme of index 3 derives velocities from positions
  const bool velocity = !scheme.rows_inside && scheme.index < 3;
  const auto most = [&] {
    rows_.look(course.s1);
    return velocity ? std::max(rows_.position_now(), rows_.velocity_now()) : rows_.position_now();
  };
  const double off = most();
  if (off <= bound_) return true;
  if (scheme.keeps_position && rows_.position_now() > bound_) return false;
  // by the rows that hold best where the step ends
  const bool others = system_.choose_rows(course.s1);
  const System& held = course.locates_events() ? course.events->view() : joints_;
  prepare(held);
  const bool projected = (velocity ? both_ : position_).project(held, course.s1, Need(0), terms_, kkt_) == Status::ok;
  if (others) system_.choose_rows(course.s);
  return projected && off <= far * bound_ && most() <= bound_;
}

}  // namespace escapement
