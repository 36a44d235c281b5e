#include "simulate/event_driven.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "math/tolerances.hpp"
#include "schemes/projection.hpp"
#include "schemes/stage_complementarity.hpp"
#include "simulate/held_slips.hpp"

namespace escapement::inline simulate {

namespace {
constexpr double jump = 100;  // times what the speed explains
constexpr int most_impacts_at_once = 50;  // rounds at one instant before all contacts of the set become plastic
}  // namespace

EventDriven::EventDriven(const System& system, const Options& loop, double run, double patience)
    : system_(system),
      view_(system),
      steps_(view_),
      dynamics_(system, loop.text("impact_law"), loop.text("contact_solver")),
      limits_(system, view_, steps_, dynamics_),
      zeno_velocity_(loop.number("zeno_velocity")),
      simultaneous_gap_(loop.number("simultaneous_gap")),
      run_(run),
      between_(make_state(system.dim())),
      trial_(between_),
      by_stages_(loop.text("singularity") == "lcp"),
      speeds_(Vec::Zero(system.dim().v)),
      watch_(system, run, patience) {
  const std::size_t n = system.contacts().size();
  set_.reserve(n);
  left_.reserve(n);
  with_brakes_.reserve(n);
  for (const ContactLaw& law : system_.contacts()) follows_ = follows_ || law.follows();
  slack_.assign(n, 0);
  passed_.assign(n, 0);
  gaps_.assign(4, Vec::Zero(static_cast<int>(n)));
  rates_ = gaps_;
  for (State& looked : looked_) looked.t = std::numeric_limits<double>::quiet_NaN();
  plastic_.reserve(n);
  events_.reserve(4 * n + 8);
}

bool EventDriven::begin(State& s) {
  watch_.restart();
  event_ = {};
  learn_sizes(s);
  starts_ = true;
  const bool ok = act(s);
  starts_ = false;
  return ok;
}

void EventDriven::take_over(const State& s) {
  dynamics_.kinematics(s);
  for (int i = 0; i < system_.dim().unilateral; ++i) {
    if (view_.mode(i) == ContactMode::open || s.lambda[system_.dim().bilateral + i] > 0) continue;
    view_.set(i, ContactMode::open);
    slack_[i] = std::max(0.0, -dynamics_.gap(i));
  }
}

// before anything has moved: what forces do at contacts that touch, and would do within a step
void EventDriven::learn_sizes(const State& s) {
  dynamics_.note_place(s);
  dynamics_.kinematics(s);
  set_.clear();
  for (int i = 0; i < system_.dim().unilateral; ++i)
    if (dynamics_.gap(i) <= touching_gap(i)) set_.push_back(i);
  add_brakes(set_);
  if (!set_.empty() && dynamics_.respond(s, set_)) dynamics_.acceleration(s, view_);
  dynamics_.note_step(little::first_step * run_);
}

void EventDriven::add_brakes(std::vector<int>& set) const {
  for (int i = system_.dim().unilateral; i < static_cast<int>(system_.contacts().size()); ++i) set.push_back(i);
}

void EventDriven::begin_step(const State& s) {
  const std::span<const ContactLaw> laws = system_.contacts();
  bool turning = false;
  for (std::size_t i = 0; i < laws.size() && !turning; ++i) turning = laws[i].slips > 1 && view_.mode(int(i)) == ContactMode::slide;
  if (!turning) return;
  dynamics_.kinematics(s);
  for (int i = 0; i < static_cast<int>(laws.size()); ++i)
    view_.begin_step(i, dynamics_.slip(i).data(), slow_slip(i));
}

void EventDriven::exchange(Snapshot& s) {
  for (int i = 0; i < static_cast<int>(system_.contacts().size()); ++i) {
    ContactMode mode = view_.mode(i);
    bool held = view_.held(i), guided = view_.guided(i);
    ActiveView::Direction along = view_.along(i), way = view_.way(i);
    double too_slow = view_.too_slow(i);
    s(mode, held, guided, along[0], along[1], way[0], way[1], too_slow);
    view_.slide(i, along);
    view_.set(i, mode);
    view_.hold(i, held);
    if (guided) view_.guide(i, way);
    constexpr double still[2] = {0, 0};
    view_.begin_step(i, still, too_slow);  // which turns no direction
  }
  s(event_.cause, event_.contact, event_.low, event_.high, event_.side, slack_, jumped_, full_step_, speeds_);
  s(looked_[1], gaps_[1], rates_[1]);  // where the next step begins
  dynamics_.exchange(s);
  limits_.exchange(s);
  watch_.exchange(s);
}

bool EventDriven::jumps(const State& s, const State& s1) {
  if (view_.closed_contacts() == 0) return false;
  const double h = s1.t - s.t;
  // as lengths of velocities in the kinetic metric
  double change = 0, explained = 0, size = 0;
  for (int i = 0; i < s.v.size(); ++i) {
    const double mass = dynamics_.mass(i), rate = std::max(std::abs(s.vdot[i]), std::abs(s1.vdot[i]));
    speeds_[i] = std::max(std::max(speeds_[i], std::abs(s.v[i])), h * dynamics_.free_acceleration()[i]);
    change += mass * (s1.v[i] - s.v[i]) * (s1.v[i] - s.v[i]);
    explained += mass * h * rate * h * rate;
    size += mass * speeds_[i] * speeds_[i];
  }
  return std::sqrt(change) > jump * std::sqrt(explained) + little::unexplained * std::sqrt(size);
}

double EventDriven::zeno_velocity(int contact, double t) const {
  if (zeno_velocity_ > 0) return zeno_velocity_;
  const double a = dynamics_.acceleration_size(contact);
  const double of_height = std::sqrt(2 * a * little::gap * dynamics_.gap_size(contact));
  const double of_flight = a * little::instant * std::max(std::abs(t), run_);
  return std::max({little::slow_approach * dynamics_.approach_size(contact), of_height, of_flight});
}

double EventDriven::touching_gap(int contact) const {
  return simultaneous_gap_ > 0 ? simultaneous_gap_ : little::touching * dynamics_.gap_size(contact);
}

bool EventDriven::act(State& s) {
  limits_.forget();
  for (State& looked : looked_) looked.t = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < s.v.size(); ++i) speeds_[i] = std::max(speeds_[i], std::abs(s.v[i]));
  events_.clear();
  if (featured_ >= 0) record(Event::Kind::feature, std::exchange(featured_, -1), s.t);
  jumped_ = false;
  for (int i : left_) open(i, s.t);
  left_.clear();
  if (!watch_.admit(s.t)) {
    crowd_ = true;
    message_ = watch_.message();
    return false;
  }
  // also an event that changes nothing has somebody who caused it
  if (event_.cause != Cause::none) watch_.note(event_.contact, false);

