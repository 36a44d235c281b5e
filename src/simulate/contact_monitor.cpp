#include "simulate/contact_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "math/tangents.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
// what rounding leaves is not judged: of gaps and slips over what "scaled" divides them by, of forces over the largest of all
// contacts. Where nothing moves, a contact has no other size than this
}  // namespace

ContactMonitor::ContactMonitor(const System& system, const DriftMonitor& rows, double tolerance, double rest)
    : system_(system), rows_(rows), tolerance_(tolerance), rest_(rest), first_(system.dim().bilateral), contacts_(system.contacts().size()), gaps_(system.dim().unilateral), rubs_(system.dim().slip > 0), least_(system.scale().given() ? 0 : 1) {
  if (contacts_.empty()) return;
  system.prepare(at_sample_);
  for (Vec* x : {&moved_, &lowest_, &highest_, &looked_}) x->setZero(system.dim().v);
}

void ContactMonitor::begin(const State& s) {
  if (contacts_.empty()) return;
  start_ = s.q;
  last_ = s.t;
  const Vec& g = rows_.terms().g;
  for (std::size_t i = 0; i < gaps_; ++i) {
    contacts_[i].lowest = contacts_[i].highest = g[first_ + static_cast<int>(i)];
    contacts_[i].allowed = std::max(0.0, -contacts_[i].lowest);
  }
  between_ = s;
  for (std::size_t i = 0; i < gaps_; ++i) contacts_[i].gap = g[first_ + static_cast<int>(i)];
}

void ContactMonitor::step(const StepRecord& r) {
  if (!r.accepted || contacts_.empty()) return;
  last_ = r.after.t;
  note_range(r.after);
  const double h = r.after.t - r.before.t;
  const double *const gaps = rows_.terms().g.data() + first_, *const before = r.before.lambda.data() + first_, *const after = r.after.lambda.data() + first_;
  const bool stepping = r.scheme.info().time_stepping;
  for (std::size_t i = 0; i < gaps_; ++i) {
    Contact& c = contacts_[i];
    const int contact = static_cast<int>(i);
    const double gap = gaps[i];
    note_gap(c, contact, gap, r.after, little::touching, &Contact::sunk);
    // a contact may be pressed within one step alone
    if (before[i] != 0 || after[i] != 0) {
      c.force = std::max({c.force, std::abs(before[i]), std::abs(after[i])});
      c.pull.note(-after[i], r.after.t, contact);
    }
    // a gap that has fallen so fast that it would have closed within the step, and that is open at its end without a force
    if (stepping && c.gap + h * c.rate < 0 && gap > 0 && after[i] == 0) look_for_passage(r, contact);
    if (h > 0) c.rate = (gap - c.gap) / h;
    c.gap = gap;
    if (const double speed = std::abs(c.rate); speed > c.speed) c.speed = speed;
  }
  if (rubs_) look_at_friction(r.after);
}

// Has it been below zero in between?
void ContactMonitor::look_for_passage(const StepRecord& r, int contact) {
  const double h = r.after.t - r.before.t;
  const int row = first_ + contact;
  Contact& c = contacts_[static_cast<std::size_t>(contact)];
  const auto acts = [&](const State& s) {
    const auto forces = s.lambda.segment(first_, static_cast<int>(gaps_));
    return (forces.array() != 0).any();
  };
  if (c.gap < 0 && (acts(r.before) || acts(r.after))) return;  // another contact's impulse may turn it round
  const auto slope_at = [&](const State& s) {
    system_.evaluate(s, Need::gap | Need::jacobian, at_sample_);
    return h * (at_sample_.G.row_dot(row, s.v) + at_sample_.g_t[row]);
  };
  const auto look = [&](double theta) {
    r.scheme.interpolate(system_, r.before, r.after, theta, between_);
    const double slope = slope_at(between_);
    return ValueAndSlope{at_sample_.g[row], slope};
  };
  const double before = slope_at(r.before), after = slope_at(r.after);
  // or the step begins behind the middle of something thin, where its gap opens
  const double level = -little::touching * c.reach;
  const bool behind = c.gap < level && c.rate < 0 && before >= 0;
  if (behind || falls_between({0, 1, c.gap, rows_.terms().g[row], before, after}, level, look))
    c.passed.note(std::max(-before / h, -c.rate), r.before.t, contact);
}

// gaps depend on the time and the positions alone, so that a step's end has been looked at
void ContactMonitor::sample(const State& s) {
  if (contacts_.empty() || s.t == last_) return;
  system_.evaluate(s, Need::gap, at_sample_);
  for (std::size_t i = 0; i < gaps_; ++i)
    note_gap(contacts_[i], static_cast<int>(i), at_sample_.g[first_ + static_cast<int>(i)], s, std::max(little::touching, tolerance_), &Contact::sunk_between);
}

