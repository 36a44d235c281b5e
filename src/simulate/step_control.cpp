#include "simulate/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr double largest_growth = 5, largest_shrink = 0.2;
constexpr double largest_first_growth = 20;  // after the first step, whose size is a guess
constexpr double dead_point_shrink = 0.7;    // of steps past positions where the closer one ends the less rows say
constexpr double stretch = 1.1;              // of a step that then ends the run; what `safety` holds back is enough for it
// schemes that choose order and step together forget a step that failed: the next ones begin below it and rise slowly
constexpr double below_failure = 0.7, rise = 1.02;
}

StepControl::StepControl(const Scale& one, const SchemeInfo& info, const Settings& settings, const Options& loop)
    : one_(one),
      end_(settings.then ? settings.then->from : settings.end),
      then_(settings.then),
      run_end_(settings.end),
      run_(settings.duration()),
      step_(settings.step.value_or(0)),
      tolerance_(settings.step ? 0 : settings.tolerance.value_or(Settings::default_tolerance)),
      safety_(loop.number("safety")),
      min_step_(loop.number("min_step")),
      max_step_(loop.number("max_step")),
      given_first_(loop.number("first_step")),
      given_growth_(loop.number("max_growth")),
      fixed_(settings.step.has_value()),
      per_unit_step_(settings.per_unit_step),
      predictive_(loop.text("control") == "predictive") {
  origin_ = settings.start;
  if (min_step_ == 0) min_step_ = 16 * std::numeric_limits<double>::epsilon() * std::max({std::abs(run_end_), std::abs(settings.start), std::numeric_limits<double>::min()});
  if (max_step_ == 0) max_step_ = run_;
  h_ = fixed_ ? step_ : std::min(max_step_, little::first_step * run_);
  adapt_to(info);
}

void StepControl::adapt_to(const SchemeInfo& info) {
  power_ = info.error_power;
  const double largest = given_growth_ > 0 ? given_growth_ : largest_growth;
  growth_ = info.max_growth > 0 ? std::min(info.max_growth, largest) : largest;
  first_growth_ = info.max_growth > 0 || given_growth_ > 0 ? growth_ : largest_first_growth;
}

void StepControl::propose_first(const State& s) {
  if (fixed_) return;
  estimate_first(s);
  if (given_first_ > 0) h_ = std::min(given_first_, run_);
}

void StepControl::estimate_first(const State& s) {
  last_h_ = 0;
  first_ = true;
  ceiling_ = std::numeric_limits<double>::infinity();
  // the time in which velocity or acceleration would change the positions by 1 + |q|; an acceleration over the velocity
  // says little of the motion's rate where the velocity passes zero
  double d0 = 0, d1 = 0;
  const int n = static_cast<int>(std::min(s.q.size(), s.v.size()));
  const bool matched = !one_.given() || s.q.size() == s.v.size();  // where not, lengths and angles stand in one place
  for (int i = 0; i < n; ++i) {
    const double size = matched ? one_.q(i) + std::abs(s.q[i]) : one_.v(i);
    d0 = std::max(d0, std::abs(s.v[i]) / size);
    d1 = std::max(d1, std::abs(s.vdot[i]) / size);
  }
  const double rate = std::max({d0, std::sqrt(d1), 1 / run_});
  h_ = 0.7 * std::pow(std::min(tolerance_, 1.0), 1 / std::max(power_, 1.0)) / rate;
  h_ = std::clamp(h_, min_step_, std::min(max_step_, run_));
}

void StepControl::change_steps(const State& s) {
  step_ = then_->step.value_or(0);
  tolerance_ = step_ > 0 ? 0 : then_->tolerance.value_or(Settings::default_tolerance);
  fixed_ = step_ > 0;
  end_ = run_end_;
  then_.reset();
  rejected_ = false;
  rebase(s.t);
  propose_first(s);
}

void StepControl::exchange(Snapshot& s) {
  bool more = then_.has_value();
  s(more, end_, step_, tolerance_, fixed_);
  if (!more) then_.reset();
  s(power_, growth_, first_growth_, h_, ceiling_, chosen_, first_, rejected_, halved_, origin_, n_, last_h_, last_error_);
}

void StepControl::restart(const State& s, double horizon) {
  if (fixed_) return;
  const double before = h_;
  estimate_first(s);
  h_ = std::clamp(std::min({h_, before, horizon}), min_step_, max_step_);
  rejected_ = false;
}

void StepControl::change(const SchemeInfo& info, const State& s) {
  adapt_to(info);
  if (!fixed_) estimate_first(s);
  rejected_ = false;
}

double StepControl::next(double t) const {
  if (fixed_) {
    // the last step ends exactly at the end; what is left of a step joins it
    if (halved_) {
      const double left = std::min(end_, grid_point()) - t;
      return h_ > left * (1 - little::same_step) ? left : h_;
    }
    if (end_ - t <= step_ * (1 + little::same_step)) return end_ - t;
    return step_;
  }
  const double left = end_ - t;
  if ((chosen_ ? 1 : stretch) * h_ >= left * (1 - little::instant) && left <= max_step_) return left;
  if (h_ > 0.5 * left) return 0.5 * left;  // two even steps instead of one and a sliver
  return h_;
}

double StepControl::end_of(double t, double h) const {
  if (h >= end_ - t) return end_;
  if (!fixed_) return t + h;
  return halved_ && h < grid_point() - t ? t + h : grid_point();
}

bool StepControl::accept(const StepReport& report, double h) {
  if (fixed_) return true;
  // [000] (12) with error per step; error: per_unit_step takes the rule as printed
  const double allowed = per_unit_step_ ? tolerance_ * h : tolerance_;
  const bool ok = report.error <= allowed;
  const double p = per_unit_step_ ? std::max(power_ - 1, 1.0) : power_;
  double factor = report.error > 0 ? safety_ * std::pow(allowed / report.error, 1 / p) : growth_;
  // where the error grows from step to step it goes on growing: Gustafsson (1994), after accepted steps
  const double error = report.error / allowed;
  if (predictive_ && ok && last_h_ > 0 && error > little::no_error)
    factor = std::min(factor, factor * (h / last_h_) * std::pow(last_error_ / error, 1 / p));
  if (ok) {
    last_h_ = report.next_step > 0 ? 0 : h;  // a step that the scheme chose, or holds, foretells nothing
    last_error_ = std::max(error, little::no_error);
  }
  const double growth = rejected_ && given_growth_ == 0 ? 1.0 : first_ ? first_growth_ : growth_;
  if (ok) first_ = false;
  const double shrink = report.passes_dead_point ? dead_point_shrink : largest_shrink;
  factor = std::clamp(factor, shrink, growth);
  if (!ok) factor = std::min(factor, 0.9);
  chosen_ = report.next_step > 0;
  h_ = chosen_ ? bounded(report.next_step, h, ok) : h * factor;
  if (!ok) h_ = std::clamp(h_, report.passes_dead_point ? shrink * h : 0, 0.9 * h);
  h_ = std::clamp(h_, min_step_, max_step_);
  rejected_ = !ok;
  return ok;
}

// the step that a scheme has chosen after the step h, under the ceiling that failures leave behind
double StepControl::bounded(double chosen, double h, bool ok) {
  if (!ok) {
    ceiling_ = below_failure * h;
    return chosen;
  }
  ceiling_ *= rise;
  return std::min(chosen, rejected_ ? h : std::max(ceiling_, h));
}

}  // namespace escapement
