#include "simulate/sampling.hpp"

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

void Sampling::hold_contacts(const System& system) {
  hold_.reset(new Hold{ActiveView(system), Projection(true, false)});
  system.prepare(hold_->gaps);
}

void Sampling::find_forces(const System& system) { forces_.reset(new Forces(system)); }

void Sampling::follow_states(const System& system) {
  if (system.dim().states == 0) return;
  rates_.reset(new Rates{system});
  system.prepare(rates_->terms);
}

// schemes without a polynomial of their own for the states have left them on the straight line between both ends. In a
// step of a time-stepping scheme rates may jump
void Sampling::bend_states(Course& course, double theta) {
  const State &s = course.s, &s1 = course.s1;
  Vec& z = course.between.z;
  if (!rates_ || course.scheme->info().time_stepping || z != (1 - theta) * s.z + theta * s1.z) return;
  const int states = rates_->system.dim().states;
  if (rates_->t != s.t || rates_->t1 != s1.t) {
    rates_->system.evaluate(s, Need::force, rates_->terms);
    rates_->begin = rates_->terms.zdot;
    rates_->system.evaluate(s1, Need::force, rates_->terms);
    rates_->end = rates_->terms.zdot;
    rates_->t = s.t;
    rates_->t1 = s1.t;
  }
  const double h = s1.t - s.t, x = theta, y = 1 - theta;
  for (int i = 0; i < states; ++i)
    z[i] += x * y * (y * (h * rates_->begin[i] - s1.z[i] + s.z[i]) - x * (h * rates_->end[i] - s1.z[i] + s.z[i]));
}

void Sampling::Hold::prepare() {
  if (version == view.version()) return;
  version = view.version();
  view.prepare(terms);
  projection.resize(view);
  kkt.resize(view.dim().v, view.dim().rows(), view.joint_rows());
}

const State& Sampling::look(Course& course, double theta) {
  course.look(theta);
  bend_states(course, theta);
  if (hold_ && course.scheme->info().keeps_position) hold(course, theta);
  if (forces_ && course.locates_events()) find_forces(course);
  return course.between;
}

// closed contacts, and those that the polynomial lets sink in, are brought back to zero gap
void Sampling::hold(Course& course, double theta) {
  constexpr int passes = 3;  // bringing some back may press others in, by more than a projection leaves of rounding
  const double rounding = little::touching * course.system.scale().unit();
  State& s = course.between;
  ActiveView& view = hold_->view;
  const int contacts = course.system.dim().unilateral, first = course.system.dim().bilateral;
  for (int pass = 0; pass < passes; ++pass) {
    view.base().evaluate(s, Need::gap, hold_->gaps);
    bool any = false;
    for (int i = 0; i < contacts; ++i) {
      const bool closed = course.locates_events() && course.events->view().mode(i) != ContactMode::open;
      const double gap = hold_->gaps.g[first + i];
      any = any || gap < -rounding || (closed && gap > rounding);
      view.set(i, !closed && gap > rounding ? ContactMode::open : ContactMode::closed);
    }
    if (!any) break;
    hold_->prepare();
    if (hold_->projection.project(view, s, Need(0), hold_->terms, hold_->kkt) == Status::ok) continue;
    course.look(theta);
    bend_states(course, theta);
    break;
  }
}

void Sampling::find_forces(Course& course) {
  forces_->view.take_modes(course.events->view());
  if (forces_->view.not_open().empty()) return;
  if (forces_->within.solve(course.between)) course.between.lambda = forces_->within.lambda();
}

void Sampling::begin(const State& start) {
  taken_ = 0;
  sample_end(start);
}

void Sampling::take(Course& course, double until) {
  ends_ = false;
  const double t0 = course.s.t, t1 = course.s1.t, h = t1 - t0;
  if (every_ == 0) {
    if (until >= t1) sample_end(course.s1);
    return;
  }
  while (true) {
    const double t = start_ + static_cast<double>(taken_ + 1) * every_;
    if (until < t1 ? t >= until : t > t1 + little::same_step * h) break;
    ++taken_;
    if (t >= t1 - little::same_step * h) {
      sample_end(course.s1);
    } else {
      sample(look(course, (t - t0) / h));
    }
  }
}

}  // namespace escapement