// Rows are looked at again once a coordinate has moved by a part of its range: they hardly turn meanwhile
void ContactMonitor::note_range(const State& s) {
  constexpr double part = 0.01;
  system_.difference(start_, s.q, moved_);
  const double *const moved = moved_.data(), *const looked = looked_.data();
  double *const lowest = lowest_.data(), *const highest = highest_.data();
  bool far = false;
  for (int j = 0, n = static_cast<int>(moved_.size()); j < n; ++j) {
    const double x = moved[j];
    if (x < lowest[j]) lowest[j] = x;
    if (x > highest[j]) highest[j] = x;
    far = far || std::abs(x - looked[j]) > part * (highest[j] - lowest[j]);
  }
  if (!far) return;
  looked_ = moved_;
  scaled_ = false;
  system_.evaluate(s, Need::jacobian, at_sample_);
  for (std::size_t i = 0; i < gaps_; ++i) {
    double reach = 0;
    at_sample_.G.for_each_in_row(first_ + static_cast<int>(i), [&](int j, double x) {
      reach += std::abs(x) * (highest_[j] - lowest_[j]);
    });
    contacts_[i].reach = std::max(contacts_[i].reach, reach);
  }
}

inline void ContactMonitor::note_gap(Contact& c, int contact, double gap, const State& s, double allowed, Worst Contact::* depth) {
  if (gap < c.lowest || gap > c.highest) {
    c.lowest = std::min(c.lowest, gap);
    c.highest = std::max(c.highest, gap);
    c.reach = std::max(c.reach, c.highest - c.lowest);
  }
  if (gap >= 0) return;
  if (-gap > deepest_) deepest_ = -gap;
  // deeper than so far, less what is allowed of one at least?
  if (-gap - std::max(c.allowed, allowed * least_) > (c.*depth).value) note_depth(c.*depth, contact, -gap, s, c.allowed, allowed);
}

// less what is allowed of the row's own size
void ContactMonitor::note_depth(Worst& deepest, int contact, double depth, const State& s, double from_start, double allowed) {
  if (!scaled_) system_.position_scale(s, scale_);
  scaled_ = true;
  deepest.note(depth - std::max(from_start, allowed * scale_[first_ + contact]), s.t, contact);
}

void ContactMonitor::look_at_friction(const State& s) {
  const int rows = system_.dim().rows();
  const Terms& T = rows_.terms();
  const std::span<const ContactLaw> laws = system_.contacts();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const int contact = static_cast<int>(i);
    const double normal = i < gaps_ ? s.lambda[first_ + contact] : 0;
    const ContactLaw& law = laws[i];
    if (law.slip < 0 || (i < gaps_ && normal == 0)) continue;  // only brakes have no gap
    Contact& c = contacts_[i];
    const double pressing = law.is_brake() ? law.pressing(s.lambda, 0) : normal;
    if (law.is_brake()) c.force = std::max(c.force, law.limit(pressing));
    double friction = 0, power = 0, speed = 0, size = 0, one = 0;
    for (int k = law.slip; k < law.slip + law.slips; ++k) {
      double slip = T.t0[k], terms = std::abs(slip);
      T.T.for_each_in_row(k, [&](int j, double x) {
        slip += x * s.v[j];
        terms += std::abs(x * s.v[j]);
      });
      friction = std::hypot(friction, s.lambda[rows + k]);
      power += s.lambda[rows + k] * slip;
      speed = std::hypot(speed, slip);
      size = std::max(size, terms);
      one = std::max(one, row_scale(system_.scale(), T.T, k));
    }
    if (speed <= rest_ * one) power = 0;
    c.limit = std::max(c.limit, law.limit(std::abs(pressing)));
    c.slip = std::max(c.slip, size);
    c.power = c.limit * c.slip;
    c.outside.note(friction - law.limit(std::max(0.0, pressing)), s.t, contact);
    c.driving.note(power, s.t, contact);
  }
}

Worst ContactMonitor::worst_force(Worst Contact::* what, double Contact::* size) const {
  double largest = 0;
  for (const Contact& c : contacts_) largest = std::max(largest, c.force);
  Worst worst;
  for (const Contact& c : contacts_)
    if (const Worst& one = c.*what; c.force > little::solved * largest && one.value > 0)
      worst.note(one.value / (c.*size), one.t, one.where);
  return worst;
}

Worst ContactMonitor::worst(Worst Contact::* what, double Contact::* size) const {
  Worst worst;
  for (const Contact& c : contacts_)
    if (const Worst& one = c.*what; one.value > 0) worst.note(one.value / (c.*size), one.t, one.where);
  return worst;
}

void ContactMonitor::exchange(Snapshot& s) {
  s(deepest_, last_, start_, lowest_, highest_, looked_, scale_, scaled_);
  for (Contact& c : contacts_) {
    s(c.lowest, c.highest, c.allowed, c.reach, c.force, c.limit, c.slip, c.power, c.gap, c.rate, c.speed);
    for (Worst* w : {&c.sunk, &c.sunk_between, &c.pull, &c.outside, &c.driving, &c.passed}) w->exchange(s);
  }
}

}  // namespace escapement
