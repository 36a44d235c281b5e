// Where the first event of a step is: bracketed on the dense output, then located as the step whose own result lands on
// it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "simulate/event_driven.hpp"

namespace escapement {

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int intervals = 8;         // of the dense output, each with its middle, when a gap comes near zero
constexpr int most_splits = 8;       // of an interval in which the gap moves faster than the motion
constexpr double agreement = 0.02;   // part of the gap to which a cubic must describe it
constexpr int most_refinements = 8;
constexpr double doubtful = 10;      // tolerances: gaps that come so near to zero on the dense output may close in steps themselves
// ends of the step, and points within that suit no simple period
constexpr std::array<double, 4> looks{0, 1, 0.37, 0.71};

// the cubic with these values and rates at 0 and 1
double hermite(double theta, double g, double rate, double g1, double rate1) {
  const double u = 1 - theta;
  return u * u * ((1 + 2 * theta) * g + theta * rate) + theta * theta * ((1 + 2 * u) * g1 - u * rate1);
}

// step that the time can tell from none
double shortest(double t, double h) { return 2 * eps * std::max(std::abs(t), h); }

struct Sample {
  double theta, gap, rate;  // rate: per unit of theta
};
}  // namespace

double EventDriven::value(const Scheme& scheme, const PhaseEnd& event, const State& s, bool after_step) {
  if (event.cause == Cause::closing) {
    dynamics_.kinematics(s, event.contact);
    return dynamics_.gap(event.contact);
  }
  if (event.cause == Cause::slip && view_.held(event.contact)) return held_slip(event.contact, s);
  return after_step ? limits_.value_after_step(scheme, event, s) : limits_.value_within(event, s);
}

double EventDriven::held_slip(int contact, const State& s) {
  resting_ = s;
  end_phase(resting_);
  dynamics_.kinematics(resting_, contact);
  return little::solved * dynamics_.speed_size(contact) - dynamics_.slip_speed(contact);
}

bool EventDriven::comes_to_rest(int contact, const State& s) {
  if (system_.contacts()[contact].slips == 1) return true;
  dynamics_.kinematics(s, contact);
  return dynamics_.slip_speed(contact) <= std::max(slow_slip(contact), little::solved * dynamics_.speed_size(contact));
}

void EventDriven::look_at_gaps(Scheme& scheme, const State& s, const State& s1) {
  const int contacts = system_.dim().unilateral, first = system_.dim().bilateral;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    if (k < 2) {
      dynamics_.kinematics(k == 0 ? s : s1);
      for (int i = 0; i < contacts; ++i) rates_[k][i] = dynamics_.gap_rate(i);
    } else {
      steps_.interpolate(scheme, s, s1, looks[k], between_);
      dynamics_.gaps(between_);
    }
    gaps_[k].head(contacts) = dynamics_.all_gaps().segment(first, contacts);
  }
  rates_known_ = false;
}

void EventDriven::look_at_rates(Scheme& scheme, const State& s, const State& s1) {
  for (std::size_t k = 2; k < looks.size() && !rates_known_; ++k) {
    steps_.interpolate(scheme, s, s1, looks[k], between_);
    dynamics_.kinematics(between_);
    for (int i = 0; i < system_.dim().unilateral; ++i) rates_[k][i] = dynamics_.gap_rate(i);
  }
  rates_known_ = true;
}

// after look_at_gaps(): the cubic through gaps and rates at the ends has positive Bernstein coefficients, and the gap
// follows it
bool EventDriven::stays_open(const State& s, const State& s1, int i) const {
  const double h = s1.t - s.t, g = gaps_[0][i], rate = h * rates_[0][i], g1 = gaps_[1][i], rate1 = h * rates_[1][i];
  const double b1 = g + rate / 3, b2 = g1 - rate1 / 3;
  const double largest = std::max({std::abs(g), std::abs(b1), std::abs(b2), std::abs(g1)});
  if (std::min({g, b1, b2, g1}) <= agreement * largest) return false;
  for (std::size_t k = 2; k < looks.size(); ++k)
    if (std::abs(gaps_[k][i] - hermite(looks[k], g, rate, g1, rate1)) > agreement * largest) return false;
  return true;
}

