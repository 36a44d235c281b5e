#include "simulate/event_driven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement {

namespace {
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int samples_per_step = 16;      // of the dense output, when a gap comes near zero
constexpr double gap_noise = 1e-13;       // scaled: gaps above minus this have not closed
constexpr double rest_velocity = 1e-12;   // scaled: contacts slower than this neither approach nor leave
constexpr double rest_acceleration = 1e-9;
constexpr int most_impacts_at_once = 50;  // rounds at one instant before all contacts of the set become plastic
constexpr int most_events_at_once = 200;  // events without progress in time before the run gives up
constexpr int most_refinements = 8;
}  // namespace

EventDriven::EventDriven(const System& system, const Options& loop)
    : system_(system),
      view_(system),
      dynamics_(system, loop.text("impact_law"), loop.text("contact_solver")),
      zeno_velocity_(loop.number("zeno_velocity")),
      simultaneous_gap_(loop.number("simultaneous_gap")),
      between_(make_state(view_.dim())),
      trial_(make_state(view_.dim())),
      by_stages_(loop.text("singularity") == "lcp"),
      scale_(Vec::Ones(system.dim().rows())) {
  const std::size_t n = system.contacts().size();
  set_.reserve(n);
  slack_.assign(n, 0);
  plastic_.reserve(n);
  events_.reserve(4 * n + 8);
}

bool EventDriven::begin(State& s) {
  last_event_ = -std::numeric_limits<double>::infinity();
  events_at_once_ = 0;
  event_ = {};
  return act(s);
}

void EventDriven::exchange(Snapshot& s) {
  for (int i = 0; i < system_.dim().unilateral; ++i) {
    ContactMode mode = view_.mode(i);
    s(mode);
    view_.set(i, mode);
  }
  s(event_.cause, event_.contact, event_.low, event_.high, slack_, jumped_, last_event_, full_step_, events_at_once_);
}

// positive before the event, negative after it
double EventDriven::value(Cause cause, int contact, const State& s) {
  const Dim& dim = system_.dim();
  const double normal = s.lambda[dim.bilateral + contact];
  const ContactLaw& law = system_.contacts()[contact];
  switch (cause) {
    case Cause::closing: dynamics_.kinematics(s); return dynamics_.gap(contact);
    case Cause::opening: return normal;
    case Cause::stick: {
      dynamics_.kinematics(s);
      const double slip = dynamics_.slip(contact);
      return view_.mode(contact) == ContactMode::slide_forward ? slip : -slip;
    }
    case Cause::slip: return law.friction * normal - std::abs(s.lambda[dim.rows() + law.slip]);
    case Cause::none: break;
  }
  return 1;
}

// where an open contact's gap first falls through zero between s and s1, as fractions of the step
bool EventDriven::closing_bracket(Scheme& scheme, const State& s, const State& s1, int contact, double& low, double& high) {
  const double h = s1.t - s.t;
  dynamics_.kinematics(s);
  double g = dynamics_.gap(contact), rate = dynamics_.gap_rate(contact);
  dynamics_.kinematics(s1);
  const double g1 = dynamics_.gap(contact), rate1 = dynamics_.gap_rate(contact);
  const double noise = gap_noise * scale_[system_.dim().bilateral + contact] + 2 * slack_[contact];
  if (g > 0) slack_[contact] = 0;

  // the cubic through gaps and rates stays positive when its Bernstein coefficients do
  const double b1 = g + h * rate / 3, b2 = g1 - h * rate1 / 3;
  const double largest = std::max({std::abs(g), std::abs(b1), std::abs(b2), std::abs(g1)});
  if (std::min({g, b1, b2, g1}) > 0.02 * largest) return false;

  auto look = [&](double theta, double& gap, double& gap_rate) {
    scheme.interpolate(view_, s, s1, theta, between_);
    dynamics_.kinematics(between_);
    gap = dynamics_.gap(contact);
    gap_rate = dynamics_.gap_rate(contact);
  };
  // the extremum between two points whose rates have opposite signs
  auto turning_point = [&](double a, double b, bool maximum) {
    for (int i = 0; i < 60 && b - a > 1e-14; ++i) {
      const double middle = 0.5 * (a + b);
      double gap, gap_rate;
      look(middle, gap, gap_rate);
      (maximum == (gap_rate > 0) ? a : b) = middle;
    }
    return 0.5 * (a + b);
  };

  double theta = 0;
  for (int k = 1; k <= samples_per_step; ++k) {
    const double theta1 = static_cast<double>(k) / samples_per_step;
    double gap = g1, gap_rate = rate1;
    if (k < samples_per_step) look(theta1, gap, gap_rate);
    if (gap < -noise) {
      const bool rose = rate > 0 && gap_rate < 0;
      if (g > 0 || rose || rate <= 0) {
        // from the start of an open phase the gap rises first: the root after its maximum is the one
        low = g <= noise && rose ? turning_point(theta, theta1, true) : theta;
        high = theta1;
        return true;
      }
    } else if (rate < 0 && gap_rate > 0 && g > 0) {
      // it may have dipped below zero in between
      const double lowest = turning_point(theta, theta1, false);
      double dip, dip_rate;
      look(lowest, dip, dip_rate);
      if (dip < -noise) {
        low = theta;
        high = lowest;
        return true;
      }
    }
    theta = theta1;
    g = gap;
    rate = gap_rate;
  }
  return false;
}

