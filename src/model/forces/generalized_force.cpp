// A generalized force along measures: f = sum_k W_k G_k^T, where each W_k is an expression of names and rates.
#include <algorithm>

#include "model/expression_force.hpp"
#include "model/row_group.hpp"

namespace escapement {

namespace {

template <int D>
class GeneralizedForce : public Force<D> {
 public:
  GeneralizedForce(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, std::vector<Push<D>> pushes)
      : pushes_(std::move(pushes)) {
    std::vector<Expr> sizes;
    for (const Push<D>& push : pushes_) sizes.push_back(push.size);
    use_ = VocabularyUse<D>(graph, vocabulary, sizes);
    this->states_ = use_.states();
    std::vector<int> bodies = use_.bodies();
    for (const Push<D>& push : pushes_) bodies.insert(bodies.end(), {push.measure->a(), push.measure->b()});
    this->bodies_ = moving_bodies(bodies);
    for (const Push<D>& push : pushes_) pushed_.push_back(places_in(this->bodies_, *push.measure));
    for (int k = 0; k < use_.count(); ++k) used_.push_back(places_in(this->bodies_, use_.measure(k)));
    const std::vector<Expr> inputs = use_.inputs();
    values_ = Program(graph, inputs, sizes);
    std::vector<Expr> slopes;
    for (Expr e : sizes) use_.append_slopes(graph, e, 1, static_cast<int>(inputs.size()) - 1, slopes);
    slopes_ = Program(graph, inputs, slopes);
  }

  std::size_t scratch_size() const override {
    return use_.input_size() + values_.output_count() + slopes_.output_count() +
           std::max(values_.scratch_size(), slopes_.scratch_size()) + 2 * this->columns();
  }

  void add(const Motion<D>& m, double* f) const override {
    const double* W = run(m);
    for (std::size_t k = 0; k < pushes_.size(); ++k)
      if (W[k] != 0) pushed_[k].add(W[k], pushes_[k].measure->gradient(m), f);
  }

  void subtract_tangent(const Motion<D>& m, double* K, double* D_v) const override {
    const int columns = this->columns(), n = use_.count(), inputs = static_cast<int>(use_.input_size()) - 1;
    const double* W = run(m);
    double* slope = m.scratch + use_.input_size() + values_.output_count();
    slopes_.run(m.scratch, slope, slope + slopes_.output_count());
    double* by_q = slope + slopes_.output_count();
    double* by_v = by_q + columns;
    PairMatrix<D> H;
    for (std::size_t k = 0; k < pushes_.size(); ++k, slope += inputs) {
      const Measure<D>& measure = *pushes_[k].measure;
      H.setZero();
      measure.add_hessian(m, -W[k], H);
      pushed_[k].add(H, columns, K);
      std::fill_n(by_q, 2 * columns, 0.0);
      for (int i = 0; i < n; ++i) {
        if (slope[i] == 0 && slope[n + i] == 0) continue;
        const Gradient<D> G = use_.measure(i).gradient(m);
        used_[i].add(slope[i], G, by_q);
        used_[i].add(slope[n + i], use_.measure(i).rate_gradient(m), by_q);
        used_[i].add(slope[n + i], G, by_v);
      }
      const Gradient<D> G = measure.gradient(m);
      pushed_[k].add_product(-1, G, by_q, columns, K);
      pushed_[k].add_product(-1, G, by_v, columns, D_v);
    }
  }

  void add_state_slopes(const Motion<D>& m, double* f_z) const override {
    run(m);
    double* slope = m.scratch + use_.input_size() + values_.output_count();
    slopes_.run(m.scratch, slope, slope + slopes_.output_count());
    const int n = 2 * use_.count(), states = use_.state_count();
    for (std::size_t k = 0; k < pushes_.size(); ++k, slope += n + states)
      pushed_[k].add_product(1, pushes_[k].measure->gradient(m), slope + n, states, f_z);
  }

  double power(const Motion<D>& m) const override {
    const double* W = run(m);
    double sum = 0;
    for (std::size_t k = 0; k < pushes_.size(); ++k) sum += W[k] * pushes_[k].measure->rate(m);
    return sum;
  }

 private:
  double* run(const Motion<D>& m) const {
    use_.fill(m, m.scratch);
    double* value = m.scratch + use_.input_size();
    values_.run(m.scratch, value, value + values_.output_count());
    return value;
  }

  std::vector<Push<D>> pushes_;
  std::vector<MeasurePlaces<D>> pushed_, used_;
  VocabularyUse<D> use_;
  Program values_, slopes_;  // slopes: per size, by every measure, then by every rate, then by every state
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
