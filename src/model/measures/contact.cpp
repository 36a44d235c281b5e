// Rows of contacts as measures. Rows are over the columns of their bodies, in ascending order.
#include <stdexcept>

#include "model/contact_measure.hpp"

namespace escapement::inline model {

namespace {

template <int D, class Row>
class RowMeasure : public Measure<D> {
 public:
  // of one body: it is b, and a the ground
  explicit RowMeasure(std::unique_ptr<Row> row)
      : Measure<D>(row->bodies().size() == 2 ? row->bodies()[0] : ground, row->bodies().back()), row_(std::move(row)) {}

 protected:
  static constexpr int most = 2 * width<D>;  // columns

  // forces have numbers of their own behind m.scratch: rows get others, of the thread
  Motion<D> moved(const Motion<D>& m) const {
    thread_local std::vector<double> scratch;
    if (scratch.size() < row_->scratch_size()) scratch.resize(row_->scratch_size());
    return {m.frames, m.t, m.z, scratch.data()};
  }

  Gradient<D> split(const double* columns) const {
    Gradient<D> g;
    if (row_->bodies().size() == 2) {
      g.a = Eigen::Map<const Velocity<D>>(columns);
      columns += width<D>;
    }
    g.b = Eigen::Map<const Velocity<D>>(columns);
    return g;
  }

  void add_split(const double* K, PairMatrix<D>& H) const {
    const int columns = row_->columns();
    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    H.bottomRightCorner(columns, columns) += Eigen::Map<const Square>(K, columns, columns);
  }

  std::unique_ptr<Row> row_;
};

template <int D>
class GapMeasure : public RowMeasure<D, RowGroup<D>> {
 public:
  using Base = RowMeasure<D, RowGroup<D>>;
  using Base::Base;

  double value(const Motion<D>& m) const override {
    double g;
    this->row_->gap(this->moved(m), &g);
    return g;
  }
  double largest_term(const Motion<D>& m) const override {
    double largest;
    this->row_->largest_terms(this->moved(m), &largest);
    return largest;
  }
  Gradient<D> gradient(const Motion<D>& m) const override {
    double G[Base::most], g_t;
    this->row_->jacobian(this->moved(m), G, &g_t);
    return this->split(G);
  }
  double bias(const Motion<D>& m) const override {
    double kappa;
    this->row_->curvature(this->moved(m), &kappa);
    return kappa;
  }
  void add_hessian(const Motion<D>& m, double factor, PairMatrix<D>& H) const override {
    double K[Base::most * Base::most] = {};
    this->row_->add_stiffness(this->moved(m), &factor, K);
    this->add_split(K, H);
  }
  bool turns_only() const override { return this->row_->turns_only(); }
  Gradient<D> rate_gradient(const Motion<D>& m) const override {
    double V_q[Base::most];
    this->row_->rate_rows(this->moved(m), V_q);
    return this->split(V_q);
  }
  void bias_gradients(const Motion<D>& m, Gradient<D>& q, Gradient<D>& v) const override {
    double by_q[Base::most], by_v[Base::most];
    this->row_->curvature_rows(this->moved(m), by_q, by_v);
    q = this->split(by_q);
    v = this->split(by_v);
  }
};

template <int D>
class SlipMeasure : public RowMeasure<D, SlipRow<D>> {
 public:
  using Base = RowMeasure<D, SlipRow<D>>;
  using Base::Base;

  double value(const Motion<D>&) const override { return 0; }
  Gradient<D> gradient(const Motion<D>& m) const override {
    double T[Base::most], t0;
    this->row_->row(this->moved(m), T, t0);
    return this->split(T);
  }
  double bias(const Motion<D>& m) const override { return this->row_->curvature(this->moved(m)); }
  void add_hessian(const Motion<D>& m, double factor, PairMatrix<D>& H) const override {
    double K[Base::most * Base::most] = {};
    this->row_->add_stiffness(this->moved(m), factor, K);
    this->add_split(K, H);
  }
  Gradient<D> rate_gradient(const Motion<D>& m) const override {
    double V_q[Base::most];
    this->row_->rate_row(this->moved(m), V_q);
    return this->split(V_q);
  }
  void bias_gradients(const Motion<D>&, Gradient<D>&, Gradient<D>&) const override {
    throw std::logic_error("a slip stands in forces, not in rows");
  }
};

}  // namespace

template <int D>
MeasurePtr<D> gap_measure(std::unique_ptr<RowGroup<D>> row) {
  return std::make_shared<GapMeasure<D>>(std::move(row));
}
template <int D>
MeasurePtr<D> slip_measure(std::unique_ptr<SlipRow<D>> row) {
  return std::make_shared<SlipMeasure<D>>(std::move(row));
}

template MeasurePtr<2> gap_measure<2>(std::unique_ptr<RowGroup<2>>);
template MeasurePtr<3> gap_measure<3>(std::unique_ptr<RowGroup<3>>);
template MeasurePtr<2> slip_measure<2>(std::unique_ptr<SlipRow<2>>);
template MeasurePtr<3> slip_measure<3>(std::unique_ptr<SlipRow<3>>);

}  // namespace escapement
