// Two machines of one coordinate, integrated by tiny Runge-Kutta steps in which at most one event is looked for, by
// halving: a mass over obstacles that move, and a mass that rubs. They know nothing of the product.
#pragma once

#include <functional>
#include <vector>

struct Motion {
  double x, v;
};
using Push = std::function<double(double t, double x, double v)>;  // acceleration

template <class Acceleration>
Motion runge_kutta(const Acceleration& push, double t, Motion s, double h) {
  const double a1 = push(t, s.x, s.v), v2 = s.v + h / 2 * a1;
  const double a2 = push(t + h / 2, s.x + h / 2 * s.v, v2), v3 = s.v + h / 2 * a2;
  const double a3 = push(t + h / 2, s.x + h / 2 * v2, v3), v4 = s.v + h * a3;
  const double a4 = push(t + h, s.x + h * v3, v4);
  return {s.x + h / 6 * (s.v + 2 * v2 + 2 * v3 + v4), s.v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)};
}

// the part of h at which a quantity that is not negative before turns negative
template <class Quantity>
double halving(double h, const Quantity& quantity) {
  double low = 0, high = h;
  for (int i = 0; i < 200 && high - low > 1e-16 * h; ++i) {
    const double middle = (low + high) / 2;
    (quantity(middle) < 0 ? high : low) = middle;
  }
  return high;
}

struct Nudge {  // at this instant a moving mass is moved, to measure how errors grow
  double t = -1, x = 0, v = 0;
};

struct Obstacle {  // x >= face(t)
  std::function<double(double)> face, rate, curvature;
  double restitution;
};

// positions at `samples` + 1 equal instants
std::vector<double> over_obstacles(const Push& push, const std::vector<Obstacle>& obstacles, Motion start, double end,
                                   int samples, int steps, Nudge nudge);
// dry friction of a given size (per mass) against v - belt
std::vector<double> rubbing(const Push& push, double size, double belt, Motion start, double end, int samples,
                            int steps, Nudge nudge);
