#include "schemes/contact_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

namespace {

// what a state's memory says of the step that ends there: nothing, its acceleration is none to compare with, contacts
// opened, closed or hit in it
constexpr double smooth = 0, unlike = 1, after_impact = 2;

// of the coordinate that moves by v_i; where turns have more coordinates than rates, none belongs to one rate alone
double size_of_q(const ContactErrors::Step& step, int i) {
  const Vec& q = step.s1.q;
  return q.size() == step.s1.v.size() ? step.sys.scale().q(i) + std::abs(q[i]) : step.sys.scale().v(i) * largest_coordinate(step.sys, q);
}

double size_of_v(const ContactErrors::Step& step, int i) { return step.sys.scale().v(i) + std::abs(step.s1.v[i]); }

// of the cubic with these values and slopes at the ends of [0, 1]
double lowest(double g0, double slope0, double g1, double slope1) {
  const double low = std::min(g0, g1), d0 = slope0 / 3, d2 = slope1 / 3, d1 = g1 - d2 - (g0 + d0);
  if (g0 + d0 >= low && g1 - d2 >= low) return low;  // Bernstein coefficients
  // its derivative over 3: d0 (1-x)^2 + 2 d1 x (1-x) + d2 x^2; where it grows from zero
  const double a = d0 - 2 * d1 + d2, b = d1 - d0, root = b * b - a * d0;
  if (root < 0) return low;
  const double x = b > 0 ? -d0 / (b + std::sqrt(root)) : (std::sqrt(root) - b) / a;
  if (!(x > 0 && x < 1)) return low;
  const double y = 1 - x;
  return std::min(low, y * y * y * g0 + 3 * x * y * y * (g0 + d0) + 3 * x * x * y * (g1 - d2) + x * x * x * g1);
}

}  // namespace

void ContactErrors::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  contacts_ = dim.unilateral;
  bilateral_ = dim.bilateral;
  rows_ = dim.rows();
  slips_ = dim.slip;
  states_ = dim.states;
  sys.prepare(T_);
  if (states_ > 0) sys.prepare(T_middle_);
  for (Vec* x : {&from_start_, &from_end_, &change_, &dv_}) x->setZero(dim.v);
  for (Vec* x : {&mu_, &none_}) x->setZero(bilateral_);
  onset_.reserve(static_cast<int>(sys.contacts().size()), contacts_ + dim.slip);
  solver_->reserve(contact_room(contacts_ + dim.slip));
  first_ = s.memory.vectors.size();
  for (int size : {dim.v, contacts_, contacts_, slips_, states_}) s.memory.vectors.push_back(Vec::Zero(size));
  StepReport report;
  look({sys, s, 0, s, report});
  middle_ = s;
  if (contacts_ > 0) {
    sys.prepare(T_passing_);
    passing_ = s;
  }
}

void ContactErrors::set_tolerance(double tolerance, bool per_unit_step) {
  tolerance_ = tolerance;
  per_unit_step_ = per_unit_step;
}

void ContactErrors::look(const Step& step) {
  std::vector<Vec>& known = step.s1.memory.vectors;
  known.resize(step.s.memory.vectors.size());
  const Need rows = slips_ > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian;
  step.sys.evaluate(step.s1, contacts_ + slips_ > 0 ? Need::force | rows : Need::force, T_);  // brakes have slips alone
  if (!T_.f.allFinite()) step.report.status = Status::not_finite;
  known[first_] = T_.f;
  known[first_ + 1] = T_.g.tail(contacts_);
  known[first_ + 2].resize(contacts_);
  for (int i = 0; i < contacts_; ++i)
    known[first_ + 2][i] = T_.G.row_dot(bilateral_ + i, step.s1.v) + T_.g_t[bilateral_ + i];
  known[first_ + 3].resize(slips_);
  for (int i = 0; i < slips_; ++i) known[first_ + 3][i] = T_.T.row_dot(i, step.s1.v) + T_.t0[i];
  known[first_ + 4] = T_.zdot.head(states_);
}