EventDriven::Candidate EventDriven::first_candidate(Scheme& scheme, const State& s, const State& s1) {
  Candidate first;
  double earliest = 2;
  auto consider = [&](Cause cause, int contact, double low, double high, double estimate) {
    if (estimate >= earliest) return;
    earliest = estimate;
    first = {cause, contact, low, high};
  };
  const Dim& dim = system_.dim();
  system_.position_scale(s, scale_);
  for (int i = 0; i < dim.unilateral; ++i) {
    if (view_.mode(i) == ContactMode::open) {
      double low, high;
      if (closing_bracket(scheme, s, s1, i, low, high)) consider(Cause::closing, i, low, high, 0.5 * (low + high));
      continue;
    }
    auto sign_change = [&](Cause cause, double noise) {
      const double after = value(cause, i, s1);
      if (after >= -noise) return;
      const double before = std::max(value(cause, i, s), 0.0);
      consider(cause, i, 0, 1, before / (before - after));
    };
    const double force = std::abs(s.lambda[dim.bilateral + i]) + std::abs(s1.lambda[dim.bilateral + i]);
    sign_change(Cause::opening, 1e-12 * force);
    if (view_.mode(i) == ContactMode::closed) {
      if (dynamics_.frictional(i)) sign_change(Cause::slip, 1e-12 * force);
    } else {
      sign_change(Cause::stick, rest_velocity);
    }
  }
  return first;
}

