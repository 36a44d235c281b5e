// A slip e(t, x, s) = T v + t0 of measures x and their rates s, T = sum e_s G.
#include <algorithm>

#include "model/expression_contact.hpp"
#include "model/expression_row.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class ExpressionSlip : public SlipRow<D> {
 public:
  ExpressionSlip(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr e) : row_(graph, vocabulary, e) {
    this->bodies_ = moving_bodies(row_.use.bodies());
    row_.place(this->bodies());
    const std::vector<Expr> inputs = row_.use.inputs();
    // e_t + sum e_x s: the rate at unchanged rates
    const Expr drift = row_.use.rate_of(graph, e);
    std::vector<Expr> out{e, drift};
    row_.use.append_slopes(graph, e, 1, 2 * row_.n, out);
    row_.slopes = Program(graph, inputs, out);
    out.clear();
    bool has_rate = false;
    for (int k = 0; k < row_.n; ++k) has_rate |= graph.depends_on(e, row_.use.rate(k));
    if (!has_rate) throw std::invalid_argument("depends on no rate");
    for (int k = 0; k < row_.n; ++k) {
      const Expr slope = graph.derivative(e, row_.use.rate(k));
      for (int j = 0; j < row_.n; ++j)
        if (graph.depends_on(slope, row_.use.rate(j))) throw std::invalid_argument("must be affine in the rates");
      row_.use.append_slopes(graph, slope, 1, row_.n, out);
    }
    row_.curves = Program(graph, inputs, out);
  }

  std::size_t scratch_size() const override { return row_.scratch_size() + this->columns(); }

  void row(const Motion<D>& m, double* T, double& t0) const override {
    const double* e = row_.run_slopes(m);
    t0 = e[0];
    std::fill_n(T, this->columns(), 0.0);
    for (int k = 0; k < row_.n; ++k) {
      const Gradient<D> G = row_.use.measure(k).gradient(m);
      row_.places[k].add(e[2 + row_.n + k], G, T);
      t0 -= e[2 + row_.n + k] * row_.use.measure(k).rate(m, G);
    }
  }

  double curvature(const Motion<D>& m) const override {
    const double* e = row_.run_slopes(m);
    double sum = e[1];
    for (int k = 0; k < row_.n; ++k) sum += e[2 + row_.n + k] * row_.use.measure(k).bias(m);
    return sum;
  }

  void add_stiffness(const Motion<D>& m, double mu, double* K) const override {
    const int columns = this->columns();
    const double* e_s = row_.run_slopes(m) + 2 + row_.n;
    const double* e_sx = row_.run_curves(m);
    row_.add_stiffness(m, mu, e_s, e_sx, columns, m.scratch + scratch_size() - columns, K);
  }

  void rate_row(const Motion<D>& m, double* V_q) const override {
    const double* e = row_.run_slopes(m);
    std::fill_n(V_q, this->columns(), 0.0);
    for (int k = 0; k < row_.n; ++k) {
      row_.places[k].add(e[2 + k], row_.use.measure(k).gradient(m), V_q);
      row_.places[k].add(e[2 + row_.n + k], row_.use.measure(k).rate_gradient(m), V_q);
    }
  }

 private:
  ExpressionRow<D> row_;  // slopes: e, e_t + sum e_x s, e_x, e_s; curves: e_sx
};

}  // namespace

template <int D>
std::unique_ptr<SlipRow<D>> make_slip_row(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr slip) {
  return std::make_unique<ExpressionSlip<D>>(graph, vocabulary, slip);
}

template std::unique_ptr<SlipRow<2>> make_slip_row<2>(ExpressionGraph&, const Vocabulary<2>&, Expr);
template std::unique_ptr<SlipRow<3>> make_slip_row<3>(ExpressionGraph&, const Vocabulary<3>&, Expr);

}  // namespace escapement
