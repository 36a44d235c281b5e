#include "model/state_rates.hpp"

#include <algorithm>

namespace escapement {

template <int D>
StateRates<D>::StateRates(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, const std::vector<Expr>& rates)
    : use_(graph, vocabulary, rates) {
  const std::vector<Expr> inputs = use_.inputs();
  values_ = Program(graph, inputs, rates);
  std::vector<Expr> slopes;
  for (Expr e : rates) use_.append_slopes(graph, e, 1, static_cast<int>(inputs.size()) - 1, slopes);
  slopes_ = Program(graph, inputs, slopes);
}

template <int D>
std::size_t StateRates<D>::scratch_size() const {
  return use_.input_size() + slopes_.output_count() + std::max(values_.scratch_size(), slopes_.scratch_size());
}

template <int D>
void StateRates<D>::run(const Motion<D>& m, const Program& program, double* out) const {
  use_.fill(m, m.scratch);
  program.run(m.scratch, out, m.scratch + use_.input_size() + slopes_.output_count());
}

template <int D>
void StateRates<D>::rates(const Motion<D>& m, double* zdot) const {
  run(m, values_, zdot);
}

template <int D>
void StateRates<D>::tangent(const Motion<D>& m, Tangent& T) const {
  double* slope = m.scratch + use_.input_size();
  run(m, slopes_, slope);
  const int n = use_.count();
  const auto add = [](Mat& to, int row, int body, double factor, const Velocity<D>& g) {
    if (body != ground) to.row(row).template segment<width<D>>(width<D> * body) += factor * g.transpose();
  };
  for (int k = 0; k < count(); ++k) {
    for (int i = 0; i < n; ++i) {
      const double by_value = slope[i], by_rate = slope[n + i];
      if (by_value == 0 && by_rate == 0) continue;
      const Measure<D>& measure = use_.measure(i);
      const Gradient<D> G = measure.gradient(m), V = measure.rate_gradient(m);
      add(T.zdot_q, k, measure.a(), by_value, G.a);
      add(T.zdot_q, k, measure.b(), by_value, G.b);
      add(T.zdot_q, k, measure.a(), by_rate, V.a);
      add(T.zdot_q, k, measure.b(), by_rate, V.b);
      add(T.zdot_v, k, measure.a(), by_rate, G.a);
      add(T.zdot_v, k, measure.b(), by_rate, G.b);
    }
    for (int j = 0; j < use_.state_count(); ++j) T.zdot_z(k, use_.state(j)) += slope[2 * n + j];
    slope += 2 * n + use_.state_count();
  }
}

template class StateRates<2>;
template class StateRates<3>;

}  // namespace escapement