// where an open contact's gap first falls through zero between s and s1, or nearly does
bool EventDriven::closing_bracket(Scheme& scheme, const State& s, const State& s1, PhaseEnd& end) {
  const int contact = end.contact;
  const double h = s1.t - s.t;
  const double noise = little::gap * dynamics_.gap_size(contact) + 2 * slack_[contact];
  const double near = doubtful * tolerance_ * dynamics_.gap_size(contact);
  if (gaps_[0][contact] > 0) slack_[contact] = 0;
  look_at_rates(scheme, s, s1);
  double largest = 0, motion = 0;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    largest = std::max(largest, std::abs(gaps_[k][contact]));
    motion = std::max(motion, h * std::abs(rates_[k][contact]));
  }
  if (largest <= noise && motion <= noise) return false;  // held at zero by joints and contacts that are closed
  auto look = [&](double theta) {
    steps_.interpolate(scheme, s, s1, theta, between_);
    dynamics_.kinematics(between_, contact);
    return Sample{theta, dynamics_.gap(contact), h * dynamics_.gap_rate(contact)};
  };
  // the extremum between two points whose rates have opposite signs
  auto turning_point = [&](double a, double b, bool maximum) {
    for (int i = 0; i < 60 && b - a > little::digits; ++i) {
      const double middle = 0.5 * (a + b);
      (maximum == (look(middle).rate > 0) ? a : b) = middle;
    }
    return 0.5 * (a + b);
  };
  const double from = passed_[contact] / h;
  bool passing = from > 0;  // the dip in which steps do not close, up to its end
  auto closes = [&](const Sample& a, const Sample& b) {
    passing = passing && a.gap <= 0 && b.gap <= 0;
    if (passing) return false;
    if (b.gap < -noise) {
      const bool rose = a.rate > 0 && b.rate < 0;
      if (a.gap <= 0 && !rose && a.rate > 0) return false;
      // from the start of an open phase the gap rises first: the root after its maximum is the one
      end.low = a.gap <= noise && rose ? turning_point(a.theta, b.theta, true) : a.theta;
      end.high = b.theta;
      return true;
    }
    if (!(a.rate < 0 && b.rate > 0 && a.gap > 0)) return false;
    // it may have dipped below zero in between
    const double lowest = turning_point(a.theta, b.theta, false);
    const double least = look(lowest).gap;
    if (least >= -noise && (least > near || lowest <= from)) return false;
    end.low = a.theta;
    end.high = lowest;
    end.until = least >= -noise ? b.theta : 0;
    return true;
  };
  auto scan = [&](auto&& self, const Sample& a, const Sample& b, int splits) -> bool {
    const Sample middle = look(0.5 * (a.theta + b.theta));
    const double width = b.theta - a.theta, expected = hermite(0.5, a.gap, width * a.rate, b.gap, width * b.rate);
    const double allowed =
        std::max(agreement * std::max({std::abs(a.gap), std::abs(middle.gap), std::abs(b.gap)}), little::cubic_floor * largest);
    if (splits < most_splits && std::abs(middle.gap - expected) > allowed)
      return self(self, a, middle, splits + 1) || self(self, middle, b, splits + 1);
    return closes(a, middle) || closes(middle, b);
  };
  Sample a = from > 0 ? look(std::min(from, 1.0)) : Sample{0, gaps_[0][contact], h * rates_[0][contact]};
  for (int k = 1; k <= intervals; ++k) {
    const double theta = static_cast<double>(k) / intervals;
    if (theta <= from * (1 + little::instant)) continue;
    const Sample b = k < intervals ? look(theta) : Sample{1, gaps_[1][contact], h * rates_[1][contact]};
    if (scan(scan, a, b, 0)) return true;
    a = b;
  }
  return false;
}

PhaseEnd EventDriven::first_candidate(Scheme& scheme, const State& s, const State& s1, bool by_gaps_alone) {
  PhaseEnd first;
  double earliest = 2;
  auto consider = [&](const PhaseEnd& end) {
    const double estimate = 0.5 * (end.low + end.high);
    if (end.cause == Cause::none || estimate >= earliest) return;
    earliest = estimate;
    first = end;
  };
  const Dim& dim = system_.dim();
  dynamics_.note_place(s);
  if (view_.closed_contacts() < dim.unilateral) look_at_gaps(scheme, s, s1);
  for (int i = 0; i < dim.unilateral; ++i) {
    if (view_.mode(i) != ContactMode::open) continue;
    if (stays_open(s, s1, i)) {
      slack_[i] = 0;
      continue;
    }
    PhaseEnd end{Cause::closing, i};
    if (closing_bracket(scheme, s, s1, end)) consider(end);
  }
  // what holds it leaves no room for a motion within the step
  const int laws = static_cast<int>(system_.contacts().size());
  for (int i = 0; i < laws && !by_gaps_alone; ++i)
    if (view_.held(i) && held_slip(i, s1) < 0) consider({Cause::slip, i});
  if (!by_gaps_alone) consider(limits_.first(scheme, s, s1));
  return first;
}