  if (event_.cause == Cause::slip || (event_.cause != Cause::none && across_)) end_phase(s);
  if (event_.cause == Cause::stick && system_.contacts()[event_.contact].slips > 1) stop_slips(s);
  if (event_.cause == Cause::slip) {
    // friction at its limit opposes the motion that begins
    view_.slide(event_.contact, system_.contacts()[event_.contact].slips == 1 ? ActiveView::Direction{-1.0 * event_.side, 0} : limits_.against_friction(event_.contact, s));
    record(Event::Kind::slide, event_.contact, s.t);
  }
  crowd_ = false;
  if (!impacts(s) || !decide_modes(s)) return false;
  hold_slips(view_, s);
  while (release_pulling(s)) hold_slips(view_, s);
  // forces that vanish just ahead but not here: the shape of a contact changes at this place
  if (event_.cause == Cause::opening && events_.empty()) pass_singularity(s, little::peek * full_step_);
  return true;
}

// The slip of a contact in space has come to an end, and with it those that are too slow to have a direction of their own: where a body
// stops sliding and spinning, its feet stop together
void EventDriven::stop_slips(State& s) {
  const auto stops = [&](int i) {
    return i == event_.contact || (system_.contacts()[i].slips > 1 && view_.mode(i) == ContactMode::slide && dynamics_.slip_speed(i) <= slow_slip(i));
  };
  dynamics_.kinematics(s);
  std::vector<std::pair<int, ActiveView::Direction>> stopped;
  for (int i = 0; i < static_cast<int>(system_.contacts().size()); ++i)
    if (stops(i)) stopped.emplace_back(i, view_.along(i));
  for (const auto& [i, along] : stopped) view_.set(i, ContactMode::closed);
  end_phase(s);  // what slips have across their directions
  for (const auto& [i, along] : stopped) view_.slide(i, along);
}

