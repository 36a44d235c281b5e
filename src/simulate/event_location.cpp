// Where the first event of a step is: bracketed on the dense output, then located as the step whose own result lands on
// it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/stage_rates.hpp"
#include "simulate/event_driven.hpp"

namespace escapement::inline simulate {

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int least_splits = 3;      // halvings of a step in which a gap may come near zero, before the rates there decide
constexpr int most_gap_splits = 11;      // where the gap moves faster than the motion
constexpr double agreement = 0.02;   // part of the gap to which a cubic must describe it
constexpr int most_refinements = 8;
constexpr double doubtful = 10;      // tolerances: gaps that come so near to zero on the dense output may close in steps themselves
constexpr double unseen = 2;         // times what a gap is seen to be beyond a cubic
// ends of the step, and points within that suit no simple period
constexpr std::array<double, 4> looks{0, 1, 0.37, 0.71};

// The cubic with these values and rates at 0 and 1. What a smooth function is beyond it vanishes at both ends as
// theta^2 (1 - theta)^2 does, times a + b (theta - 1/2) next
struct Cubic {
  double g, rate, g1, rate1;
  double operator()(double theta) const {
    const double x = theta, y = 1 - theta;
    return y * y * ((1 + 2 * x) * g + x * rate) + x * x * ((3 - 2 * x) * g1 - y * rate1);
  }
  double middle_rate() const { return 1.5 * (g1 - g) - 0.25 * (rate + rate1); }
  // Least Bernstein coefficient, of degree four, of cubic - beyond theta^2 (1 - theta)^2: the function does not fall below it. But
  // for the value at 0 where the function rises from zero there
  double least(double beyond, bool from_zero) const {
    const double b1 = g + rate / 3, b2 = g1 - rate1 / 3;
    const double least = std::min({0.25 * (g + 3 * b1), 0.5 * (b1 + b2) - beyond / 6, 0.25 * (3 * b2 + g1), g1});
    return from_zero ? least : std::min(least, g);
  }
};
constexpr double bump(double theta) { return theta * theta * (1 - theta) * (1 - theta); }

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
  if (event.driven) return held_slip(event.contact, s);
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
  const auto here = [&](const State& looked, const State& at) { return looked.t == at.t && looked.q == at.q && looked.v == at.v; };
  const auto keep = [&](std::size_t k) { gaps_[k].head(contacts) = dynamics_.all_gaps().segment(first, contacts); };
  const auto look = [&](std::size_t k, const State& at) {
    dynamics_.kinematics(at);
    for (int i = 0; i < contacts; ++i) rates_[k][i] = dynamics_.gap_rate(i);
    keep(k);
    copy_point(at, looked_[k]);
  };
  // steps begin where the last one has ended, and shorter ones where they did
  if (here(looked_[1], s)) {
    std::swap(gaps_[0], gaps_[1]);
    std::swap(rates_[0], rates_[1]);
    std::swap(looked_[0], looked_[1]);
  } else if (!here(looked_[0], s)) {
    look(0, s);
  }
  look(1, s1);
  for (std::size_t k = 2; k < looks.size(); ++k) {
    steps_.interpolate(scheme, looks[k], between_);
    dynamics_.gaps(between_);
    keep(k);
  }
  rates_known_ = false;
}

void EventDriven::look_at_rates(Scheme& scheme) {
  for (std::size_t k = 2; k < looks.size() && !rates_known_; ++k) {
    steps_.interpolate(scheme, looks[k], between_);
    dynamics_.kinematics(between_);
    for (int i = 0; i < system_.dim().unilateral; ++i) rates_[k][i] = dynamics_.gap_rate(i);
  }
  rates_known_ = true;
}

// how near to zero a gap is known only by the steps of the scheme itself, and what is noise in it
double EventDriven::near_gap(int contact) const { return doubtful * tolerance_ * dynamics_.gap_size(contact); }
double EventDriven::limit_noise(const PhaseEnd& limit) const {
  if (limit.cause == Cause::slip && view_.held(limit.contact)) return 0;
  return little::rest * (limit.cause == Cause::stick ? dynamics_.speed_size(limit.contact) : dynamics_.force_size(limit.contact));
}
double EventDriven::gap_noise(int contact) const { return little::gap * dynamics_.gap_size(contact) + 2 * slack_[contact]; }

