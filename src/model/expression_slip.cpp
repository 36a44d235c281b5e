// A slip e(t, x, s) = T v + t0 of measures x and their rates s, T = sum e_s G.
#include <algorithm>

#include "model/expression_contact.hpp"

namespace escapement {

namespace {

template <int D>
class ExpressionSlip : public SlipRow<D> {
 public:
  ExpressionSlip(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr e) : use_(graph, vocabulary, {&e, 1}) {
    this->bodies_ = moving_bodies(use_.bodies());
    n_ = use_.count();
    for (int k = 0; k < n_; ++k) places_.push_back(places_in(this->bodies(), use_.measure(k)));
    const std::vector<Expr> inputs = use_.inputs();
    // e_t + sum e_x s: the rate at unchanged rates
    const Expr drift = use_.rate_of(graph, e);
    std::vector<Expr> out{e, drift};
    append_slopes(graph, e, inputs, 1, 2 * n_, out);
    slopes_ = Program(graph, inputs, out);
    out.clear();
    for (int k = 0; k < n_; ++k) {
      const Expr slope = graph.derivative(e, use_.rate(k));
      for (int j = 0; j < n_; ++j)
        if (graph.depends_on(slope, use_.rate(j))) throw std::invalid_argument("slip must be affine in the rates");
      append_slopes(graph, slope, inputs, 1, n_, out);
    }
    curves_ = Program(graph, inputs, out);
  }

  std::size_t scratch_size() const override {
    return use_.input_size() + slopes_.output_count() + curves_.output_count() +
           std::max(slopes_.scratch_size(), curves_.scratch_size()) + this->columns();
  }

  void row(const Motion<D>& m, double* T, double& t0) const override {
    const double* e = run_slopes(m);
    t0 = e[0];
    std::fill_n(T, this->columns(), 0.0);
    for (int k = 0; k < n_; ++k) {
      const Gradient<D> G = use_.measure(k).gradient(m);
      places_[k].add(e[2 + n_ + k], G, T);
      t0 -= e[2 + n_ + k] * use_.measure(k).rate(m, G);
    }
  }

  double curvature(const Motion<D>& m) const override {
    const double* e = run_slopes(m);
    double sum = e[1];
    for (int k = 0; k < n_; ++k) sum += e[2 + n_ + k] * use_.measure(k).bias(m);
    return sum;
  }

  void add_stiffness(const Motion<D>& m, double mu, double* K) const override {
    const int columns = this->columns();
    const double* e_s = run_slopes(m) + 2 + n_;
    double* e_sx = m.scratch + use_.input_size() + slopes_.output_count();
    curves_.run(m.scratch, e_sx, e_sx + curves_.output_count());
    double* row = m.scratch + scratch_size() - columns;
    PairMatrix<D> H;
    for (int k = 0; k < n_; ++k) {
      H.setZero();
      use_.measure(k).add_hessian(m, mu * e_s[k], H);
      places_[k].add(H, columns, K);
      std::fill_n(row, columns, 0.0);
      for (int j = 0; j < n_; ++j)
        if (e_sx[k * n_ + j] != 0) places_[j].add(e_sx[k * n_ + j], use_.measure(j).gradient(m), row);
      places_[k].add_product(mu, use_.measure(k).gradient(m), row, columns, K);
    }
  }

  void rate_row(const Motion<D>& m, double* V_q) const override {
    const double* e = run_slopes(m);
    std::fill_n(V_q, this->columns(), 0.0);
    for (int k = 0; k < n_; ++k) {
      places_[k].add(e[2 + k], use_.measure(k).gradient(m), V_q);
      places_[k].add(e[2 + n_ + k], use_.measure(k).rate_gradient(m), V_q);
    }
  }

 private:
  double* run_slopes(const Motion<D>& m) const {
    use_.fill(m, m.scratch);
    double* out = m.scratch + use_.input_size();
    slopes_.run(m.scratch, out, out + slopes_.output_count());
    return out;
  }

  VocabularyUse<D> use_;
  int n_ = 0;
  std::vector<MeasurePlaces<D>> places_;
  Program slopes_;  // e, e_t + sum e_x s, e_x, e_s
  Program curves_;  // e_sx
};

}  // namespace

template <int D>
std::unique_ptr<SlipRow<D>> make_slip_row(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr slip) {
  return std::make_unique<ExpressionSlip<D>>(graph, vocabulary, slip);
}

template std::unique_ptr<SlipRow<2>> make_slip_row<2>(ExpressionGraph&, const Vocabulary<2>&, Expr);
template std::unique_ptr<SlipRow<3>> make_slip_row<3>(ExpressionGraph&, const Vocabulary<3>&, Expr);

}  // namespace escapement