bool EventDriven::gaps_go_on(const State& before, const State& s) {
  dynamics_.kinematics(before);
  for (int i = 0; i < system_.dim().unilateral; ++i) {
    gaps_[0][i] = dynamics_.gap(i);
    rates_[0][i] = dynamics_.gap_rate(i);
  }
  dynamics_.kinematics(s);
  for (int i = 0; i < system_.dim().unilateral; ++i) {
    const double rate = std::abs(rates_[0][i]) + std::abs(dynamics_.gap_rate(i));
    const double moved = jump * rate * (s.t - before.t) + touching_gap(i);
    if (std::abs(dynamics_.gap(i) - gaps_[0][i]) <= moved) continue;
    if (dynamics_.gap(i) >= 0) {
      if (view_.mode(i) != ContactMode::open) left_.push_back(i);
      continue;
    }
    message_ = fmt::format(
        "the gap of contact '{}' jumps to {:.6g} at t = {:.12g} s; write it so that it is continuous where an if, a "
        "comparison or sign in it changes",
        system_.contacts()[i].name, dynamics_.gap(i), s.t);
    return false;
  }
  event_ = {};
  return true;
}

// Schemes that hold positions alone leave velocities across the rows. Impacts would see them in contacts that joints allow to move
// in one way only, and slip that begins from rest would take its direction from them: perhaps the wrong one
void EventDriven::end_phase(State& s) const {
  Projection to_velocity(false, true);
  SaddleSolver kkt;
  Terms terms;
  view_.prepare(terms);
  to_velocity.resize(view_);
  kkt.resize(view_.dim().v, view_.dim().rows());
  to_velocity.project(view_, s, Need(0), terms, kkt);
}

bool EventDriven::impacts(State& s) {
  dynamics_.note_place(s);
  for (int round = 0;; ++round) {
    dynamics_.kinematics(s);
    set_.clear();
    bool approaching = false;
    for (int i = 0; i < system_.dim().unilateral; ++i) {
      const bool touching = dynamics_.gap(i) <= touching_gap(i) || view_.mode(i) != ContactMode::open ||
                            (event_.cause == Cause::closing && event_.contact == i);
      if (!touching) continue;
      set_.push_back(i);
      approaching = approaching || dynamics_.gap_rate(i) < -little::rest * dynamics_.speed_size(i);
    }
    if (!approaching) return true;
    if (!dynamics_.respond(s, set_)) {
      message_ = fmt::format("the impact at t = {:.12g} s cannot be solved: the mass matrix is singular", s.t);
      return false;
    }

    // a slow approach of a contact that is pressed together ends its sequence of impacts
    plastic_.assign(set_.size(), round >= most_impacts_at_once);
    pressed_.assign(set_.size(), 0);
    bool any_slow = false;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      const double rate = dynamics_.gap_rate(set_[k]);
      any_slow = any_slow || (rate <= 0 && rate > -zeno_velocity(set_[k], s.t));
    }
    if (any_slow && round < most_impacts_at_once) {
      // slips as slow as that stick: sliding could tip a body that rests
      modes_.clear();
      for (int i : set_) {
        modes_.push_back(view_.mode(i));
        if (modes_.back() != ContactMode::open && dynamics_.slip_speed(i) < zeno_velocity(i, s.t)) view_.set(i, ContactMode::closed);
      }
      with_brakes_ = set_;
      add_brakes(with_brakes_);
      const bool brakes = with_brakes_.size() > set_.size();
      if (brakes) dynamics_.respond(s, with_brakes_);
      const auto& pressed = dynamics_.acceleration(s, view_);
      for (std::size_t k = 0; k < set_.size(); ++k) view_.set(set_[k], modes_[k]);
      for (std::size_t k = 0; k < set_.size(); ++k) {
        const double rate = dynamics_.gap_rate(set_[k]);
        pressed_[k] = pressed.ok && pressed.normal[k] > 0;
        plastic_[k] = pressed_[k] && rate <= 0 && rate > -zeno_velocity(set_[k], s.t);
      }
      for (std::size_t k = 0; k < set_.size(); ++k) {
        const double e = system_.contacts()[set_[k]].restitution, rate = dynamics_.gap_rate(set_[k]);
        if (!plastic_[k] || e == 0 || rate >= -little::rest * dynamics_.speed_size(set_[k])) continue;
        const double pull = dynamics_.pull(plastic_, static_cast<int>(k));
        // the flights that were to follow: 2 e |rate| / pull, shrinking by e each
        if (pull > 0 && e < 1) record(Event::Kind::zeno, set_[k], s.t + 2 * e * -rate / (pull * (1 - e)), rate);
      }
      if (brakes) dynamics_.respond(s, set_);
    }

    if (follows_) {  // an impact gives joints impulses, which such friction follows
      with_brakes_ = set_;
      add_brakes(with_brakes_);
      dynamics_.respond(s, with_brakes_);
    }
    const auto& impact = dynamics_.impact(s, plastic_);
    if (!impact.ok) {
      message_ = fmt::format("the impact problem at t = {:.12g} s was not solved ({}): they may contradict each other, as walls do that close in; try another contact_solver or a time-stepping scheme", s.t, set_names());
      return false;
    }
    jumped_ = true;
    // contacts that are pressed together and throw each other off ever more slowly come to rest together
    bool at_rest = any_slow;
    for (std::size_t k = 0; k < set_.size(); ++k) at_rest = at_rest && !(pressed_[k] && std::abs(impact.after[k]) >= zeno_velocity(set_[k], s.t));
    slow_.clear();
    for (int i : set_) slow_.push_back(zeno_velocity(i, s.t));
    const double lost = at_rest ? dynamics_.bring_to_rest(s, pressed_, slow_) : 0;
    bool first_entry = true;
    for (std::size_t k = 0; k < set_.size(); ++k) {
      if (impact.normal[k] <= 0) continue;
      record(Event::Kind::impact, set_[k], s.t, impact.before[k], impact.after[k], impact.normal[k]);
      events_.back().first_of_instant = first_entry && round == 0;
      events_.back().energy_change = first_entry ? impact.energy_change + lost : 0;
      events_.back().energy_gain = first_entry && impact.energy_gain;
      first_entry = false;
    }
    if (round > 2 * most_impacts_at_once) {
      message_ = fmt::format("impacts at t = {:.12g} s do not end ({})", s.t, set_names());
      return false;
    }
  }
}

