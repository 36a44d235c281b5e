// A generalized force along measures: f = sum_k W_k G_k^T, where each W_k is an expression of names and rates.
#include <algorithm>

#include "model/expression_force.hpp"
#include "model/expression_numbers.hpp"
#include "model/row_group.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class GeneralizedForce : public Force<D> {
 public:
  GeneralizedForce(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, std::vector<Push<D>> pushes)
      : pushes_(std::move(pushes)) {
    std::vector<Expr> sizes;
    for (const Push<D>& push : pushes_) sizes.push_back(push.size);
    sizes_ = ExpressionNumbers<D>(graph, vocabulary, sizes);
    const VocabularyUse<D>& use = sizes_.use();
    this->states_ = use.states();
    std::vector<int> bodies = use.bodies();
    for (const Push<D>& push : pushes_) bodies.insert(bodies.end(), {push.measure->a(), push.measure->b()});
    this->bodies_ = moving_bodies(bodies);
    for (const Push<D>& push : pushes_) pushed_.push_back(places_in(this->bodies_, *push.measure));
    for (int k = 0; k < use.count(); ++k) used_.push_back(places_in(this->bodies_, use.measure(k)));
  }

  std::size_t scratch_size() const override { return sizes_.scratch_size() + 2 * this->columns(); }

  void add(const Motion<D>& m, double* f) const override {
    const double* W = sizes_.values(m);
    for (std::size_t k = 0; k < pushes_.size(); ++k)
      if (W[k] != 0) pushed_[k].add(W[k], pushes_[k].measure->gradient(m), f);
  }

  void subtract_tangent(const Motion<D>& m, double* K, double* D_v) const override {
    const VocabularyUse<D>& use = sizes_.use();
    const int columns = this->columns(), n = use.count();
    const double* W = sizes_.values(m);
    double* slope = sizes_.slopes(m);
    double* by_q = sizes_.free_behind(slope);
    double* by_v = by_q + columns;
    PairMatrix<D> H;
    for (std::size_t k = 0; k < pushes_.size(); ++k, slope += sizes_.slopes_of_one()) {
      const Measure<D>& measure = *pushes_[k].measure;
      H.setZero();
      measure.add_hessian(m, -W[k], H);
      pushed_[k].add(H, columns, K);
      std::fill_n(by_q, 2 * columns, 0.0);
      for (int i = 0; i < n; ++i) {
        if (slope[i] == 0 && slope[n + i] == 0) continue;
        const Gradient<D> G = use.measure(i).gradient(m);
        used_[i].add(slope[i], G, by_q);
        used_[i].add(slope[n + i], use.measure(i).rate_gradient(m), by_q);
        used_[i].add(slope[n + i], G, by_v);
      }
      const Gradient<D> G = measure.gradient(m);
      pushed_[k].add_product(-1, G, by_q, columns, K);
      pushed_[k].add_product(-1, G, by_v, columns, D_v);
    }
  }

  void add_state_slopes(const Motion<D>& m, double* f_z) const override {
    sizes_.values(m);
    const double* slope = sizes_.slopes(m);
    const int n = 2 * sizes_.use().count(), states = sizes_.use().state_count();
    for (std::size_t k = 0; k < pushes_.size(); ++k, slope += n + states)
      pushed_[k].add_product(1, pushes_[k].measure->gradient(m), slope + n, states, f_z);
  }

  double power(const Motion<D>& m) const override {
    const double* W = sizes_.values(m);
    double sum = 0;
    for (std::size_t k = 0; k < pushes_.size(); ++k) sum += W[k] * pushes_[k].measure->rate(m);
    return sum;
  }

 private:
  std::vector<Push<D>> pushes_;
  std::vector<MeasurePlaces<D>> pushed_, used_;
  ExpressionNumbers<D> sizes_;
};

}  // namespace

template <int D>
ForcePtr<D> make_generalized_force(ExpressionGraph& graph, const Vocabulary<D>& vocabulary,
                                   std::vector<Push<D>> pushes) {
  return std::make_unique<GeneralizedForce<D>>(graph, vocabulary, std::move(pushes));
}

template ForcePtr<2> make_generalized_force<2>(ExpressionGraph&, const Vocabulary<2>&, std::vector<Push<2>>);
template ForcePtr<3> make_generalized_force<3>(ExpressionGraph&, const Vocabulary<3>&, std::vector<Push<3>>);

}  // namespace escapement
