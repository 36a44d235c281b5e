// Sums of measures of the same two bodies.
#include <algorithm>

#include "model/measure.hpp"

namespace escapement {

namespace {

template <int D>
class Sum : public Measure<D> {
 public:
  using Terms = std::vector<std::pair<double, MeasurePtr<D>>>;
  explicit Sum(Terms terms) : Measure<D>(terms[0].second->a(), terms[0].second->b()), terms_(std::move(terms)) {}

  double value(const Motion<D>& m) const override {
    double sum = 0;
    for (const auto& [factor, term] : terms_) sum += factor * term->value(m);
    return sum;
  }
  Gradient<D> gradient(const Motion<D>& m) const override {
    Gradient<D> sum;
    for (const auto& [factor, term] : terms_) add(sum, factor, term->gradient(m));
    return sum;
  }
  double bias(const Motion<D>& m) const override {
    double sum = 0;
    for (const auto& [factor, term] : terms_) sum += factor * term->bias(m);
    return sum;
  }
  void add_hessian(const Motion<D>& m, double factor, PairMatrix<D>& H) const override {
    for (const auto& [f, term] : terms_) term->add_hessian(m, factor * f, H);
  }
  bool turns_only() const override {
    return std::all_of(terms_.begin(), terms_.end(), [](const auto& term) { return term.second->turns_only(); });
  }
  Gradient<D> rate_gradient(const Motion<D>& m) const override {
    Gradient<D> sum;
    for (const auto& [factor, term] : terms_) add(sum, factor, term->rate_gradient(m));
    return sum;
  }
  void bias_gradients(const Motion<D>& m, Gradient<D>& q, Gradient<D>& v) const override {
    q = v = {};
    for (const auto& [factor, term] : terms_) {
      Gradient<D> term_q, term_v;
      term->bias_gradients(m, term_q, term_v);
      add(q, factor, term_q);
      add(v, factor, term_v);
    }
  }

 private:
  static void add(Gradient<D>& sum, double factor, const Gradient<D>& g) {
    sum.a += factor * g.a;
    sum.b += factor * g.b;
  }
  Terms terms_;
};

}  // namespace

template <int D>
MeasurePtr<D> sum_of(std::vector<std::pair<double, MeasurePtr<D>>> terms) {
  return std::make_shared<Sum<D>>(std::move(terms));
}

template MeasurePtr<2> sum_of<2>(std::vector<std::pair<double, MeasurePtr<2>>>);
template MeasurePtr<3> sum_of<3>(std::vector<std::pair<double, MeasurePtr<3>>>);

}  // namespace escapement
