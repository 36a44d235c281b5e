#include "simulate/sampling.hpp"

namespace escapement {

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
    const double t = static_cast<double>(taken_ + 1) * every_;
    if (until < t1 ? t >= until : t > t1 + 1e-9 * h) break;
    ++taken_;
    if (t >= t1 - 1e-9 * h) {
      sample_end(course.s1);
    } else {
      sample(course.look((t - t0) / h));
    }
  }
}

}  // namespace escapement
