// A scalar quantity of the motion of two bodies: a coordinate, a distance, an angle, with everything that rows and
// forces need to be built on it.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "model/frame.hpp"

namespace escapement::inline model {

// a row over the velocities of the two bodies of a measure
template <int D>
struct Gradient {
  Velocity<D> a = Velocity<D>::Zero(), b = Velocity<D>::Zero();
};

// over the increments of both bodies: a first, then b
template <int D>
using PairMatrix = Eigen::Matrix<double, 2 * width<D>, 2 * width<D>, Eigen::DontAlign>;

template <int D>
class Measure {
 public:
  Measure(int a, int b) : a_(a), b_(b) {}
  virtual ~Measure() = default;

  int a() const { return a_; }  // bodies; the ground has no columns: whatever stands there is ignored
  int b() const { return b_; }

  virtual double value(const Motion<D>&) const = 0;
  virtual double largest_term(const Motion<D>&) const { return 1; }  // magnitude of the terms the value sums
  virtual Gradient<D> gradient(const Motion<D>&) const = 0;   // rate = gradient . velocities
  virtual double bias(const Motion<D>&) const = 0;            // second rate = gradient . accelerations + bias
  virtual void add_hessian(const Motion<D>&, double factor, PairMatrix<D>& H) const = 0;  // H += factor d(gradient)/dq
  virtual bool turns_only() const { return false; }               // the hessian is zero but for angular velocities
  virtual Gradient<D> rate_gradient(const Motion<D>&) const = 0;  // d(rate)/dq
  virtual void bias_gradients(const Motion<D>&, Gradient<D>& q, Gradient<D>& v) const = 0;  // d(bias)/dq, d(bias)/dv

  double rate(const Motion<D>& m, const Gradient<D>& g) const {
    const Frame<D>&A = m[a_], &B = m[b_];
    return g.a.template head<D>().dot(A.v) + g.a.template tail<angular<D>>().dot(A.w) +
           g.b.template head<D>().dot(B.v) + g.b.template tail<angular<D>>().dot(B.w);
  }
  double rate(const Motion<D>& m) const { return rate(m, gradient(m)); }

 private:
  int a_, b_;
};

// the largest among the terms of the offset between two points fixed in bodies
template <int D>
double largest_offset(const Frame<D>& A, const Vector<D>& point_a, const Frame<D>& B, const Vector<D>& point_b) {
  return std::max({A.x.cwiseAbs().maxCoeff(), B.x.cwiseAbs().maxCoeff(), point_a.norm(), point_b.norm()});
}

template <int D>
using MeasurePtr = std::shared_ptr<const Measure<D>>;

// n . (p_b - p_a): n fixed in body a, p_a and p_b points fixed in the bodies
template <int D>
MeasurePtr<D> offset_along(int a, const Vector<D>& n, const Vector<D>& point_a, int b, const Vector<D>& point_b);
// cosine between two unit vectors, one fixed in each body
template <int D>
MeasurePtr<D> axis_product(int a, const Vector<D>& axis_a, int b, const Vector<D>& axis_b);
// distance of two points
template <int D>
MeasurePtr<D> distance_between(int a, const Vector<D>& point_a, int b, const Vector<D>& point_b);
// planar: angle of body b less angle of body a
MeasurePtr<2> relative_angle(int a, int b);
// spatial: angle by which `pointer`, fixed in b, is turned about the axis from zero to quarter, both fixed in a and
// perpendicular to each other and to the axis. turns: the first-order state that counts full turns, -1: within (-pi,
// pi]
MeasurePtr<3> angle_about(int a, const Vector<3>& zero, const Vector<3>& quarter, int b, const Vector<3>& pointer,
                          int turns);

// spatial: component 0 ... 3 of a body's quaternion
MeasurePtr<3> quaternion_component(int body, int component);
// spatial: component 0 ... 2 of a body's angular velocity, in the body frame. Only a rate: it has no value
MeasurePtr<3> angular_velocity(int body, int component);

}  // namespace escapement
