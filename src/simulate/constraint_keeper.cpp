#include "simulate/constraint_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {

constexpr double margin = 10;  // of rows that take the place of others, over those and the tolerance
constexpr double part_of_errors = 0.1;   // of the errors allowed
constexpr double far = 100;    // bounds in one step

// a scheme that ends its steps with a projection, if only to one level
bool projects(const SchemeInfo& info, const Settings& settings) {
  if (info.time_stepping) return false;
  for (const OptionInfo& option : info.options) {
    if (option.name != "projection") continue;
    const auto given = settings.options.find("projection");
    const auto* levels = std::get_if<std::string>(given == settings.options.end() ? &option.value : &given->second);
    return levels && *levels != "none";
  }
  return false;
}

// who gives max_drift: 0 wants to see the drift
double bound_of(const Settings& settings) {
  const auto limit = settings.options.find("max_drift");
  if (limit != settings.options.end() && limit->second == OptionValue(0.0)) return 0;
  const double tolerance = settings.error_bound();
  return std::max(part_of_errors * (tolerance > 0 ? std::min(tolerance, DriftMonitor::kept) : DriftMonitor::kept), little::stagnation);
}

}  // namespace

ConstraintKeeper::ConstraintKeeper(Course& course, const Settings& settings, const Options& loop)
    : course_(course), limit_(loop.number("max_drift")), bound_(bound_of(settings)) {
  if (!course.rows.left_out.empty()) left_out_ = std::make_unique<LeftOut>(course);
  if (limit_ > 0 && projects(course.scheme->info(), settings)) projection_.emplace(Projection(true, true));
}

ConstraintKeeper::LeftOut::LeftOut(const Course& course)
    : there(course.rows), by_these(course.every_row, there), held(by_these), every_row(course.every_row) {}

void ConstraintKeeper::start(const State& s) {
  if (left_out_) left_out_->every_row.begin(s);
  if (limit_ == 0) return;
  course_.system.prepare(terms_);
  rates_.setZero(course_.system.dim().rows());
}

void ConstraintKeeper::exchange(Snapshot& s) {
  if (left_out_ && bound_ > 0) left_out_->every_row.exchange(s);
}

ConstraintKeeper::Finding ConstraintKeeper::keep(std::optional<double> tolerance) {
  if (left_out_) {
    if (tolerance && outruns(*tolerance)) return Finding::too_long;
    if (!hold_every_row() && tolerance) return Finding::too_long;
  }
  return within_limit() ? Finding::near : Finding::adrift;
}

void ConstraintKeeper::bring_back() {
  if (left_out_) hold_every_row();
}

// do the rows that the system is to have at the step's end hold there as those do that it was made with?
bool ConstraintKeeper::outruns(double tolerance) {
  LeftOut& rows = *left_out_;
  const State &s = course_.s, &s1 = course_.s1;
  course_.every_row.select_rows(s1, course_.rows, rows.there);
  if (rows.there.strain > 1) return true;
  if (!rows.there.others) return false;
  const double before = rows.residual(rows.by_these, s), after = rows.residual(rows.by_these, s1);
  return after > before + margin * (tolerance + rows.residual(course_.selected, s1));
}

double ConstraintKeeper::LeftOut::residual(const System& system, const State& s) {
  Terms& T = there.terms;
  system.evaluate(s, Need::gap | Need::jacobian, T);
  double largest = 0;
  for (int i = 0; i < system.dim().bilateral; ++i) {
    const double off = std::max(std::abs(T.g[i]), std::abs(T.G.row_dot(i, s.v) + T.g_t[i]));
    if (off > 0) largest = std::max(largest, off / row_scale(system.scale(), T.G, i));
  }
  return largest;
}

bool ConstraintKeeper::hold_every_row() {
  if (bound_ == 0) return true;
  LeftOut& rows = *left_out_;
  const SchemeInfo& scheme = course_.scheme->info();
  // a scheme of index 3 derives velocities from positions
  const bool velocity = !scheme.rows_inside && scheme.index < 3;
  const auto most = [&] {
    rows.every_row.look(course_.s1);
    const double position = rows.every_row.position_now();
    return velocity ? std::max(position, rows.every_row.velocity_now()) : position;
  };
  const double off = most();
  if (off <= bound_) return true;
  if (scheme.keeps_position && rows.every_row.position_now() > bound_) return false;
  // by the rows that hold best where the step ends
  course_.every_row.select_rows(course_.s1, course_.rows, rows.there);
  rows.show_contacts(course_);
  Projection& projection = velocity ? rows.both : rows.position;
  const bool projected = projection.project(rows.held, course_.s1, Need(0), rows.terms, rows.kkt) == Status::ok;
  return projected && off <= far * bound_ && most() <= bound_;
}

void ConstraintKeeper::LeftOut::show_contacts(const Course& course) {
  if (course.locates_events()) {
    held.take_modes(course.events->view());
  } else {
    for (std::size_t i = 0; i < course.every_row.contacts().size(); ++i) held.set(static_cast<int>(i), ContactMode::open);
  }
  if (version == held.version()) return;
  version = held.version();
  held.prepare(terms);
  kkt.resize(held.dim().v, held.dim().rows());
  both.resize(held);
  position.resize(held);
}

bool ConstraintKeeper::within_limit() {
  if (limit_ == 0 || !has_drifted(course_.s1)) return true;
  if (!projection_) return false;
  const Status status = course_.on_rows(course_.s1, [&](const System& integrated, State& s) {
    if (on_rows_.f.size() == 0 || version_ != integrated.version()) {
      integrated.prepare(on_rows_);
      State from = s;
      projection_->start(integrated, from, on_rows_);
      version_ = integrated.version();
    }
    return projection_->finish(integrated, s, Need(0), on_rows_);
  });
  return status == Status::ok && !has_drifted(course_.s1);
}

bool ConstraintKeeper::has_drifted(const State& s) {
  const System& system = course_.system;
  system.evaluate(s, Need::gap | Need::jacobian, terms_);
  velocity_rows(terms_, s.v, rates_);
  for (int i = 0; i < system.dim().bilateral; ++i) {
    const bool has_position = system.level(i) == Level::position;
    if ((has_position && std::abs(terms_.g[i]) > limit_) || std::abs(rates_[i]) > limit_) return true;
  }
  return false;
}

void ConstraintKeeper::blame(StepReport& report) const {
  const System& system = course_.system;
  for (int i = 0; i < system.dim().bilateral; ++i) {
    const bool by_position = system.level(i) == Level::position && std::abs(terms_.g[i]) > std::abs(rates_[i]);
    note_residual(report, RowResidual::Kind::row, i, by_position ? terms_.g[i] : rates_[i]);
  }
}

std::string ConstraintKeeper::message() const {
  return fmt::format("the drift exceeds max_drift = {:g}{}", limit_, projection_ ? " even after projection" : "");
}

const char* ConstraintKeeper::advice() const {
  return projection_ ? "raise max_drift, or take a smaller step or tolerance"
                     : "raise max_drift, take projection: both, or a scheme that keeps both levels";
}

}  // namespace escapement
