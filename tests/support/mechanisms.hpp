// Benchmark mechanisms of any size, built with the C++ interface; used by tests and benchmarks.
#pragma once

#include <numbers>
#include <string>

#include "model/mechanism.hpp"

namespace escapement::testing {

constexpr double gravity_size = 9.81;

inline Turn<2> rod_inertia_2d(double mass, double length) { return Turn<2>(mass * length * length / 12); }
// a uniform brick, about its centre
inline Turn<3> brick_inertia(double mass, double x, double y, double z) {
  return Vec3(y * y + z * z, x * x + z * z, x * x + y * y).asDiagonal() * Turn<3>::Identity() * (mass / 12);
}

// places a rod from a to b with its long side along the body's x axis
inline Pose<3> rod_pose(const Vector<3>& a, const Vector<3>& b) {
  const Vector<3> x = (b - a).normalized();
  const auto [y, z] = perpendicular(x);
  Mat3 R;
  R << x, y, z;
  return {0.5 * (a + b), R, 0};
}

// IFToMM A02: n squares side by side, uprights and bars of 1 m and 1 kg, moving at 1 m/s to the right; in space with
// revolute joints about z, so that most rows are redundant
template <int D>
inline void build_four_bars(Mechanism<D>& m, int n) {
  const auto point = [](double x, double y) {
    Vector<D> p = Vector<D>::Zero();
    p[0] = x;
    p[1] = y;
    return p;
  };
  const auto rod = [&](const std::string& name, double x, double y, double angle, double vx, double w) {
    Body<D> body;
    body.name = name;
    body.mass = 1;
    body.velocity = point(vx, 0);
    if constexpr (D == 2) {
      body.inertia = rod_inertia_2d(1, 1);
      body.pose = make_pose(point(x, y), angle);
      body.angular_velocity[0] = w;
    } else {
      body.inertia = brick_inertia(1, 1, 0, 0);
      body.inertia(0, 0) = 1e-3;  // plays no part in the motion
      body.pose = make_pose(point(x, y), quaternion(Vec3(0, 0, 1), angle));
      body.angular_velocity[2] = w;
    }
    return m.add(body);
  };
  const auto pin = [&](const std::string& name, int a, int b, double x, double y) {
    if constexpr (D == 2) {
      m.add(revolute(name, m.between(a, b), point(x, y)));
    } else {
      m.add(revolute(name, m.between(a, b), point(x, y), Vector<3>(0, 0, 1)));
    }
  };
  constexpr double upright = std::numbers::pi / 2;
  int last = rod("upright0", 0, 0.5, upright, 0.5, -1);
  pin("base0", ground, last, 0, 0);
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k);
    const int bar = rod("bar" + number, k - 0.5, 1, 0, 1, 0);
    const int next = rod("upright" + number, k, 0.5, upright, 0.5, -1);
    pin("left" + number, last, bar, k - 1, 1);
    pin("right" + number, bar, next, k, 1);
    pin("base" + number, ground, next, k, 0);
    last = next;
  }
}

template <int D>
Vector<D> down_y() {
  Vector<D> g = Vector<D>::Zero();
  g[1] = -gravity_size;
  return g;
}

// IFToMM A04: Bricard's mechanism, five bricks of 1 x 0.1 x 0.1 m and 1 kg with six revolute joints; one row is
// redundant
inline Mechanism<3> bricard() {
  Mechanism<3> m(down_y<3>());
  const Vector<3> p[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const Vector<3> axis[] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  for (int k = 0; k < 5; ++k)
    m.add({"rod" + std::to_string(k + 1), 1, brick_inertia(1, 1, 0.1, 0.1), rod_pose(p[k], p[k + 1])});
  for (int k = 0; k < 6; ++k)
    m.add(revolute("hinge" + std::to_string(k + 1), m.between(k == 0 ? ground : k - 1, k == 5 ? ground : k), p[k],
                   axis[k]));
  m.finish();
  return m;
}

// a chain of n rods of this length and 1 kg per metre, from the origin along x, falling; in space every second hinge is
// turned
template <int D>
inline Mechanism<D> chain(int n, double length, Storage storage = Storage::automatic) {
  Mechanism<D> m(down_y<D>());
  const double mass = length;
  for (int k = 0; k < n; ++k) {
    Vector<D> x = Vector<D>::Zero(), at = Vector<D>::Zero();
    x[0] = (k + 0.5) * length;
    at[0] = k * length;
    Body<D> body;
    body.name = "link" + std::to_string(k + 1);
    body.mass = mass;
    const std::string pin = "pin" + std::to_string(k + 1);
    if constexpr (D == 2) {
      body.inertia = rod_inertia_2d(mass, length);
      body.pose = make_pose(x, 0);
      m.add(body);
      m.add(revolute(pin, m.between(k == 0 ? ground : k - 1, k), at));
    } else {
      body.inertia = brick_inertia(mass, length, 0.2 * length, 0.2 * length);
      body.pose = make_pose(x, Vec4(1, 0, 0, 0));
      m.add(body);
      const Vector<3> axis = k % 2 == 0 ? Vector<3>(0, 0, 1) : Vector<3>(0, 1, 1);
      m.add(revolute(pin, m.between(k == 0 ? ground : k - 1, k), at, axis));
    }
  }
  m.finish(storage);
  return m;
}

}  // namespace escapement::testing