// After look_at_gaps(): the gap is where the cubic through gaps and rates at the ends is, or as far beyond it as two places within
// tell, and that is above zero
bool EventDriven::stays_open(const State& s, const State& s1, int i) const {
  const double h = s1.t - s.t;
  const Cubic cubic{gaps_[0][i], h * rates_[0][i], gaps_[1][i], h * rates_[1][i]};
  const double x = looks[2], y = looks[3];
  const double at_x = (gaps_[2][i] - cubic(x)) / bump(x), at_y = (gaps_[3][i] - cubic(y)) / bump(y), slope = (at_y - at_x) / (y - x);
  const double beyond = std::max(std::abs(at_x - slope * x), std::abs(at_y + slope * (1 - y)));
  const bool from_zero = std::abs(cubic.g) <= gap_noise(i) && cubic.rate > 0;
  return cubic.least(unseen * beyond, from_zero) > std::max(near_gap(i), gap_noise(i));
}

// where an open contact's gap first falls through zero between s and s1, or nearly does
bool EventDriven::closing_bracket(Scheme& scheme, const State& s, const State& s1, PhaseEnd& end) {
  const int contact = end.contact;
  const double h = s1.t - s.t;
  const double noise = gap_noise(contact), near = near_gap(contact);
  if (gaps_[0][contact] > 0) slack_[contact] = 0;
  double largest = 0;
  for (const Vec& at : gaps_) largest = std::max(largest, std::abs(at[contact]));
  if (largest <= noise) {
    look_at_rates(scheme);
    double motion = 0;
    for (const Vec& at : rates_) motion = std::max(motion, h * std::abs(at[contact]));
    if (motion <= noise) return false;  // held at zero by joints and contacts that are closed
  }
  auto look = [&](double theta) {
    steps_.interpolate(scheme, theta, between_);
    dynamics_.kinematics(between_, contact);
    return Sample{theta, dynamics_.gap(contact), h * dynamics_.gap_rate(contact)};
  };
  // The extremum between two points whose rates have opposite signs: by false position, where an end that stays counts half
  auto turning_point = [&](const Sample& from, const Sample& to) {
    double a = from.theta, b = to.theta, at_a = from.rate, at_b = to.rate, x = b;
    enum { neither, first, second } stayed = neither;
    for (int i = 0; i < 60 && b - a > little::place; ++i) {
      const double last = x;
      x = (a * at_b - b * at_a) / (at_b - at_a);
      if (i > 0 && std::abs(x - last) <= little::place) break;
      const double rate = look(x).rate;
      if ((rate > 0) == (from.rate > 0)) {
        a = x;
        at_a = rate;
        if (stayed == second) at_b *= 0.5;
        stayed = second;
      } else {
        b = x;
        at_b = rate;
        if (stayed == first) at_a *= 0.5;
        stayed = first;
      }
    }
    return x;
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
      end.low = a.gap <= noise && rose ? turning_point(a, b) : a.theta;
      end.high = b.theta;
      return true;
    }
    if (!(a.rate < 0 && b.rate > 0 && a.gap > 0)) return false;
    // it may have dipped below zero in between
    const double lowest = turning_point(a, b);
    const double least = look(lowest).gap;
    if (least >= -noise && (least > near || lowest <= from)) return false;
    end.low = a.theta;
    end.high = lowest;
    end.until = least >= -noise ? b.theta : 0;
    return true;
  };
  auto scan = [&](auto&& self, const Sample& a, const Sample& b, int splits) -> bool {
    const double width = b.theta - a.theta;
    const Cubic cubic{a.gap, width * a.rate, b.gap, width * b.rate};
    const Sample middle = look(0.5 * (a.theta + b.theta));
    const double off = std::abs(middle.gap - cubic(0.5)), rate_off = std::abs(width * middle.rate - cubic.middle_rate());
    const double beyond = off / bump(0.5) + 0.5 * rate_off / bump(0.5);
    const bool from_zero = a.theta == 0 && std::abs(a.gap) <= noise && a.rate > 0;
    if (cubic.least(unseen * beyond, from_zero) > std::max(near, noise)) {
      passing = false;
      return false;
    }
    const double allowed =
        std::max(agreement * std::max({std::abs(a.gap), std::abs(middle.gap), std::abs(b.gap)}), little::cubic_floor * largest);
    if (splits < least_splits || (splits < most_gap_splits && off > allowed))
      return self(self, a, middle, splits + 1) || self(self, middle, b, splits + 1);
    return closes(a, middle) || closes(middle, b);
  };
  if (from >= 1) return false;
  const Sample first = from > 0 ? look(from) : Sample{0, gaps_[0][contact], h * rates_[0][contact]};
  return scan(scan, first, Sample{1, gaps_[1][contact], h * rates_[1][contact]}, 0);
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
  steps_.look_into(s, s1);
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
    if ((view_.held(i) || view_.guided(i)) && held_slip(i, s1) < 0) consider({.cause = Cause::slip, .contact = i, .driven = true});
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
      if (!steps_.step(scheme, s, x, trial_).ok()) {
        steps_.interpolate(scheme, x / h, trial_);
        trial_.memory = s1.memory;
      }
      trial_.t = s.t + x;
      view_.complete_multipliers(trial_);
      std::swap(s1, trial_);
      h = x;
      found = false;
      event_ = {};
      continue;
    }
    const bool at_once = x <= shortest(s.t, full_step_);  // nothing lies before it, and what looks for it there sees rounding
    // what leads to it lies behind the time: forces that jump there have jumped one number later
    trial_.t = at_once ? std::max(s.t + x, std::nextafter(s.t, std::numeric_limits<double>::infinity())) : s.t + x;
    view_.complete_multipliers(trial_);
    std::swap(s1, trial_);
    h = x;
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

