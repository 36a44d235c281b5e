#include "model/state_rates.hpp"

#include <algorithm>

namespace escapement::inline model {

template <int D>
StateRates<D>::StateRates(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, const std::vector<Expr>& rates)
    : rates_(graph, vocabulary, rates) {}

template <int D>
void StateRates<D>::rates(const Motion<D>& m, double* zdot) const {
  std::copy_n(rates_.values(m), count(), zdot);
}

template <int D>
void StateRates<D>::tangent(const Motion<D>& m, Tangent& T) const {
  rates_.values(m);
  const double* slope = rates_.slopes(m);
  const VocabularyUse<D>& use = rates_.use();
  const int n = use.count();
  const auto add = [](Mat& to, int row, int body, double factor, const Velocity<D>& g) {
    if (body != ground) to.row(row).template segment<width<D>>(width<D> * body) += factor * g.transpose();
  };
  for (int k = 0; k < count(); ++k) {
    for (int i = 0; i < n; ++i) {
      const double by_value = slope[i], by_rate = slope[n + i];
      if (by_value == 0 && by_rate == 0) continue;
      const Measure<D>& measure = use.measure(i);
      const Gradient<D> G = measure.gradient(m), V = measure.rate_gradient(m);
      add(T.zdot_q, k, measure.a(), by_value, G.a);
      add(T.zdot_q, k, measure.b(), by_value, G.b);
      add(T.zdot_q, k, measure.a(), by_rate, V.a);
      add(T.zdot_q, k, measure.b(), by_rate, V.b);
      add(T.zdot_v, k, measure.a(), by_rate, G.a);
      add(T.zdot_v, k, measure.b(), by_rate, G.b);
    }
    for (int j = 0; j < use.state_count(); ++j) T.zdot_z(k, use.state(j)) += slope[2 * n + j];
    slope += rates_.slopes_of_one();
  }
}

template class StateRates<2>;
template class StateRates<3>;

}  // namespace escapement