// Smooth motion: what the change of the mean acceleration makes of it. A step in which contacts open, close or hit: the
// impact may have been anywhere in it, so that the position is wrong by up to half the step times the jump, and the jump by
// what it changes while the mechanism moves on so long
void ContactErrors::compare(const Step& step, const Comparison& with) {
  const auto& [sys, s, h, s1, report] = step;
  bool event = with.hit, changed = false;
  struck_ = with.hit && !with.follows;
  for (int i = 0; i < contacts_; ++i) changed = changed || s.memory.numbers[i] != s1.memory.numbers[i];
  event = event || changed;
  const bool after_event = s.memory.numbers[contacts_] != smooth;
  s1.memory.numbers[contacts_] = changed || struck_ ? after_impact : event || !with.comparable ? unlike : smooth;

  change_ = s1.vdot - s.vdot;
  if (!event && with.held) leave_along(step, *with.held);
  double sum = 0, rate = 0;  // rate: at which the mechanism moves on
  const int n = static_cast<int>(s.v.size());
  for (int i = 0; i < n; ++i) rate = std::max(rate, std::abs(s.v[i]) / size_of_q(step, i));
  for (int i = 0; i < n; ++i) {
    double by_q, by_v = 0;
    if (event) {
      by_q = 0.5 * h * (s1.v[i] - s.v[i]);
      by_v = rate * by_q;
    } else {
      const double change = h * h / with.distance * std::abs(change_[i]);  // h^2 times the third derivative
      by_v = std::max(0.0, change - with.noise * sys.scale().v(i)) / 12;
      by_q = h * by_v;
    }
    by_q /= size_of_q(step, i);
    by_v /= size_of_v(step, i);
    sum += by_q * by_q + by_v * by_v;
  }
  report.error = n > 0 ? std::sqrt(sum / (2 * n)) : 0;
  // an acceleration that is no measure of smooth motion spoils the step it belongs to and the next
  if (!event && (after_event || !with.comparable)) {
    report.error = 0;
    report.next_step = h;
  }
  if (states_ > 0) add_states(step, event);
}

// Simpson's rule over the rates at both ends and in the middle, or in a step with an event half of what they jump by
void ContactErrors::add_states(const Step& step, bool event) {
  const auto& [sys, s, h, s1, report] = step;
  const Vec &begin = s.memory.vectors[first_ + 4], &end = s1.memory.vectors[first_ + 4];
  if (!event) {
    middle_of_time_stepping(sys, s, s1, middle_);
    sys.evaluate(middle_, Need::force, T_middle_);
  }
  double sum = 0;
  for (int i = 0; i < states_; ++i) {
    const double error = event ? 0.5 * h * (end[i] - begin[i])
                               : s1.z[i] - s.z[i] - h / 6 * (begin[i] + 4 * T_middle_.zdot[i] + end[i]);
    const double relative = error / (1 + std::abs(s1.z[i]));
    sum += relative * relative;
  }
  at_least(step, std::sqrt(sum / states_));
}

void ContactErrors::leave_along(const Step& step, const Acting& acting) {
  constexpr int most_sweeps = 20;   // contacts that depend on one another share what they take
  double first = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double largest = 0;
    for (int k = 0; k < acting.response.size(); ++k) {
      const int contact = acting.response.contact(k), r = acting.response.row(k), n = bilateral_ + contact;
      const double W = acting.problem.W(r, r);
      if (acting.response.law(contact).is_brake()) continue;
      if (step.s.memory.numbers[contact] == 0 || step.s1.memory.numbers[contact] == 0 || !(W > 0)) continue;
      const double rate = acting.rows.G.row_dot(n, change_);
      change_ -= rate / W * acting.response.answer(r);
      largest = std::max(largest, std::abs(rate));
    }
    first = std::max(first, largest);
    if (largest <= little::hardly_moving * first) return;  // of the largest rate taken
  }
}

