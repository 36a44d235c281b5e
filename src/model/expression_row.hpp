// What gaps and slips that are expressions of measures share: the measures used, where their gradients stand in the
// row, and the programs of the expression's derivatives.
#pragma once

#include <algorithm>
#include <vector>

#include "model/row_group.hpp"
#include "model/vocabulary.hpp"

namespace escapement::inline model {

template <int D>
struct ExpressionRow {
  ExpressionRow(const ExpressionGraph& graph, const Vocabulary<D>& vocabulary, Expr e)
      : use(graph, vocabulary, {&e, 1}), n(use.count()) {}
  void place(const std::vector<int>& bodies) {
    for (int k = 0; k < n; ++k) places.push_back(places_in(bodies, use.measure(k)));
  }

  // of the motion's scratch memory: inputs, slopes, curves, room for the programs
  std::size_t scratch_size() const {
    return std::max(use.fill_size(), use.input_size() + slopes.output_count() + curves.output_count() +
                                         std::max(slopes.scratch_size(), curves.scratch_size()));
  }
  double* run_slopes(const Motion<D>& m) const {
    use.fill(m, m.scratch);
    double* out = m.scratch + use.input_size();
    slopes.run(m.scratch, out, out + slopes.output_count());
    return out;
  }
  // after run_slopes()
  double* run_curves(const Motion<D>& m) const {
    double* out = m.scratch + use.input_size() + slopes.output_count();
    curves.run(m.scratch, out, out + curves.output_count());
    return out;
  }

  // mu times the derivative of sum_k w_k G_k^T by the positions, w_kj that of w_k by measure j; row: room for one
  void add_stiffness(const Motion<D>& m, double mu, const double* w, const double* w_x, int columns, double* row,
                     double* K) const {
    PairMatrix<D> H;
    for (int k = 0; k < n; ++k) {
      H.setZero();
      use.measure(k).add_hessian(m, mu * w[k], H);
      places[k].add(H, columns, K);
      // G_k^T (sum_j w_kj G_j)
      std::fill_n(row, columns, 0.0);
      for (int j = 0; j < n; ++j)
        if (w_x[k * n + j] != 0) places[j].add(w_x[k * n + j], use.measure(j).gradient(m), row);
      places[k].add_product(mu, use.measure(k).gradient(m), row, columns, K);
    }
  }

  VocabularyUse<D> use;
  int n;  // measures
  std::vector<MeasurePlaces<D>> places;
  Program slopes, curves;
};

}  // namespace escapement
