// A force on one or more bodies. The types of forces stand in forces/, one file each.
//
// Arrays are over the velocities of the force's own bodies (ascending): columns, or columns x columns row by row.
#pragma once

#include <memory>
#include <vector>

#include "model/measure.hpp"
#include "model/signal.hpp"

namespace escapement::inline model {

template <int D>
class Force {
 public:
  virtual ~Force() = default;

  const std::vector<int>& bodies() const { return bodies_; }
  const std::vector<int>& states() const { return states_; }  // of first order, that it depends on
  int columns() const { return width<D> * static_cast<int>(bodies_.size()); }

  virtual std::size_t scratch_size() const { return 0; }
  virtual void add(const Motion<D>&, double* f) const = 0;
  // K -= df/dq, D_v -= df/dv; both are zero before
  virtual void subtract_tangent(const Motion<D>&, double* K, double* D_v) const = 0;
  virtual void add_state_slopes(const Motion<D>&, double* /*f_z*/) const {}  // columns x states: f_z += df/dz
  virtual bool is_damped() const { return true; }  // false: D_v is never written to
  virtual double potential(const Motion<D>&) const { return 0; }
  virtual double power(const Motion<D>&) const = 0;  // of what has no potential, and of a potential's explicit time

 protected:
  std::vector<int> bodies_, states_;
};

template <int D>
using ForcePtr = std::unique_ptr<const Force<D>>;

// the size of a force along a measure, as a function of the measure and its rate
struct Law {
  struct Values {
    double force, by_value, by_rate;
  };
  virtual ~Law() = default;
  virtual Values at(double t, double value, double rate, double* scratch) const = 0;
  virtual double potential(double /*value*/) const { return 0; }
  // of the part without potential
  virtual double power(double t, double value, double rate, double* scratch) const = 0;
  virtual std::size_t scratch_size() const { return 0; }
};

// acts on both bodies along the gradient of the measure
template <int D>
ForcePtr<D> make_measure_force(MeasurePtr<D> measure, std::shared_ptr<const Law> law);

// -stiffness (x - rest) - damping x'
std::shared_ptr<const Law> spring_damper(double stiffness, double damping, double rest);
// stiffness (r(t) - x) + damping (r'(t) - x'), at most `limit` in size when limit > 0
std::shared_ptr<const Law> tracking(double stiffness, double damping, SignalPtr target, double limit);
std::shared_ptr<const Law> constant_force(double force);
// -size tanh(x'/velocity): dry friction, regularised
std::shared_ptr<const Law> dry_friction(double size, double velocity);

}  // namespace escapement
