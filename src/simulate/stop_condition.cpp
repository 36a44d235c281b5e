#include "simulate/stop_condition.hpp"

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr int most_probes = 8;   // looks at a condition that is no expression, within a step
constexpr int most_halves = 64;  // of a step; a change takes twenty. More are needed only by a motion that stays where it changes
constexpr double nowhere = 2;
}  // namespace

StopCondition::StopCondition(std::function<double(const State&)> value, ExplicitTerms* terms)
    : value_(std::move(value)), terms_(terms) {
  if (!terms_) return;
  const std::size_t inputs = static_cast<std::size_t>(std::max(1, terms_->of_motion.inputs()));
  ranges_.resize(inputs);
  pieces_.resize(inputs);
}

bool StopCondition::unsettled(double from, double to) {
  const auto any = [](const ExpressionWatch& watch) {
    for (int k = 0; k < watch.switches(); ++k)
      if (watch.unsettled(k)) return true;
    return false;
  };
  if (terms_->of_time.switches() > 0) {
    const Enclosure time{{t_ + from * h_, t_ + to * h_}, {1, 1}};
    terms_->of_time.enclose({&time, 1});
    if (any(terms_->of_time)) return true;
  }
  if (terms_->of_motion.switches() == 0) return false;
  ranges_.part(from, to, pieces_);
  terms_->of_motion.enclose(pieces_);
  return any(terms_->of_motion);
}

// the end of the first part throughout which it cannot change and at whose end it holds
template <class Holds>
double StopCondition::first_end(double from, double to, Holds& holds_at) {
  if (to - from > little::rough_place && splits_left_ > 0 && unsettled(from, to)) {
    --splits_left_;
    const double middle = 0.5 * (from + to);
    const double first = first_end(from, middle, holds_at);
    return first <= 1 ? first : first_end(middle, to, holds_at);
  }
  if (holds_at(to)) return to;
  before_ = to;
  return nowhere;
}

double StopCondition::find(Course& course, Sampling& samples) {
  if (!value_) return nowhere;
  auto holds_at = [&](double theta) { return holds(theta == 1 ? course.s1 : samples.look(course, theta)); };
  before_ = 0;
  double high = nowhere;
  if (terms_) {
    t_ = course.s.t;
    h_ = course.s1.t - t_;
    if (terms_->of_motion.switches() > 0)
      ranges_.follow(h_, [&](double place, double* in) {
        terms_->fill(place == 0 ? course.s : place == 1 ? course.s1 : samples.look(course, place), in);
      });
    splits_left_ = most_halves;
    high = first_end(0, 1, holds_at);
  } else {
    for (int i = 1; i <= most_probes && high > 1; ++i) {
      const double theta = static_cast<double>(i) / most_probes;
      if (holds_at(theta))
        high = theta;
      else
        before_ = theta;
    }
  }
  if (high > 1) return nowhere;
  double low = before_;
  while (high - low > little::rounding) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (holds_at(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace escapement