// a step that is held stays so unless its error is too large
void ContactErrors::at_least(const Step& step, double error) const {
  if (error <= step.report.error) return;
  step.report.error = error;
  if (error > (per_unit_step_ ? step.h * tolerance_ : tolerance_)) step.report.next_step = 0;
}

void ContactErrors::add_gap(const Step& step, int contact, double length) const {
  if (length > 0) at_least(step, length / size_of_gap(step, bilateral_ + contact));
}

double ContactErrors::error_by_velocity(const Step& step, const Acting& acting, int row) const {
  const Vec& answer = acting.response.answer(row);
  const double W = acting.problem.W(row, row);
  double error = 0;
  for (int i = 0; i < answer.size(); ++i) error = std::max(error, std::abs(answer[i]) / size_of_v(step, i));
  return W > 0 ? error / W : 0;
}

double ContactErrors::error_by_position(const Step& step, const Acting& acting, int row) const {
  const Vec& answer = acting.response.answer(row);
  const double W = acting.problem.W(row, row);
  double error = 0;
  for (int i = 0; i < answer.size(); ++i) error = std::max(error, std::abs(answer[i]) / size_of_q(step, i));
  return W > 0 ? error / W : 0;
}

void ContactErrors::add_velocities(const Step& step, const Vec& dv) const {
  double error = 0;
  for (int i = 0; i < dv.size(); ++i) error = std::max(error, std::abs(dv[i]) / size_of_v(step, i));
  at_least(step, error);
}

double ContactErrors::size_of_gap(const Step& step, int row) const {
  double size = 0;
  T_.G.for_each_in_row(row, [&](int j, double g) { size += std::abs(g) * size_of_q(step, j); });
  return size;
}

void ContactErrors::add_gaps(const Step& step) {
  const auto &before = step.s.memory, &after = step.s1.memory;
  bool turns = false;
  for (int i = 0; i < contacts_; ++i) {
    const double g0 = before.vectors[first_ + 1][i], g1 = after.vectors[first_ + 1][i];
    double wrong = 0;
    if (step.s1.lambda[bilateral_ + i] == 0) {
      const double low = lowest(g0, step.h * before.vectors[first_ + 2][i], g1, step.h * after.vectors[first_ + 2][i]);
      wrong = std::min({g0, g1, 0.0}) - low;
      turns = turns || tangents(step, i).may_fall(0);
    } else if (before.numbers[i] != 0) {
      wrong = std::abs(g1 - g0);
    }  // else: where it has acted in the step nobody knows
    add_gap(step, i, wrong);
  }
  if (turns) look_for_passages(step);
}

// A gap that falls at the start and rises at the end may have closed in between, however large it is at both: a ball that flies
// through a thin plate, or past another one. Where it is convex it lies above its tangents at the ends; where these cross below
// zero it is looked at, until new tangents there decide. A step across a contact is not wrong by how deep it passes
// but by the velocity that the contact would have stopped
void ContactErrors::look_for_passages(const Step& step) {
  const bool any_acts = step.s1.lambda.segment(bilateral_, contacts_).cwiseAbs().maxCoeff() > 0;
  for (int i = 0; i < contacts_; ++i) {
    const int row = bilateral_ + i;
    if (step.s1.lambda[row] != 0) continue;
    if (any_acts && tangents(step, i).is_below(0)) continue;  // another contact's impulse may turn it round
    const auto look = [&](double theta) {
      interpolate_time_stepping(step.sys, step.s, step.s1, theta, passing_);
      step.sys.evaluate(passing_, Need::gap | Need::jacobian, T_passing_);
      return ValueAndSlope{T_passing_.g[row], step.h * (T_passing_.G.row_dot(row, passing_.v) + T_passing_.g_t[row])};
    };
    if (!falls_between(tangents(step, i), -little::touching * size_of_gap(step, row), look)) continue;
    double one = 0;
    T_passing_.G.for_each_in_row(row, [&](int j, double x) { one += std::abs(x) * size_of_v(step, j); });
    if (one > 0) at_least(step, -step.s.memory.vectors[first_ + 2][i] / one);
  }
}

