// The rate of a measure as a slip: T is its gradient.
#include <algorithm>

#include "model/row_group.hpp"
#include "model/slip_row.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class MeasureSlip : public SlipRow<D> {
 public:
  explicit MeasureSlip(MeasurePtr<D> measure) : measure_(std::move(measure)) {
    this->bodies_ = moving_bodies({measure_->a(), measure_->b()});
    places_ = places_in(this->bodies_, *measure_);
  }

  void row(const Motion<D>& m, double* T, double& t0) const override {
    t0 = 0;
    put(measure_->gradient(m), T);
  }
  double curvature(const Motion<D>& m) const override { return measure_->bias(m); }
  void add_stiffness(const Motion<D>& m, double mu, double* K) const override {
    PairMatrix<D> H = PairMatrix<D>::Zero();
    measure_->add_hessian(m, mu, H);
    places_.add(H, this->columns(), K);
  }
  void rate_row(const Motion<D>& m, double* V_q) const override { put(measure_->rate_gradient(m), V_q); }

 private:
  void put(const Gradient<D>& gradient, double* row) const {
    std::fill_n(row, this->columns(), 0.0);
    places_.add(1, gradient, row);
  }

  MeasurePtr<D> measure_;
  MeasurePlaces<D> places_;
};

}  // namespace

template <int D>
std::unique_ptr<SlipRow<D>> make_measure_slip(MeasurePtr<D> measure) {
  return std::make_unique<MeasureSlip<D>>(std::move(measure));
}

template std::unique_ptr<SlipRow<2>> make_measure_slip<2>(MeasurePtr<2>);
template std::unique_ptr<SlipRow<3>> make_measure_slip<3>(MeasurePtr<3>);

}  // namespace escapement
