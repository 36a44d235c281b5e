// A gap e(t, x) of measures x with rates s and second rates G v' + b:
//   rate r = sum e_x s + e_t;  second rate sum e_x (G v' + b) + c with c = sum r_x s + r_t
#include <algorithm>
#include <cmath>

#include "model/expression_contact.hpp"

namespace escapement {

namespace {

template <int D>
class GapRow : public RowGroup<D> {
 public:
  GapRow(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr e) : use_(graph, vocabulary, {&e, 1}) {
    this->set_bodies(use_.bodies(), 1);
    n_ = use_.count();
    for (int k = 0; k < n_; ++k) places_.push_back(places_in(this->bodies(), use_.measure(k)));
    const std::vector<Expr> inputs = use_.inputs();
    const Expr rate = use_.rate_of(graph, e), second = use_.rate_of(graph, rate);

    value_ = Program(graph, inputs, {{e}});
    std::vector<Expr> out{graph.derivative(e, use_.t()), second};
    append_slopes(graph, e, inputs, 1, n_, out);
    slopes_ = Program(graph, inputs, out);
    out.clear();  // e_xx, then c_x, c_s
    for (int k = 0; k < n_; ++k) append_slopes(graph, graph.derivative(e, use_.value(k)), inputs, 1, n_, out);
    append_slopes(graph, rate, inputs, 1, n_, out);
    append_slopes(graph, second, inputs, 1, 2 * n_, out);
    curves_ = Program(graph, inputs, out);
  }

  std::size_t scratch_size() const override {
    return use_.input_size() + value_.output_count() + slopes_.output_count() + curves_.output_count() +
           std::max({value_.scratch_size(), slopes_.scratch_size(), curves_.scratch_size()}) + this->columns();
  }

  void gap(const Motion<D>& m, double* g) const override {
    use_.fill(m, m.scratch);
    value_.run(m.scratch, g, m.scratch + use_.input_size());
  }

  void scale(const Motion<D>& m, double* largest) const override {
    double most = 0;
    for (int k = 0; k < n_; ++k) most = std::max(most, std::abs(use_.measure(k).value(m)));
    *largest = most;
  }

  void jacobian(const Motion<D>& m, double* G, double* g_t) const override {
    const double* e = run_slopes(m);
    *g_t = e[0];
    std::fill_n(G, this->columns(), 0.0);
    for (int k = 0; k < n_; ++k) places_[k].add(e[2 + k], use_.measure(k).gradient(m), G);
  }

  void curvature(const Motion<D>& m, double* kappa) const override {
    const double* e = run_slopes(m);
    *kappa = e[1];
    for (int k = 0; k < n_; ++k) *kappa += e[2 + k] * use_.measure(k).bias(m);
  }

  void add_stiffness(const Motion<D>& m, const double* mu, double* K) const override {
    const int columns = this->columns();
    const double* e = run_slopes(m);
    const double* e_xx = run_curves(m);
    double* row = m.scratch + scratch_size() - columns;
    PairMatrix<D> H;
    for (int k = 0; k < n_; ++k) {
      H.setZero();
      use_.measure(k).add_hessian(m, *mu * e[2 + k], H);
      places_[k].add(H, columns, K);
      // G_k^T (sum_j e_kj G_j)
      std::fill_n(row, columns, 0.0);
      for (int j = 0; j < n_; ++j)
        if (e_xx[k * n_ + j] != 0) places_[j].add(e_xx[k * n_ + j], use_.measure(j).gradient(m), row);
      places_[k].add_product(*mu, use_.measure(k).gradient(m), row, columns, K);
    }
  }

  void rate_rows(const Motion<D>& m, double* V_q) const override {
    const double* e = run_slopes(m);
    const double* rate_x = run_curves(m) + n_ * n_;
    std::fill_n(V_q, this->columns(), 0.0);
    for (int k = 0; k < n_; ++k) {
      places_[k].add(rate_x[k], use_.measure(k).gradient(m), V_q);
      places_[k].add(e[2 + k], use_.measure(k).rate_gradient(m), V_q);
    }
  }

  void curvature_rows(const Motion<D>& m, double* kappa_q, double* kappa_v) const override {
    const double* e = run_slopes(m);
    const double* e_xx = run_curves(m);
    const double *c_x = e_xx + n_ * n_ + n_, *c_s = c_x + n_;
    std::fill_n(kappa_q, this->columns(), 0.0);
    std::fill_n(kappa_v, this->columns(), 0.0);
    for (int k = 0; k < n_; ++k) {
      const Measure<D>& measure = use_.measure(k);
      const Gradient<D> G = measure.gradient(m);
      double by_value = c_x[k];
      for (int j = 0; j < n_; ++j) by_value += e_xx[j * n_ + k] * use_.measure(j).bias(m);
      places_[k].add(by_value, G, kappa_q);
      places_[k].add(c_s[k], measure.rate_gradient(m), kappa_q);
      places_[k].add(c_s[k], G, kappa_v);
      Gradient<D> q, v;
      measure.bias_gradients(m, q, v);
      places_[k].add(e[2 + k], q, kappa_q);
      places_[k].add(e[2 + k], v, kappa_v);
    }
  }

 private:
  double* run_slopes(const Motion<D>& m) const {
    use_.fill(m, m.scratch);
    double* out = m.scratch + use_.input_size();
    slopes_.run(m.scratch, out, out + slopes_.output_count());
    return out;
  }
  // after run_slopes()
  double* run_curves(const Motion<D>& m) const {
    double* out = m.scratch + use_.input_size() + slopes_.output_count();
    curves_.run(m.scratch, out, out + curves_.output_count());
    return out;
  }

  VocabularyUse<D> use_;
  int n_ = 0;
  std::vector<MeasurePlaces<D>> places_;
  Program value_;
  Program slopes_;  // e_t, c, e_x
  Program curves_;  // e_xx, r_x, c_x, c_s
};

}  // namespace

template <int D>
std::unique_ptr<RowGroup<D>> make_gap_row(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr gap) {
  return std::make_unique<GapRow<D>>(graph, vocabulary, gap);
}

template std::unique_ptr<RowGroup<2>> make_gap_row<2>(ExpressionGraph&, const Vocabulary<2>&, Expr);
template std::unique_ptr<RowGroup<3>> make_gap_row<3>(ExpressionGraph&, const Vocabulary<3>&, Expr);

}  // namespace escapement