Tangents ContactErrors::tangents(const Step& step, int contact) const {
  const auto &before = step.s.memory.vectors, &after = step.s1.memory.vectors;
  return {0, 1, before[first_ + 1][contact], after[first_ + 1][contact], step.h * before[first_ + 2][contact], step.h * after[first_ + 2][contact]};
}

void ContactErrors::vary_from(const Step& step, const Vec& f) {
  from_start_ = step.h * (step.s.memory.vectors[first_] - f);
  from_end_ = step.h * (step.s1.memory.vectors[first_] - f);
}

void ContactErrors::vary_from_acceleration(const Step& step, const Matrix& M, const Vec& a) {
  for (Vec* impulses : {&from_start_, &from_end_}) {
    change_ = step.h * ((impulses == &from_end_ ? step.s1.vdot : step.s.vdot) - a);
    impulses->setZero();
    M.add_product(1, change_, *impulses);
  }
}

void ContactErrors::add_variation(const Step& step, const Acting& acting) {
  change_ = (from_start_ + from_end_) / 6;
  acting.response.solve(change_, none_, dv_, mu_);
  add_velocities(step, dv_);
}

// also where the velocities at both ends of the step are the same by chance
void ContactErrors::add_closings(const Step& step, const Acting& acting) const {
  for (int k = 0; k < acting.response.size(); ++k) {
    const int contact = acting.response.contact(k);
    if (acting.response.law(contact).is_brake() || step.s.memory.numbers[contact] != 0) continue;
    const double impulse = step.h * step.s1.lambda[bilateral_ + contact];
    const Vec& answer = acting.response.answer(acting.response.row(k));
    for (int i = 0; i < answer.size(); ++i) at_least(step, 0.25 * step.h * std::abs(impulse * answer[i]) / size_of_q(step, i));
  }
}

void ContactErrors::add_onsets(const Step& step, const Acting& acting) {
  const auto& [sys, s, h, s1, report] = step;
  ContactResponse& response = acting.response;
  onset_.begin(acting.problem.rows());
  for (const ContactResponse::Row& row : response.rows())
    onset_.add(row.at, {s.lambda[row.multiplier], s1.lambda[row.multiplier]}, h, row.velocity(acting.rows, s1.v), error_by_velocity(step, acting, row.at));
  for (int k = 0; k < response.size(); ++k) {
    const int contact = response.contact(k);
    const ContactLaw& law = response.law(contact);
    if ((law.is_brake() || s.memory.numbers[contact] != 0) && !is_struck(step, acting, k))
      onset_.watch(response.row(k), !law.is_brake(), response.slips(k), law.friction, h * law.limit(law.is_brake() ? law.pressing(s1.lambda, 0) : 0));
  }
  const bool even = s.memory.numbers[contacts_] != after_impact;  // the last forces were no impacts
  const SlipOnset::Search search{
      .growth = even ? acting.reach * h / acting.distance : 0, .hidden = acting.hidden, .enough = report.error};
  at_least(step, onset_.missed(acting.problem, *solver_, search, [&](bool at_end, Vec& change) {
    response.rows_of(at_end ? from_end_ : from_start_, change);
  }));
}

// In a step with an impact: what it takes from impulses, its own or other contacts', is more than its own force of the last step
// gives in so long, and it takes that at once, however short the step is
bool ContactErrors::is_struck(const Step& step, const Acting& acting, int k) const {
  if (!struck_) return false;
  const ContactResponse& response = acting.response;
  const ContactLaw& law = response.law(response.contact(k));
  const int row = law.is_brake() ? response.slip_row(k) : response.row(k);
  const double own = law.is_brake() ? law.limit(law.pressing(step.s1.lambda, 0)) : step.s.lambda[bilateral_ + response.contact(k)];
  double taken = 0;
  for (int j = 0; j < response.size(); ++j) {
    if (response.law(response.contact(j)).is_brake()) continue;
    const int n = bilateral_ + response.contact(j);
    taken += std::abs(acting.problem.W(row, response.row(j))) * std::max(0.0, step.s1.lambda[n] - step.s.lambda[n]);
  }
  return taken > acting.problem.W(row, row) * own;
}