bool EventDriven::find(Scheme& scheme, const State& s, State& s1, double& h, StepReport& report) {
  event_ = {};
  bool found = false;
  full_step_ = h;
  // an event found may hide an earlier one: look again in the shortened step
  for (int round = 0; round < most_refinements; ++round) {
    const Candidate candidate = first_candidate(scheme, s, s1);
    if (candidate.cause == Cause::none) break;

    auto take_step = [&](double size) {
      const StepReport extra = scheme.step(view_, s, size, trial_);
      report.linear_solves += extra.linear_solves;
      report.newton_iterations += extra.newton_iterations;
      return extra.ok();
    };
    // refine on the dense output first, it is cheap; then on the scheme's own steps, whose result is of higher order
    double low = candidate.low, high = candidate.high;
    for (int i = 0; i < 50 && high - low > 1e-6; ++i) {
      const double middle = 0.5 * (low + high);
      scheme.interpolate(view_, s, s1, middle, between_);
      (value(candidate.cause, candidate.contact, between_) > 0 ? low : high) = middle;
    }
    double x = 0.5 * (low + high) * h, a = candidate.low * h, b = candidate.high * h;
    double fa = std::numeric_limits<double>::quiet_NaN(), fb = fa;
    const double smallest = 2 * eps * std::max(std::abs(s.t), h);
    bool landed = false;
    int stalls = 0;
    double closest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 80; ++i) {
      if (!take_step(x)) break;
      const double f = value(candidate.cause, candidate.contact, trial_);
      landed = true;
      double rate = 0;
      if (candidate.cause == Cause::closing) {
        rate = dynamics_.gap_rate(candidate.contact);
        // rounding in the gap ends the search once it no longer falls
        stalls = std::abs(f) < 0.5 * closest ? 0 : stalls + 1;
        closest = std::min(closest, std::abs(f));
        if (rate < 0 && std::abs(f) <= -rate * smallest) break;
        if (stalls >= 3 && std::abs(f) <= 16 * eps * scale_[system_.dim().bilateral + candidate.contact]) break;
      }
      // a gap that stays exactly zero has not closed yet (two surfaces that coincide up to here): look for its last zero
      const bool grazes = candidate.cause == Cause::closing && f == 0 && rate >= 0;
      if ((f == 0 && !grazes) || b - a <= smallest) {
        if (grazes && x != b) {
          x = b;
          take_step(x);
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
      } else if (std::isfinite(fa) && std::isfinite(fb) && i % 3 != 2) {
        next = (a * fb - b * fa) / (fb - fa);
      }
      if (std::abs(next - x) <= smallest) break;
      x = next;
    }
    if (!landed) break;
    // forces that jump through zero end the phase before the jump: beyond it the closed contacts contradict each other
    if (candidate.cause == Cause::opening && a > 0 && x != a && value(candidate.cause, candidate.contact, trial_) < 0) {
      x = a;
      if (!take_step(x)) break;
    }
    trial_.t = s.t + x;
    view_.complete_multipliers(trial_.lambda);
    std::swap(s1, trial_);
    h = x;
    event_ = candidate;
    found = true;
  }
  return found;
}

bool EventDriven::jumps(const State& s, const State& s1) const {
  if (view_.closed_contacts() == 0 || s.v.size() == 0) return false;
  constexpr double many = 100, noise = 1e-6;
  const double change = (s1.v - s.v).cwiseAbs().maxCoeff(), size = 1 + s.v.cwiseAbs().maxCoeff();
  const double explained = (s1.t - s.t) * std::max(s.vdot.cwiseAbs().maxCoeff(), s1.vdot.cwiseAbs().maxCoeff());
  return change > many * explained + noise * size;
}

bool EventDriven::act(State& s) {
  events_.clear();
  jumped_ = false;
  const double t = s.t;
  if (t - last_event_ > 64 * eps * std::abs(t)) {
    events_at_once_ = 0;
  } else if (++events_at_once_ > most_events_at_once) {
    set_.clear();
    dynamics_.kinematics(s);
    for (int i = 0; i < system_.dim().unilateral; ++i)
      if (dynamics_.gap(i) <= 10 * simultaneous_gap_) set_.push_back(i);
    message_ = fmt::format("contacts chatter at t = {:.12g} s: {} changes of state without progress ({}); raise zeno_velocity or simultaneous_gap, or use a time-stepping scheme",
                           t, events_at_once_, contact_names(set_));
    return false;
  }
  last_event_ = t;

  if (event_.cause == Cause::slip) {
    // friction at its limit opposes the motion that begins
    const double force = s.lambda[system_.dim().rows() + system_.contacts()[event_.contact].slip];
    view_.set(event_.contact, force > 0 ? ContactMode::slide_backward : ContactMode::slide_forward);
    record(Event::Kind::slide, event_.contact, t);
  }
  if (!impacts(s) || !decide_modes(s)) return false;
  // forces that vanish just ahead but not here: the shape of a contact changes at this place
  if (event_.cause == Cause::opening && events_.empty()) pass_singularity(s, 1e-3 * full_step_);
  return true;
}

