// A force of given size along the gradient of a measure: springs, dampers, motors, friction.
#include "model/force.hpp"
#include "model/row_group.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class MeasureForce : public Force<D> {
 public:
  MeasureForce(MeasurePtr<D> measure, std::shared_ptr<const Law> law)
      : measure_(std::move(measure)), law_(std::move(law)) {
    this->bodies_ = moving_bodies({measure_->a(), measure_->b()});
    places_ = places_in(this->bodies_, *measure_);
  }

  std::size_t scratch_size() const override { return law_->scratch_size(); }

  void add(const Motion<D>& m, double* f) const override {
    const Gradient<D> G = measure_->gradient(m);
    places_.add(law_->at(m.t, measure_->value(m), measure_->rate(m, G), m.scratch).force, G, f);
  }

  // f = G^T F(x, x'):  df/dq = F G^T_q + G^T (F_x G + F_x' x'_q),  df/dv = G^T F_x' G
  void subtract_tangent(const Motion<D>& m, double* K, double* D_v) const override {
    const Gradient<D> G = measure_->gradient(m), V = measure_->rate_gradient(m);
    const Law::Values F = law_->at(m.t, measure_->value(m), measure_->rate(m, G), m.scratch);
    Eigen::Matrix<double, 2 * width<D>, 1> g, v;
    g << G.a, G.b;
    v << V.a, V.b;
    PairMatrix<D> block = -g * (F.by_value * g + F.by_rate * v).transpose();
    measure_->add_hessian(m, -F.force, block);
    places_.add(block, this->columns(), K);
    block = -F.by_rate * g * g.transpose();
    places_.add(block, this->columns(), D_v);
  }

  double potential(const Motion<D>& m) const override { return law_->potential(measure_->value(m)); }
  double power(const Motion<D>& m) const override {
    return law_->power(m.t, measure_->value(m), measure_->rate(m), m.scratch);
  }

 private:
  MeasurePtr<D> measure_;
  std::shared_ptr<const Law> law_;
  MeasurePlaces<D> places_;
};

}  // namespace

template <int D>
ForcePtr<D> make_measure_force(MeasurePtr<D> measure, std::shared_ptr<const Law> law) {
  return std::make_unique<MeasureForce<D>>(std::move(measure), std::move(law));
}

template ForcePtr<2> make_measure_force<2>(MeasurePtr<2>, std::shared_ptr<const Law>);
template ForcePtr<3> make_measure_force<3>(MeasurePtr<3>, std::shared_ptr<const Law>);

}  // namespace escapement
