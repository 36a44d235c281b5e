#include "simulate/drift_limit.hpp"

#include <fmt/format.h>

#include <cmath>

namespace escapement {

namespace {

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

}  // namespace

DriftLimit::DriftLimit(const System& system, const SchemeInfo& info, const Settings& settings, double limit)
    : system_(system), limit_(limit) {
  if (limit_ > 0 && projects(info, settings)) projection_.emplace(Projection(true, true));
}

void DriftLimit::start() {
  if (limit_ == 0) return;
  system_.prepare(terms_);
  rates_.setZero(system_.dim().rows());
}

bool DriftLimit::hold(Course& course) {
  if (limit_ == 0 || allowed(course.s1)) return true;
  if (!projection_) return false;
  const Status status = course.on_rows(course.s1, [&](const System& integrated, State& s) {
    if (on_rows_.f.size() == 0 || version_ != integrated.version()) {
      integrated.prepare(on_rows_);
      State from = s;
      projection_->start(integrated, from, on_rows_);
      version_ = integrated.version();
    }
    return projection_->finish(integrated, s, Need(0), on_rows_);
  });
  return status == Status::ok && allowed(course.s1);
}

bool DriftLimit::allowed(const State& s) {
  system_.evaluate(s, Need::gap | Need::jacobian, terms_);
  velocity_rows(terms_, s.v, rates_);
  for (int i = 0; i < system_.dim().bilateral; ++i) {
    const bool has_position = system_.level(i) == Level::position;
    if ((has_position && std::abs(terms_.g[i]) > limit_) || std::abs(rates_[i]) > limit_) return false;
  }
  return true;
}

void DriftLimit::blame(StepReport& report) const {
  for (int i = 0; i < system_.dim().bilateral; ++i) {
    const bool by_position = system_.level(i) == Level::position && std::abs(terms_.g[i]) > std::abs(rates_[i]);
    note_residual(report, RowResidual::Kind::row, i, by_position ? terms_.g[i] : rates_[i]);
  }
}

std::string DriftLimit::message() const {
  return fmt::format("the drift exceeds max_drift = {:g}{}", limit_, projection_ ? " even after projection" : "");
}

const char* DriftLimit::advice() const {
  return projection_ ? "raise max_drift, or take a smaller step or tolerance"
                     : "raise max_drift, take projection: both, or a scheme that keeps both levels";
}

}  // namespace escapement