// which of the touching contacts stay closed, and whether they stick or slide: the acceleration-level problem
bool EventDriven::decide_modes(State& s) {
  dynamics_.kinematics(s);
  set_.clear();
  for (int i = 0; i < system_.dim().unilateral; ++i) {
    const bool was_closed = view_.mode(i) != ContactMode::open;
    const bool touching = dynamics_.gap(i) <= touching_gap(i) || was_closed ||
                          (event_.cause == Cause::closing && event_.contact == i);
    const bool resting = std::abs(dynamics_.gap_rate(i)) <= (was_closed && !jumped_ ? little::rest_on_rows : little::rest) * dynamics_.speed_size(i);
    if (touching && resting) {
      set_.push_back(i);
    } else if (was_closed) {
      open(i, s.t);
    }
  }
  add_brakes(set_);
  if (set_.empty()) return true;
  if (!dynamics_.respond(s, set_)) {
    message_ = fmt::format("the contact forces at t = {:.12g} s cannot be found: the mass matrix is singular", s.t);
    return false;
  }

  std::vector<ContactMode> before;
  std::vector<ActiveView::Direction> direction_before;
  for (int i : set_) {
    before.push_back(view_.mode(i));
    direction_before.push_back(view_.along(i));
    const bool slides = dynamics_.frictional(i) && dynamics_.slip_speed(i) > little::rest * dynamics_.speed_size(i) &&
                        !(event_.cause == Cause::stick && event_.contact == i);
    const bool begins = event_.cause == Cause::slip && (event_.contact == i || goes_along(i));
    if (slides) {
      view_.slide(i, dynamics_.direction(dynamics_.slip(i)));
    } else if (!begins) {
      view_.set(i, ContactMode::closed);
    }
  }
  const auto& result = dynamics_.acceleration(s, view_);
  if (!result.ok) {
    message_ = fmt::format("the contact forces at t = {:.12g} s were not found ({}): friction may jam; try another contact_solver or a time-stepping scheme", s.t, set_names());
    return false;
  }
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const int i = set_[k];
    // a contact at the limit between pressing and opening leaves when forces have vanished, and does not come back by rounding
    const double noise = little::solved * dynamics_.acceleration_size(i);
    const bool slips = view_.mode(i) == ContactMode::closed && dynamics_.frictional(i) && dynamics_.length(result.slip_rate[k]) > noise;
    const bool pressed = result.pressing[k] > noise;
    // what lies there at the start lies on all that it touches, also where fewer could carry it: on these alone it might tip over
    const bool arrived = starts_ || (event_.cause == Cause::closing && event_.contact == i);
    const bool stays = pressed || arrived || (before[k] != ContactMode::open && event_.cause != Cause::opening);
    if (!is_brake(i) && (result.opening[k] > noise || !stays)) {
      if (before[k] == ContactMode::open) {
        view_.set(i, ContactMode::open);
      } else {
        open(i, s.t);
      }
      continue;
    }
    if (slips) view_.slide(i, dynamics_.direction(result.slip_rate[k]));
    const ContactMode now = view_.mode(i);
    const double same_way = view_.along(i)[0] * direction_before[k][0] + view_.along(i)[1] * direction_before[k][1];
    if (now == before[k] && (now != ContactMode::slide || same_way > 0)) continue;
    if (before[k] == ContactMode::open) {
      record(Event::Kind::close, i, s.t);
    } else {
      record(now == ContactMode::closed ? Event::Kind::stick : Event::Kind::slide, i, s.t);
    }
  }
  return true;
}