bool EventDriven::impacts(State& s) {
  system_.position_scale(s, scale_);
  const int first = system_.dim().bilateral;
  for (int round = 0;; ++round) {
    dynamics_.kinematics(s);
    set_.clear();
    bool approaching = false;
    for (int i = 0; i < system_.dim().unilateral; ++i) {
      const bool touching = dynamics_.gap(i) <= simultaneous_gap_ * scale_[first + i] || view_.mode(i) != ContactMode::open ||
                            (event_.cause == Cause::closing && event_.contact == i);
      if (!touching) continue;
      set_.push_back(i);
      approaching = approaching || dynamics_.gap_rate(i) < -rest_velocity * dynamics_.gap_rate_size(i);
    }
    if (!approaching) return true;
    if (!dynamics_.respond(s, set_)) {
      message_ = fmt::format("the impact at t = {:.12g} s cannot be solved: the mass matrix is singular", s.t);
      return false;
    }

    // a slow approach of a contact that is pressed together ends its sequence of impacts
    plastic_.assign(set_.size(), round >= most_impacts_at_once);
    bool any_slow = false;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      const double rate = dynamics_.gap_rate(set_[k]);
      any_slow = any_slow || (rate <= 0 && rate > -zeno_velocity_);
    }
    if (any_slow && round < most_impacts_at_once) {
      const auto& pressed = dynamics_.acceleration(s, view_);
      for (std::size_t k = 0; k < set_.size(); ++k) {
        const double rate = dynamics_.gap_rate(set_[k]);
        plastic_[k] = pressed.ok && rate <= 0 && rate > -zeno_velocity_ && pressed.normal[k] > 0;
      }
      for (std::size_t k = 0; k < set_.size(); ++k) {
        const double e = system_.contacts()[set_[k]].restitution, rate = dynamics_.gap_rate(set_[k]);
        if (!plastic_[k] || e == 0 || rate >= -rest_velocity * dynamics_.gap_rate_size(set_[k])) continue;
        const double pull = dynamics_.pull(plastic_, static_cast<int>(k));
        // the flights that were to follow: 2 e |rate| / pull, shrinking by e each
        if (pull > 0 && e < 1) record(Event::Kind::zeno, set_[k], s.t + 2 * e * -rate / (pull * (1 - e)), rate);
      }
    }

    const auto& impact = dynamics_.impact(s, plastic_);
    if (!impact.ok) {
      message_ = fmt::format("the impact problem at t = {:.12g} s was not solved ({}); try another contact_solver", s.t, contact_names(set_));
      return false;
    }
    jumped_ = true;
    bool first_entry = true;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      if (impact.normal[k] <= 0) continue;
      record(Event::Kind::impact, set_[k], s.t, impact.before[k], impact.after[k], impact.normal[k]);
      events_.back().first_of_instant = first_entry && round == 0;
      events_.back().energy_change = first_entry ? impact.energy_change : 0;
      events_.back().energy_gain = first_entry && impact.energy_gain;
      first_entry = false;
    }
    if (round > 2 * most_impacts_at_once) {
      message_ = fmt::format("impacts at t = {:.12g} s do not end ({})", s.t, contact_names(set_));
      return false;
    }
  }
}