bool EventDriven::find(Scheme& scheme, const State& s, State& s1, double& h, StepReport& report) {
  event_ = {};
  full_step_ = h;
  dynamics_.note_step(h);
  across_ = scheme.info().index == 3;
  std::fill(passed_.begin(), passed_.end(), 0);
  bool found = false, by_gaps_alone = false, tried = false;
  // an event found may hide an earlier one: look again in the shortened step
  const int most_misses = most_refinements * static_cast<int>(system_.contacts().size());
  for (int landings = 0, misses = 0; landings < most_refinements && misses < most_misses;) {
    const PhaseEnd candidate = first_candidate(scheme, s, s1, by_gaps_alone);
    if (candidate.cause == Cause::none) break;
    double x;
    const Landing landing = land(scheme, s, s1, h, candidate, x, report);
    if (landing == Landing::never_closes) {
      tried = true;
      passed_[candidate.contact] = std::max(candidate.high, candidate.until) * h;
      ++misses;
      continue;
    }
    ++landings;
    if (candidate.cause == Cause::stick && landing != Landing::not_reached && !comes_to_rest(candidate.contact, trial_)) {
      // it has turned round: closer to where it is slowest its direction is known better
      x *= 0.5;
      if (!steps_.step(scheme, s, x, trial_).ok()) steps_.interpolate(scheme, s, s1, x / h, trial_);
      trial_.t = s.t + x;
      view_.complete_multipliers(trial_);
      std::swap(s1, trial_);
      h = x;
      found = false;
      event_ = {};
      continue;
    }
    trial_.t = s.t + x;
    view_.complete_multipliers(trial_);
    std::swap(s1, trial_);
    h = x;
    const bool at_once = x <= shortest(s.t, full_step_);  // nothing lies before it, and what looks for it there sees rounding
    found = at_once || landing != Landing::not_reached;
    event_ = found ? candidate : PhaseEnd{};
    if (at_once) break;
    // forces have led as far as they can, but a gap may close before
    by_gaps_alone = by_gaps_alone || landing == Landing::interpolated;
  }
  // a scheme remembers the end of its last step: let that be the one that stands, as it is in a run that goes on from here
  if (tried && !found && h == full_step_) steps_.step(scheme, s, h, trial_);
  return found;
}

bool EventDriven::dips(Scheme& scheme, const State& s, const State& s1, double h, const PhaseEnd& candidate, double& x, double& f,
                       StepReport& report) {
  constexpr int most_steps = 6;
  const auto rate_at = [&](double part) {
    steps_.interpolate(scheme, s, s1, part, between_);
    dynamics_.kinematics(between_, candidate.contact);
    return dynamics_.gap_rate(candidate.contact);
  };
  const double a = candidate.low * h, b = candidate.until * h;
  const double curvature = (rate_at(candidate.until) - rate_at(candidate.low)) / (b - a);
  if (!(curvature > 0)) return false;
  const double apart = little::gap * dynamics_.gap_size(candidate.contact);
  x = candidate.high * h;
  for (int i = 0; i < most_steps; ++i) {
    const StepReport extra = steps_.step(scheme, s, x, trial_);
    report.linear_solves += extra.linear_solves;
    report.newton_iterations += extra.newton_iterations;
    if (!extra.ok()) return false;
    dynamics_.kinematics(trial_, candidate.contact);
    f = dynamics_.gap(candidate.contact);
    if (f < -apart) return true;
    // the gap turns about here, at most that much deeper
    const double rate = dynamics_.gap_rate(candidate.contact), next = std::clamp(x - rate / curvature, a, b);
    if (f > rate * rate / curvature || std::abs(next - x) <= little::place * h) return false;
    x = next;
  }
  return false;
}

