// A gap e(t, x) of measures x with rates s and second rates G v' + b:
//   rate r = sum e_x s + e_t;  second rate sum e_x (G v' + b) + c with c = sum r_x s + r_t
#include <algorithm>
#include <cmath>

#include "model/expression_contact.hpp"
#include "model/expression_row.hpp"
#include "model/largest_term.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class GapRow : public RowGroup<D> {
 public:
  GapRow(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr e) : row_(graph, vocabulary, e) {
    this->set_bodies(row_.use.bodies(), 1);
    row_.place(this->bodies());
    const std::vector<Expr> inputs = row_.use.inputs();
    const Expr rate = row_.use.rate_of(graph, e), second = row_.use.rate_of(graph, rate);

    value_ = Program(graph, inputs, {{e}});
    largest_ = Program(graph, inputs, {{largest_term(graph, e)}});
    std::vector<Expr> out{graph.derivative(e, row_.use.t()), second};
    row_.use.append_slopes(graph, e, 1, row_.n, out);
    row_.slopes = Program(graph, inputs, out);
    out.clear();  // e_xx, then c_x, c_s
    for (int k = 0; k < row_.n; ++k)
      row_.use.append_slopes(graph, row_.use.slope(graph, e, row_.use.value(k)), 1, row_.n, out);
    row_.use.append_slopes(graph, rate, 1, row_.n, out);
    row_.use.append_slopes(graph, second, 1, 2 * row_.n, out);
    row_.curves = Program(graph, inputs, out);
  }

  std::size_t scratch_size() const override {
    const std::size_t values = std::max(value_.scratch_size(), largest_.scratch_size());
    return std::max(row_.scratch_size(), row_.use.input_size() + values) + this->columns();
  }

  void gap(const Motion<D>& m, double* g) const override {
    row_.use.fill(m, m.scratch);
    value_.run(m.scratch, g, m.scratch + row_.use.input_size());
  }

  // of the gap itself, and what a change of the measures by their own terms makes of it
  void largest_terms(const Motion<D>& m, double* largest) const override {
    row_.use.fill(m, m.scratch);
    largest_.run(m.scratch, largest, m.scratch + row_.use.input_size());
    const double* e = row_.run_slopes(m);
    for (int k = 0; k < row_.n; ++k)
      *largest = std::max(*largest, std::abs(e[2 + k]) * row_.use.measure(k).largest_term(m));
  }

  void jacobian(const Motion<D>& m, double* G, double* g_t) const override {
    const double* e = row_.run_slopes(m);
    *g_t = e[0];
    std::fill_n(G, this->columns(), 0.0);
    for (int k = 0; k < row_.n; ++k) row_.places[k].add(e[2 + k], row_.use.measure(k).gradient(m), G);
  }

  void curvature(const Motion<D>& m, double* kappa) const override {
    const double* e = row_.run_slopes(m);
    *kappa = e[1];
    for (int k = 0; k < row_.n; ++k) *kappa += e[2 + k] * row_.use.measure(k).bias(m);
  }

  void add_stiffness(const Motion<D>& m, const double* mu, double* K) const override {
    const int columns = this->columns();
    const double* e = row_.run_slopes(m);
    const double* e_xx = row_.run_curves(m);
    row_.add_stiffness(m, *mu, e + 2, e_xx, columns, m.scratch + scratch_size() - columns, K);
  }

  void rate_rows(const Motion<D>& m, double* V_q) const override {
    const double* e = row_.run_slopes(m);
    const double* rate_x = row_.run_curves(m) + row_.n * row_.n;
    std::fill_n(V_q, this->columns(), 0.0);
    for (int k = 0; k < row_.n; ++k) {
      row_.places[k].add(rate_x[k], row_.use.measure(k).gradient(m), V_q);
      row_.places[k].add(e[2 + k], row_.use.measure(k).rate_gradient(m), V_q);
    }
  }

  void curvature_rows(const Motion<D>& m, double* kappa_q, double* kappa_v) const override {
    const double* e = row_.run_slopes(m);
    const double* e_xx = row_.run_curves(m);
    const double *c_x = e_xx + row_.n * row_.n + row_.n, *c_s = c_x + row_.n;
    std::fill_n(kappa_q, this->columns(), 0.0);
    std::fill_n(kappa_v, this->columns(), 0.0);
    for (int k = 0; k < row_.n; ++k) {
      const Measure<D>& measure = row_.use.measure(k);
      const Gradient<D> G = measure.gradient(m);
      double by_value = c_x[k];
      for (int j = 0; j < row_.n; ++j) by_value += e_xx[j * row_.n + k] * row_.use.measure(j).bias(m);
      row_.places[k].add(by_value, G, kappa_q);
      row_.places[k].add(c_s[k], measure.rate_gradient(m), kappa_q);
      row_.places[k].add(c_s[k], G, kappa_v);
      Gradient<D> q, v;
      measure.bias_gradients(m, q, v);
      row_.places[k].add(e[2 + k], q, kappa_q);
      row_.places[k].add(e[2 + k], v, kappa_v);
    }
  }

 private:
  ExpressionRow<D> row_;  // slopes: e_t, c, e_x; curves: e_xx, r_x, c_x, c_s
  Program value_, largest_;
};

}  // namespace

template <int D>
std::unique_ptr<RowGroup<D>> make_gap_row(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr gap) {
  return std::make_unique<GapRow<D>>(graph, vocabulary, gap);
}

template std::unique_ptr<RowGroup<2>> make_gap_row<2>(ExpressionGraph&, const Vocabulary<2>&, Expr);
template std::unique_ptr<RowGroup<3>> make_gap_row<3>(ExpressionGraph&, const Vocabulary<3>&, Expr);

}  // namespace escapement
