#include "machines.hpp"

#include <algorithm>
#include <cmath>

namespace {

// a machine moves from event to event inside a tiny step; this runs it over all of them
template <class Machine>
std::vector<double> run(Machine& machine, Motion start, double end, int samples, int steps, Nudge nudge) {
  machine.s = start;
  std::vector<double> path{start.x};
  const int per_sample = std::max(1, steps / samples);
  const double h = end / (double(samples) * per_sample);
  for (int n = 0; n < samples * per_sample; ++n) {
    double t = n * h;
    const double t1 = (n + 1) * h;
    if (nudge.t >= t && nudge.t < t1 && machine.moves()) machine.s.x += nudge.x, machine.s.v += nudge.v;
    for (int event = 0; event < 1000 && t < t1; ++event) t += machine.advance(t, t1 - t);
    if ((n + 1) % per_sample == 0) path.push_back(machine.s.x);
  }
  return path;
}

struct OverObstacles {
  const Push& push;
  const std::vector<Obstacle>& obstacles;
  Motion s{};
  const Obstacle* held = nullptr;

  bool moves() const { return !held; }
  double load(double t) const {  // of the obstacle that holds it
    return held->curvature(t) - push(t, held->face(t), held->rate(t));
  }
  void meet(const Obstacle& obstacle, double t) {
    const double approach = s.v - obstacle.rate(t);
    s.x = obstacle.face(t);
    s.v = obstacle.rate(t) - obstacle.restitution * approach;
    held = nullptr;
    // bounces smaller than what halving resolves are the end of a series
    if (-approach * obstacle.restitution < 1e-9) {
      s.v = obstacle.rate(t);
      held = &obstacle;
      if (load(t) < 0) held = nullptr;
    }
  }
  double advance(double t, double h) {
    if (held) return follow(t, h);
    const Obstacle* first = nullptr;
    double least = h;
    for (const Obstacle& o : obstacles) {
      const auto gap = [&](double d) { return runge_kutta(push, t, s, d).x - o.face(t + d); };
      if (gap(least) >= 0) continue;
      // leaving it: the gap is negative by rounding only while it opens
      if (gap(0) <= 1e-14 && s.v - o.rate(t) > 0) {
        const double up = (s.v - o.rate(t)) / std::max(1e-300, o.curvature(t) - push(t, s.x, s.v));
        if (up > least) continue;
        least = up + halving(least - up, [&](double d) { return gap(up + d); });
      } else {
        least = halving(least, gap);
      }
      first = &o;
    }
    s = runge_kutta(push, t, s, least);
    if (first) meet(*first, t + least);
    return least;
  }
  double follow(double t, double h) {
    double least = h;
    const Obstacle* other = nullptr;
    bool opens = false;
    if (load(t + h) < 0) least = halving(h, [&](double d) { return load(t + d); }), opens = true;
    for (const Obstacle& o : obstacles) {
      const auto gap = [&](double d) { return held->face(t + d) - o.face(t + d); };
      if (&o == held || gap(least) >= 0) continue;
      least = halving(least, gap), other = &o, opens = false;
    }
    s = {held->face(t + least), held->rate(t + least)};
    if (opens) held = nullptr;
    if (other) meet(*other, t + least);
    return least;
  }
};

struct Rubbing {
  const Push& push;
  double size, belt;
  Motion s{};
  int sign = 0;  // of the slip; 0 sticks

  bool moves() const { return sign != 0; }
  double advance(double t, double h) {
    if (sign == 0) {
      const auto reserve = [&](double d) { return size - std::abs(push(t + d, s.x + belt * d, belt)); };
      const double least = reserve(h) < 0 ? halving(h, reserve) : h;
      s = {s.x + belt * least, belt};
      if (least < h || reserve(0) < 0) sign = push(t + least, s.x, belt) > 0 ? 1 : -1;
      return least;
    }
    const Push sliding = [&](double at, double x, double v) { return push(at, x, v) - sign * size; };
    const auto slip = [&](double d) { return sign * (runge_kutta(sliding, t, s, d).v - belt); };
    const double least = slip(h) < 0 ? halving(h, slip) : h;
    s = runge_kutta(sliding, t, s, least);
    if (least < h) {  // it sticks, or slips the other way
      s.v = belt;
      const double force = push(t + least, s.x, belt);
      sign = std::abs(force) <= size ? 0 : force > 0 ? 1 : -1;
    }
    return least;
  }
};

}  // namespace

std::vector<double> over_obstacles(const Push& push, const std::vector<Obstacle>& obstacles, Motion start, double end,
                                   int samples, int steps, Nudge nudge) {
  OverObstacles machine{push, obstacles};
  for (const Obstacle& o : obstacles)
    if (start.x == o.face(0) && start.v == o.rate(0)) machine.held = &o;
  return run(machine, start, end, samples, steps, nudge);
}

std::vector<double> rubbing(const Push& push, double size, double belt, Motion start, double end, int samples,
                            int steps, Nudge nudge) {
  Rubbing machine{push, size, belt};
  machine.sign = start.v > belt ? 1 : start.v < belt ? -1 : 0;
  return run(machine, start, end, samples, steps, nudge);
}
