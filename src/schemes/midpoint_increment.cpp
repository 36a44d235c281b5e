#include "schemes/midpoint_increment.hpp"

#include <algorithm>

namespace escapement {

void MidpointIncrement::start(const System& sys, int most_unknowns, bool kinetic) {
  const Dim& dim = sys.dim();
  kinetic_ = kinetic;
  v_ = dim.v;
  E_.setZero(v_, v_);
  F_.setZero(v_, dim.rows());
  Q_.setZero(most_unknowns * v_);
  for (Vec* x : {&r1_, &w_, &dx_}) x->setZero(v_);
  mu_.setZero(dim.multipliers());
  lu_.resize(v_);
  sys.prepare(D_);
  turn_mid_.copy(D_.retraction);
  turn_end_.copy(D_.retraction);
}

bool MidpointIncrement::eliminate(const System& sys, double h, const Point& p) {
  first_ = p.first;
  count_ = p.count;
  for (int i = 0; i < v_; ++i) {
    dx_[i] = 0.5 * h * p.y1[i];
    r1_[i] = p.y1[i] - p.mid.v[i];
  }
  turned_ = sys.retract_tangent(dx_, turn_mid_);
  if (turned_) {
    dx_ *= 2;
    sys.retract_tangent(dx_, turn_end_);
  }
  stretched_ = false;
  if (count_ == 0) return true;

  for (int j = 0; j < p.y4.size(); ++j) stretched_ = stretched_ || p.y4[j] != 0;
  // while y4 = 0 the matrix is the metric itself, whose factors are known
  const bool plain = !stretched_ && kinetic_;
  if (plain ? p.M_factors == nullptr : !factor_metric(sys, h, p)) return false;
  const DenseLu& A1 = plain ? *p.M_factors : lu_;
  for (std::size_t r = 0; r < p.places.size(); ++r) {
    if (p.places[r] < 0) continue;
    double* column = F_.data() + (p.places[r] - first_) * v_;
    std::fill_n(column, v_, 0.0);
    p.T.G.for_each_in_row(static_cast<int>(r), [&](int j, double g) { column[j] = g; });
    A1.solve(column);
  }
  if (stretched_) {
    A1.solve(r1_);
    for (int j = 0; j < v_; ++j) A1.solve(E_.data() + j * v_);
  }
  return true;
}

// A1 = M_M - h/2 HL(y4), and with y4 != 0 the right sides of E and r1
bool MidpointIncrement::factor_metric(const System& sys, double h, const Point& p) {
  auto A = lu_.matrix();
  A.setZero();
  auto metric = [&](auto&& put) {
    for (int i = 0; i < v_; ++i) {
      if (kinetic_) {
        p.M.for_each_in_row(i, [&](int j, double m) { put(i, j, m); });
      } else {
        put(i, i, 1);
      }
    }
  };
  metric([&](int i, int j, double m) { A(i, j) = m; });
  if (!stretched_) return lu_.factor() > 0;

  w_.setZero();
  E_.setZero();
  metric([&](int i, int j, double m) {
    w_[i] += m * r1_[j];
    E_(i, j) = 0.5 * m;
  });
  for (int r = 0; r < p.y4.size(); ++r)
    if (p.y4[r] != 0) p.T.G.add_row(r, -p.y4[r], w_);
  r1_ = w_;
  mu_.setZero();
  mu_.head(p.y4.size()) = p.y4;
  sys.tangent(p.mid, w_, mu_, Parts::constraint, D_);
  for (int i = 0; i < v_; ++i)
    D_.K.for_each_in_row(i, [&](int j, double k) {
      if (turned_) {
        turn_mid_.for_each_in_row(j, [&](int l, double t) { A(i, l) += 0.5 * h * k * t; });
      } else {
        A(i, j) += 0.5 * h * k;
      }
    });
  return lu_.factor() > 0;
}

void MidpointIncrement::clear(int size) {
  size_ = size;
  std::fill_n(Q_.data(), size * v_, 0.0);
}

void MidpointIncrement::add(const Matrix& derivative, int row, int at, double factor, bool end) {
  auto put = [&](int j, double x) { Q_[j * size_ + at] += x; };
  if (turned_) {
    const Matrix& turn = end ? turn_end_ : turn_mid_;
    derivative.for_each_in_row(
        row, [&](int j, double x) { turn.for_each_in_row(j, [&](int l, double t) { put(l, factor * x * t); }); });
  } else {
    derivative.for_each_in_row(row, [&](int j, double x) { put(j, factor * x); });
  }
}

void MidpointIncrement::insert(double* J, double* R) const {
  // plain loops: for a handful of entries they cost half of what vector expressions do
  const int n = size_;
  auto add = [n](double factor, const double* from, double* to) {
    if (factor != 0)
      for (int i = 0; i < n; ++i) to[i] += factor * from[i];
  };
  for (int j = 0; j < v_; ++j) {
    const double* q = Q_.data() + j * n;
    add(-r1_[j], q, R);
    if (!stretched_) {
      add(0.5, q, J + j * n);
    } else {
      for (int l = 0; l < v_; ++l) add(E_(j, l), q, J + l * n);
    }
    for (int k = 0; k < count_; ++k) add(F_(j, k), q, J + (first_ + k) * n);
  }
}

double MidpointIncrement::dy1(int i, const double* dv, const double* dy4) const {
  double sum = r1_[i];
  if (stretched_) {
    for (int j = 0; j < v_; ++j) sum += E_(i, j) * dv[j];
  } else {
    sum += 0.5 * dv[i];
  }
  for (int k = 0; k < count_; ++k) sum += dy4[k] * F_(i, k);
  return sum;
}

}  // namespace escapement
