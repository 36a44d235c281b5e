// The tangential velocity of a contact, affine in the velocities: slip = T v + t0.
//
// Arrays are over the velocities of its own bodies (ascending).
#pragma once

#include <memory>
#include <vector>

#include "model/measure.hpp"

namespace escapement::inline model {

template <int D>
class SlipRow {
 public:
  virtual ~SlipRow() = default;

  const std::vector<int>& bodies() const { return bodies_; }
  int columns() const { return width<D> * static_cast<int>(bodies_.size()); }

  virtual std::size_t scratch_size() const { return 0; }
  virtual void row(const Motion<D>&, double* T, double& t0) const = 0;
  virtual double curvature(const Motion<D>&) const = 0;                          // rate = T v' + this
  virtual void add_stiffness(const Motion<D>&, double mu, double* K) const = 0;  // K += d(T^T mu)/dq
  virtual void rate_row(const Motion<D>&, double* V_q) const = 0;                // d(T v + t0)/dq

 protected:
  std::vector<int> bodies_;
};

// the rate of a measure
template <int D>
std::unique_ptr<SlipRow<D>> make_measure_slip(MeasurePtr<D> measure);

}  // namespace escapement