// Friction at its limit stops a slip u in part of the step: P/(mu N) of it, P being what opposes the slip. What it does across, once
// the contact is at rest in a corner, is shared with the wall in no certain way. The step moves the contact by u/2 for all of it.
// A slip that turns round feels friction of the wrong sign until it does
void ContactErrors::add_stops(const Step& step, const Acting& acting) const {
  const auto& [sys, s, h, s1, report] = step;
  const ContactResponse& response = acting.response;
  const double rest = rest_velocity(sys, s.v);
  for (int k = 0; k < response.size(); ++k) {
    const int contact = response.contact(k), slips = response.slips(k);
    const ContactLaw& law = response.law(contact);
    if (slips == 0 || (!law.is_brake() && s.memory.numbers[contact] == 0) || is_struck(step, acting, k)) continue;
    const double limit = h * law.limit(law.pressing(s1.lambda, bilateral_ + contact));
    if (limit <= 0) continue;
    const auto before = s.memory.vectors[first_ + 3].segment(law.slip, slips);
    const auto after = s1.memory.vectors[first_ + 3].segment(law.slip, slips);
    const double fast = before.norm(), slow = after.norm();
    const double friction = fast > 0 ? -h * s1.lambda.segment(rows_ + law.slip, slips).dot(before) / fast : 0;
    const double at_rest = rest * one_of_row(sys.scale(), T_.T, law.slip);
    const int r = response.slip_row(k);
    double mobility = 0, by_velocity = 0, by_position = 0;
    for (int j = r; j < r + slips; ++j) {
      mobility = std::max(mobility, acting.problem.W(j, j));
      by_velocity = std::max(by_velocity, error_by_velocity(step, acting, j));
      by_position = std::max(by_position, error_by_position(step, acting, j));
    }
    // rows taken inside the step leave a little of a slip that has come to rest
    if (friction < (1 - little::friction) * limit && slow < little::hardly_moving * fast) {
      at_least(step, by_position * 0.5 * h * fast * (1 - friction / limit));
    } else if (before.dot(after) < 0 && std::min(fast, slow) > at_rest) {
      at_least(step, by_velocity * 2 * limit * mobility * (fast / (before - after).norm()));
    } else if (slips > 1 && std::min(fast, slow) > at_rest) {
      // friction that turns along with the slip: the step takes the direction at its end for all of it
      const double turn = (before / fast - after / slow).norm();
      at_least(step, by_velocity * 0.5 * limit * turn * mobility);
    }
  }
}

// The mean force that such a contact would have needed is negative, that of the last step was not. If it fell evenly it
// was positive at first, and pushed when the step says that nothing did
void ContactErrors::add_openings(const Step& step, const Acting& acting) {
  const auto& [sys, s, h, s1, report] = step;
  if (s.memory.numbers[contacts_] == after_impact) return;
  for (int i = 0; i < contacts_; ++i) {
    const int n = bilateral_ + i;
    if (s.memory.numbers[i] == 0 || s.lambda[n] <= 0 || s1.lambda[n] != 0) continue;
    change_.setZero();
    T_.G.add_row(n, 1, change_);
    acting.response.solve(change_, none_, dv_, mu_);
    const double W = T_.G.row_dot(n, dv_);
    if (!(W > 0)) continue;
    const double mean = (s.memory.vectors[first_ + 2][i] - s1.memory.vectors[first_ + 2][i]) / (W * h);
    const double fall = (s.lambda[n] - mean) / acting.distance, at_start = mean + 0.5 * h * fall;
    if (mean >= 0 || at_start <= 0) continue;
    dv_ *= 0.5 * at_start * at_start / fall;
    add_velocities(step, dv_);
  }
}

}  // namespace escapement