// A contact that is at its limit already, while others still held what slides together with it, and whose friction opposes the
// motion that the last of them lets begin
bool EventDriven::goes_along(int contact) const {
  const int other = event_.contact;
  return view_.mode(contact) == ContactMode::slide && view_.mode(other) == ContactMode::slide &&
         dynamics_.slip_by_slip(contact, view_.along(contact), other, view_.along(other)) > 0;
}

// The contact problem finds one way in which contacts carry the load, the rows of those that stay closed another one where these
// depend on each other, or where friction that carries a load does without one because closed gaps hold its slip. A contact that would
// have to pull in this is let go, the one that pulls most
bool EventDriven::release_pulling(const State& s) {
  if (view_.closed_contacts() < 2) return false;
  const auto& found = dynamics_.acceleration();
  bool idle = false;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const ContactLaw& law = system_.contacts()[set_[k]];
    idle = idle || idle_friction(view_, set_[k], found.tangential[k]) > little::solved * law.limit(found.normal[k]);
  }
  const ForcesWithin& forces = limits_.forces_at(s);
  if (!idle && !forces.are_shared()) return false;
  int most = -1;
  double pull = 0;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const int i = set_[k];
    if (is_brake(i) || view_.mode(i) == ContactMode::open) continue;
    if (!forces.are_shared() && found.pressing[k] > little::solved * dynamics_.acceleration_size(i)) continue;
    const double here = -forces.lambda()[system_.dim().bilateral + i] / dynamics_.force_size(i);
    if (here <= std::max(pull, little::solved)) continue;
    pull = here;
    most = i;
  }
  if (most < 0) return false;
  // one that has closed just now has not been there
  const auto closed = std::find_if(events_.begin(), events_.end(),
                                   [most](const Event& e) { return e.kind == Event::Kind::close && e.contact == most; });
  if (closed == events_.end()) {
    open(most, s.t);
  } else {
    events_.erase(closed);
    view_.set(most, ContactMode::open);
    slack_[most] = std::max(0.0, -dynamics_.gap(most));
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
  hold_slips(view_, s);
  return !events_.empty();
}

bool EventDriven::find_forces_ahead(const State& s, double h, std::vector<double>& force) {
  const Dim& dim = system_.dim();
  if (by_stages_) {
    const ContactSet& closed = view_.closed();
    StageComplementarity stages(view_, dim.bilateral, static_cast<int>(closed.size()));
    if (!stages.step(s, h)) return false;
    for (std::size_t k = 0; k < closed.size(); ++k) force[closed[k]] = stages.force(static_cast<int>(k));
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
  watch_.note(contact, kind == Event::Kind::impact && before < -zeno_velocity(contact, t));
}

std::string EventDriven::set_names() const {
  std::vector<char> marked(system_.contacts().size(), 0);
  for (int i : set_) marked[i] = 1;
  return names_of_contacts(system_, marked);
}

}  // namespace escapement
