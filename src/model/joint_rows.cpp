// The rows of a joint: first those of its coinciding points, then its combinations of measures.
#include <cmath>
#include <numbers>

#include "model/row_group.hpp"
#include "model/turned_arm.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class JointRows : public RowGroup<D> {
 public:
  explicit JointRows(const Joint<D>& joint) : point_(joint.point), point_a_(joint.point_a), point_b_(joint.point_b) {
    std::vector<int> bodies{joint.a, joint.b};
    for (const JointRow<D>& row : joint.rows)
      for (const auto& [factor, measure] : row.terms) bodies.insert(bodies.end(), {measure->a(), measure->b()});
    this->set_bodies(bodies, joint.row_count());
    a_ = joint.a;
    b_ = joint.b;
    at_ = {first_column(this->bodies(), a_, width<D>), first_column(this->bodies(), b_, width<D>)};
    for (const JointRow<D>& row : joint.rows) {
      Row& r = rows_.emplace_back(Row{{}, row.offset, row.target, row.periodic});
      for (const auto& [factor, measure] : row.terms)
        r.terms.push_back({factor, measure, places_in(this->bodies(), *measure)});
      if (row.target) scratch_ = std::max(scratch_, row.target->scratch_size());
    }
    for (const Row& row : rows_)
      for (const Term& term : row.terms) {
        turns_only_ = turns_only_ && term.measure->turns_only();
        const MeasurePlaces<D>& first = rows_[0].terms[0].places;
        one_pair_ = one_pair_ && term.places.a == first.a && term.places.b == first.b;
      }
  }

  std::size_t scratch_size() const override { return scratch_; }

  void gap(const Motion<D>& m, double* g) const override {
    if (point_) {
      const Frame<D>&A = m[a_], &B = m[b_];
      Eigen::Map<Vector<D>>{g} = (B.x - A.x) + (B.R * point_b_ - A.R * point_a_);
      g += D;
    }
    for (const Row& row : rows_) {
      double sum = -row.offset;
      for (const Term& term : row.terms) sum += term.factor * term.measure->value(m);
      if (row.target) sum -= row.target->at(m.t, m.scratch)[0];
      *g++ = row.periodic ? std::remainder(sum, 2 * std::numbers::pi) : sum;
    }
  }

  void largest_terms(const Motion<D>& m, double* largest) const override {
    if (point_) {
      const Frame<D>&A = m[a_], &B = m[b_];
      const Vector<D> arm_a = A.R * point_a_, arm_b = B.R * point_b_;
      for (int i = 0; i < D; ++i)
        *largest++ = std::max({std::abs(A.x[i]), std::abs(B.x[i]), std::abs(arm_a[i]), std::abs(arm_b[i])});
    }
    for (const Row& row : rows_) {
      double most = std::abs(row.offset);
      for (const Term& term : row.terms) most = std::max(most, std::abs(term.factor) * term.measure->largest_term(m));
      *largest++ = most;
    }
  }

  void jacobian(const Motion<D>& m, double* G, double* g_t) const override {
    const int columns = this->columns();
    std::fill_n(G, this->count() * columns, 0.0);
    if (point_) {
      put_point(
          m, G, [](const Frame<D>& F, const Vector<D>& u) { return turned_arm(F.R, u); }, true);
      std::fill_n(g_t, D, 0.0);
      G += D * columns;
      g_t += D;
    }
    for (const Row& row : rows_) {
      for (const Term& term : row.terms) term.places.add(term.factor, term.measure->gradient(m), G);
      *g_t++ = row.target ? -row.target->at(m.t, m.scratch)[1] : 0;
      G += columns;
    }
  }

  void curvature(const Motion<D>& m, double* kappa) const override {
    if (point_) {
      const Frame<D>&A = m[a_], &B = m[b_];
      Eigen::Map<Vector<D>>{kappa} = B.R * cross(B.w, cross(B.w, point_b_)) - A.R * cross(A.w, cross(A.w, point_a_));
      kappa += D;
    }
    for (const Row& row : rows_) {
      double sum = row.target ? -row.target->at(m.t, m.scratch)[2] : 0;
      for (const Term& term : row.terms) sum += term.factor * term.measure->bias(m);
      *kappa++ = sum;
    }
  }

  void add_stiffness(const Motion<D>& m, const double* mu, double* K) const override {
    const int columns = this->columns();
    if (point_) {
      const Vector<D> force = Eigen::Map<const Vector<D>>(mu);
      add_turn(m[a_], point_a_, Vector<D>(-force), at_.a, K);
      add_turn(m[b_], point_b_, force, at_.b, K);
      mu += D;
    }
    if (rows_.empty()) return;
    PairMatrix<D> H;
    if (one_pair_) H.setZero();
    for (const Row& row : rows_) {
      const double multiplier = *mu++;
      for (const Term& term : row.terms) {
        if (!one_pair_) H.setZero();
        term.measure->add_hessian(m, multiplier * term.factor, H);
        if (!one_pair_) term.places.add(H, columns, K, turns_only_);
      }
    }
    if (one_pair_) rows_[0].terms[0].places.add(H, columns, K, turns_only_);
  }

  bool turns_only() const override { return turns_only_; }

  void rate_rows(const Motion<D>& m, double* V_q) const override {
    const int columns = this->columns();
    std::fill_n(V_q, this->count() * columns, 0.0);
    if (point_) {
      put_point(
          m, V_q, [](const Frame<D>& F, const Vector<D>& u) { return turned_arm(F.R, cross(F.w, u)); }, false);
      V_q += D * columns;
    }
    for (const Row& row : rows_) {
      for (const Term& term : row.terms) term.places.add(term.factor, term.measure->rate_gradient(m), V_q);
      V_q += columns;
    }
  }

  void curvature_rows(const Motion<D>& m, double* kappa_q, double* kappa_v) const override {
    const int columns = this->columns();
    std::fill_n(kappa_q, this->count() * columns, 0.0);
    std::fill_n(kappa_v, this->count() * columns, 0.0);
    if (point_) {
      put_point(
          m, kappa_q, [](const Frame<D>& F, const Vector<D>& u) { return turned_arm(F.R, cross(F.w, cross(F.w, u))); },
          false);
      put_point(
          m, kappa_v, [](const Frame<D>& F, const Vector<D>& u) -> Arm<D> { return F.R * spin_arm(F.w, u); }, false);
      kappa_q += D * columns;
      kappa_v += D * columns;
    }
    for (const Row& row : rows_) {
      for (const Term& term : row.terms) {
        Gradient<D> q, v;
        term.measure->bias_gradients(m, q, v);
        term.places.add(term.factor, q, kappa_q);
        term.places.add(term.factor, v, kappa_v);
      }
      kappa_q += columns;
      kappa_v += columns;
    }
  }

 private:
  struct Term {
    double factor;
    MeasurePtr<D> measure;
    MeasurePlaces<D> places;
  };
  struct Row {
    std::vector<Term> terms;
    double offset;
    SignalPtr target;
    bool periodic;
  };

  // d(p_b - p_a) by the angular columns, columns_of(u), and when asked by the linear ones
  template <class F>
  [[gnu::always_inline]] void put_point(const Motion<D>& m, double* rows, F&& columns_of, bool linear) const {
    const int columns = this->columns();
    const auto put = [&](int body, int at, const Vector<D>& u, double sign) {
      if (at < 0) return;
      const Arm<D> angular_part = columns_of(m[body], u);
      double* row = rows + at;
      for (int i = 0; i < D; ++i, row += columns) {
        if (linear) row[i] = sign;
        for (int j = 0; j < angular<D>; ++j) row[D + j] = sign * angular_part(i, j);
      }
    };
    put(a_, at_.a, point_a_, -1);
    put(b_, at_.b, point_b_, 1);
  }

  void add_turn(const Frame<D>& F, const Vector<D>& u, const Vector<D>& force, int at, double* K) const {
    if (at < 0) return;
    const Turn<D> block = turn(u, Vector<D>(F.R.transpose().lazyProduct(force)));
    const int columns = this->columns();
    double* row = K + (at + D) * columns + at + D;
    for (int i = 0; i < angular<D>; ++i, row += columns)
      for (int j = 0; j < angular<D>; ++j) row[j] += block(i, j);
  }

  int a_, b_;
  MeasurePlaces<D> at_;
  bool point_;
  Vector<D> point_a_, point_b_;
  std::vector<Row> rows_;
  bool turns_only_ = true, one_pair_ = true;  // of all measures
  std::size_t scratch_ = 0;
};

}  // namespace

template <int D>
std::unique_ptr<RowGroup<D>> make_joint_rows(const Joint<D>& joint) {
  return std::make_unique<JointRows<D>>(joint);
}

template std::unique_ptr<RowGroup<2>> make_joint_rows<2>(const Joint<2>&);
template std::unique_ptr<RowGroup<3>> make_joint_rows<3>(const Joint<3>&);

}  // namespace escapement