// which of the touching contacts stay closed, and whether they stick or slide: the acceleration-level problem
bool EventDriven::decide_modes(State& s) {
  const int first = system_.dim().bilateral;
  dynamics_.kinematics(s);
  set_.clear();
  for (int i = 0; i < system_.dim().unilateral; ++i) {
    const bool was_closed = view_.mode(i) != ContactMode::open;
    const bool touching = dynamics_.gap(i) <= simultaneous_gap_ * scale_[first + i] || was_closed ||
                          (event_.cause == Cause::closing && event_.contact == i);
    const bool resting = std::abs(dynamics_.gap_rate(i)) <= (was_closed && !jumped_ ? 1e-6 : rest_velocity) * dynamics_.gap_rate_size(i);
    if (touching && resting) {
      set_.push_back(i);
    } else if (was_closed) {
      open(i, s.t);
    }
  }
  if (set_.empty()) return true;
  if (!dynamics_.respond(s, set_)) {
    message_ = fmt::format("the contact forces at t = {:.12g} s cannot be found: the mass matrix is singular", s.t);
    return false;
  }

  std::vector<ContactMode> before;
  for (int i : set_) {
    before.push_back(view_.mode(i));
    const double slip = dynamics_.slip(i);
    const bool slides = dynamics_.frictional(i) && std::abs(slip) > rest_velocity * dynamics_.gap_rate_size(i) &&
                        !(event_.cause == Cause::stick && event_.contact == i);
    const bool begins = event_.cause == Cause::slip && event_.contact == i;
    if (slides) {
      view_.set(i, slip > 0 ? ContactMode::slide_forward : ContactMode::slide_backward);
    } else if (!begins) {
      view_.set(i, ContactMode::closed);
    }
  }
  const auto& result = dynamics_.acceleration(s, view_);
  if (!result.ok) {
    message_ = fmt::format("the contact forces at t = {:.12g} s were not found ({}); try another contact_solver", s.t, contact_names(set_));
    return false;
  }
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const int i = set_[k];
    // a contact at the limit between pressing and opening leaves when forces have vanished, and does not come back by rounding
    const double noise = rest_acceleration * result.size[k];
    const bool pressed = result.pressing[k] > noise;
    const bool arrived = event_.cause == Cause::closing && event_.contact == i;
    const bool stays = pressed || arrived || (before[k] != ContactMode::open && event_.cause != Cause::opening);
    if (result.opening[k] > noise || !stays) {
      if (before[k] == ContactMode::open) {
        view_.set(i, ContactMode::open);
      } else {
        open(i, s.t);
      }
      continue;
    } else if (view_.mode(i) == ContactMode::closed && dynamics_.frictional(i) && std::abs(result.slip_rate[k]) > noise) {
      view_.set(i, result.slip_rate[k] > 0 ? ContactMode::slide_forward : ContactMode::slide_backward);
    }
    const ContactMode now = view_.mode(i);
    if (now == before[k]) continue;
    if (before[k] == ContactMode::open) {
      record(Event::Kind::close, i, s.t);
    } else {
      record(now == ContactMode::closed ? Event::Kind::stick : Event::Kind::slide, i, s.t);
    }
  }
  return true;
}

bool EventDriven::pass_singularity(const State& s, double h) {
  events_.clear();
  jumped_ = false;
  std::vector<double> force(system_.dim().unilateral, 0);
  if (!find_forces_ahead(s, h, force)) return false;
  dynamics_.kinematics(s);
  for (int i = 0; i < system_.dim().unilateral; ++i)
    if (view_.mode(i) != ContactMode::open && force[i] <= 0) open(i, s.t);
  return !events_.empty();
}

bool EventDriven::find_forces_ahead(const State& s, double h, std::vector<double>& force) {
  const Dim& dim = system_.dim();
  if (by_stages_) {
    if (!stages_) stages_ = std::make_unique<StageComplementarity>(view_, dim.bilateral, dim.unilateral);
    if (!stages_->step(s, h)) return false;
    for (int i = 0; i < dim.unilateral; ++i) force[i] = stages_->force(i);
    return true;
  }
  if (!scout_) scout_ = make_scheme("moreau-jean");
  State before = make_state(dim), after = before;
  before.t = s.t;
  before.q = s.q;
  before.v = s.v;
  before.z = s.z;
  scout_->start(system_, before);
  after = before;
  if (!scout_->step(system_, before, h, after).ok()) return false;
  for (int i = 0; i < dim.unilateral; ++i) force[i] = after.lambda[dim.bilateral + i];
  return true;
}

void EventDriven::open(int contact, double t) {
  view_.set(contact, ContactMode::open);
  slack_[contact] = std::max(0.0, -dynamics_.gap(contact));
  record(Event::Kind::open, contact, t);
}

void EventDriven::record(Event::Kind kind, int contact, double t, double before, double after, double impulse) {
  Event event;
  event.kind = kind;
  event.contact = contact;
  event.t = t;
  event.velocity_before = before;
  event.velocity_after = after;
  event.impulse = impulse;
  events_.push_back(event);
}

std::string EventDriven::contact_names(const std::vector<int>& set) const {
  std::string text;
  for (int i : set) text += fmt::format("{}'{}'", text.empty() ? "contact " : ", ", system_.contacts()[i].name);
  return text;
}

}  // namespace escapement
