#include "simulate/sampling.hpp"

namespace escapement {

void Sampling::hold_contacts(const System& system) {
  hold_ = std::make_unique<Hold>(Hold{ActiveView(system), Projection(true, false), {}, {}});
  hold_->view.prepare(hold_->terms);
  hold_->projection.resize(hold_->view);
  hold_->kkt.resize(hold_->view.dim().v, hold_->view.dim().rows());
}

// closed contacts, and those that the polynomial lets sink in, are brought back to zero gap
const State& Sampling::between(Course& course, double theta) {
  constexpr int passes = 3;  // bringing some back may press others in, by more than a projection leaves of rounding
  const double rounding = 1e-12 * course.system.scale().unit();
  State& s = course.between;
  course.look(theta);
  if (!hold_ || !course.scheme->info().keeps_position) return s;
  ActiveView& view = hold_->view;
  const int contacts = course.system.dim().unilateral, first = course.system.dim().bilateral;
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = 0; i < contacts; ++i) view.set(i, ContactMode::closed);  // their gaps are seen
    view.evaluate(s, Need::gap, hold_->terms);
    bool any = false;
    for (int i = 0; i < contacts; ++i) {
      const bool closed = course.locates_events() && course.events->view().mode(i) != ContactMode::open;
      const double gap = hold_->terms.g[first + i];
      any = any || gap < -rounding || (closed && gap > rounding);
      if (!closed && gap > rounding) view.set(i, ContactMode::open);
    }
    if (!any) break;
    if (hold_->projection.project(view, s, Need(0), hold_->terms, hold_->kkt) == Status::ok) continue;
    course.look(theta);
    break;
  }
  return s;
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
    if (until < t1 ? t >= until : t > t1 + 1e-9 * h) break;
    ++taken_;
    if (t >= t1 - 1e-9 * h) {
      sample_end(course.s1);
    } else {
      sample(between(course, (t - t0) / h));
    }
  }
}

}  // namespace escapement
