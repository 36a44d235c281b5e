#include "simulate/sampling.hpp"

namespace escapement {

void Sampling::hold_contacts(const System& system) {
  hold_ = std::make_unique<Hold>(Hold{ActiveView(system), Projection(true, true), {}, {}});
  hold_->view.prepare(hold_->terms);
  hold_->projection.resize(hold_->view);
  hold_->kkt.resize(hold_->view.dim().v, hold_->view.dim().rows());
}

const State& Sampling::between(Course& course, double theta) {
  course.look(theta);
  if (!hold_ || !course.locates_events() || !course.scheme->info().keeps_position) return course.between;
  const ActiveView& now = course.events->view();
  if (now.closed_contacts() == 0) return course.between;
  for (int i = 0; i < course.system.dim().unilateral; ++i) {
    hold_->view.set(i, now.mode(i));
    hold_->view.hold(i, now.held(i));
  }
  if (hold_->projection.project(hold_->view, course.between, Need(0), hold_->terms, hold_->kkt) != Status::ok)
    course.look(theta);
  return course.between;
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