bool EventDriven::dips(Scheme& scheme, const State& s, double h, const PhaseEnd& candidate, double& x, double& f, StepReport& report) {
  constexpr int most_steps = 6;
  const auto rate_at = [&](double part) {
    steps_.interpolate(scheme, part, between_);
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
    if (extra.ok() && !closing) view_.complete_multipliers(trial_);  // what sticks shares friction by its limits there, too
    return extra.ok();
  };
  // refine on the dense output first, it is cheap; then on the scheme's own steps, whose result is of higher order
  double low = candidate.low, high = candidate.high;
  // what rises from zero and soon falls again does so in shorter steps than the one that is interpolated
  const bool from_zero = !closing && low == 0, near = candidate.until > 0;
  double fb = std::numeric_limits<double>::quiet_NaN();
  if (near) {
    if (!dips(scheme, s, h, candidate, x, fb, report)) return Landing::never_closes;
    high = x / h;
    low = std::min(low, high);
  }
  for (int i = 0; i < 50 && high - low > little::rough_place && !from_zero && !near; ++i) {
    const double middle = 0.5 * (low + high);
    steps_.interpolate(scheme, middle, between_);
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
      steps_.interpolate(scheme, theta, between_);
      dynamics_.kinematics(between_, candidate.contact);
      if (dynamics_.gap_rate(candidate.contact) >= 0) {
        to = theta;
        break;
      }
      from = theta;
    }
    for (int i = 0; i < 30 && to - from > little::place; ++i) {
      const double middle = 0.5 * (from + to);
      steps_.interpolate(scheme, middle, between_);
      dynamics_.kinematics(between_, candidate.contact);
      (dynamics_.gap_rate(candidate.contact) < 0 ? from : to) = middle;
    }
    return from;
  };
  const auto on_dense_output = [&] {
    if (near) return Landing::never_closes;
    while ((high - low) * h > smallest) {
      const double middle = 0.5 * (low + high);
      steps_.interpolate(scheme, middle, between_);
      (value(scheme, candidate, between_, false) > 0 ? low : high) = middle;
    }
    x = high * h;
    steps_.interpolate(scheme, high, trial_);
    trial_.memory = s1.memory;
    return Landing::interpolated;
  };
  // velocities of index 3 are positions over h: a step this short would show their rounding. The dense output knows as
  // much
  const bool short_steps = scheme.info().index != 3;
  if (!short_steps && high * h <= little::short_step * full_step_) return on_dense_output();
  const double apart = closing ? little::gap * dynamics_.gap_size(candidate.contact) : 0;
  const double rounding = 16 * eps * dynamics_.gap_size(candidate.contact);
  const double noise = closing || !short_steps ? 0 : limit_noise(candidate);
  int stalls = 0;
  double closest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 80; ++i) {
    // a scheme may fail in a short step within one that it could take
    if (!take_step(x)) return on_dense_output();
    const double f = value(scheme, candidate, trial_, true);
    double rate = 0;
    if (closing) {
      rate = dynamics_.gap_rate(candidate.contact);
      if (rate < 0 && std::abs(f) <= -rate * smallest) break;
      // Rounding in the gap ends the search: at once where it does not move the place, else when the gap no longer falls. Index 3
      // makes a velocity of what is left, over the next step
      stalls = std::abs(f) < 0.5 * closest ? 0 : stalls + 1;
      closest = std::min(closest, std::abs(f));
      if (std::abs(f) <= rounding && (stalls >= 3 || (short_steps && std::abs(f) <= -rate * little::place * h))) break;
    } else if (std::abs(f) <= noise) {
      break;
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