// trial_ becomes the result of the step of size x that ends on the candidate
EventDriven::Landing EventDriven::land(Scheme& scheme, const State& s, const State& s1, double h,
                                       const PhaseEnd& candidate, double& x, StepReport& report) {
  const bool closing = candidate.cause == Cause::closing;
  auto take_step = [&](double size) {
    const StepReport extra = steps_.step(scheme, s, size, trial_);
    report.linear_solves += extra.linear_solves;
    report.newton_iterations += extra.newton_iterations;
    return extra.ok();
  };
  // refine on the dense output first, it is cheap; then on the scheme's own steps, whose result is of higher order
  double low = candidate.low, high = candidate.high;
  // what rises from zero and soon falls again does so in shorter steps than the one that is interpolated
  const bool from_zero = !closing && low == 0, near = candidate.until > 0;
  double fb = std::numeric_limits<double>::quiet_NaN();
  if (near) {
    if (!dips(scheme, s, s1, h, candidate, x, fb, report)) return Landing::never_closes;
    high = x / h;
    low = std::min(low, high);
  }
  for (int i = 0; i < 50 && high - low > little::rough_place && !from_zero && !near; ++i) {
    const double middle = 0.5 * (low + high);
    steps_.interpolate(scheme, s, s1, middle, between_);
    (value(scheme, candidate, between_, false) > 0 ? low : high) = middle;
  }
  x = 0.5 * (low + high) * h;
  double a = low * h, b = high * h;
  if (!near) a = candidate.low * h, b = candidate.high * h;
  double fa = std::numeric_limits<double>::quiet_NaN();
  const double smallest = shortest(s.t, h);
  // where a gap that falls at this part of the step turns, on the dense output
  const auto deepest = [&](double part) {
    double from = part, to = 1;
    constexpr int looks_ahead = 16;
    for (int k = 1; k <= looks_ahead; ++k) {
      const double theta = part + (1 - part) * k / looks_ahead;
      steps_.interpolate(scheme, s, s1, theta, between_);
      dynamics_.kinematics(between_, candidate.contact);
      if (dynamics_.gap_rate(candidate.contact) >= 0) {
        to = theta;
        break;
      }
      from = theta;
    }
    for (int i = 0; i < 30 && to - from > little::place; ++i) {
      const double middle = 0.5 * (from + to);
      steps_.interpolate(scheme, s, s1, middle, between_);
      dynamics_.kinematics(between_, candidate.contact);
      (dynamics_.gap_rate(candidate.contact) < 0 ? from : to) = middle;
    }
    return from;
  };
  const auto on_dense_output = [&] {
    if (near) return Landing::never_closes;
    while ((high - low) * h > smallest) {
      const double middle = 0.5 * (low + high);
      steps_.interpolate(scheme, s, s1, middle, between_);
      (value(scheme, candidate, between_, false) > 0 ? low : high) = middle;
    }
    x = high * h;
    steps_.interpolate(scheme, s, s1, high, trial_);
    return Landing::interpolated;
  };
  // velocities of index 3 are positions over h: a step this short would show their rounding. The dense output knows as
  // much
  const bool short_steps = scheme.info().index != 3;
  if (!short_steps && high * h <= little::short_step * full_step_) return on_dense_output();
  const double apart = closing ? little::gap * dynamics_.gap_size(candidate.contact) : 0;
  int stalls = 0;
  double closest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 80; ++i) {
    // a scheme may fail in a short step within one that it could take
    if (!take_step(x)) return on_dense_output();
    const double f = value(scheme, candidate, trial_, true);
    double rate = 0;
    if (closing) {
      rate = dynamics_.gap_rate(candidate.contact);
      // rounding in the gap ends the search once it no longer falls
      stalls = std::abs(f) < 0.5 * closest ? 0 : stalls + 1;
      closest = std::min(closest, std::abs(f));
      if (rate < 0 && std::abs(f) <= -rate * smallest) break;
      if (stalls >= 3 && std::abs(f) <= 16 * eps * dynamics_.gap_size(candidate.contact)) break;
    }
    // a gap that stays exactly zero has not closed yet (two surfaces that coincide up to here): look for its last zero
    const bool grazes = closing && f == 0 && rate >= 0;
    // closed on the dense output but not by the scheme's own steps: later in this step, or never
    if (closing && b - x <= smallest && f > apart) {
      if (b >= h) return Landing::never_closes;
      if (gaps_[1][candidate.contact] < 0) {
        b = h;
        fb = gaps_[1][candidate.contact];
      } else {
        // the dense output falls deeper behind: where it turns, the scheme's own steps may have closed too
        const double turn = deepest(b / h) * h;
        if (turn - b <= smallest) return Landing::never_closes;
        b = turn;
      }
    } else if (!closing && b - x <= smallest && std::isnan(fb) && f > 0) {
      return Landing::not_reached;
    } else if ((f == 0 && !grazes) || b - a <= smallest) {
      if (grazes && x != b) {
        x = b;
        if (!take_step(x)) return on_dense_output();
      }
      break;
    }
    if (f > 0 || grazes) {
      a = x;
      fa = f;
    } else {
      b = x;
      fb = f;
    }
    double next = 0.5 * (a + b);
    if (rate < 0 && x - f / rate > a && x - f / rate < b) {
      next = x - f / rate;  // Newton's method: the gap rate is the slope
    } else if (f > 0 && std::isnan(fb)) {
      next = b;
    } else if (std::isfinite(fa) && std::isfinite(fb) && i % 3 != 2) {
      next = (a * fb - b * fa) / (fb - fa);
    }
    if (std::abs(next - x) <= smallest) break;
    if (!short_steps && next <= little::short_step * full_step_) return on_dense_output();
    x = next;
  }
  // forces that jump through zero end the phase before the jump: beyond it the closed contacts contradict each other
  const bool jump = b - a <= 16 * smallest;
  if (candidate.cause == Cause::opening && jump && a > 0 && x != a && value(scheme, candidate, trial_, true) < 0) {
    x = a;
    return take_step(x) ? Landing::done : on_dense_output();
  }
  return Landing::done;
}

}  // namespace escapement
