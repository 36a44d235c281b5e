#include "schemes/midpoint_increment.hpp"

#include <algorithm>

namespace escapement {

void MidpointIncrement::start(const System& sys, bool kinetic, MonolithicSystem& system) {
  const Dim& dim = sys.dim();
  system_ = &system;
  kinetic_ = kinetic;
  v_ = dim.v;
  if (!system.is_sparse()) {
    E_.setZero(v_, v_);
    F_.setZero(v_, dim.rows());
    Q_.setZero(system.right_side().size() * v_);
    lu_.resize(v_);
  }
  for (Vec* x : {&r1_, &w_, &dx_}) x->setZero(v_);
  mu_.setZero(dim.multipliers());
  sys.prepare(D_);
  turn_mid_.copy(D_.retraction);
  turn_end_.copy(D_.retraction);
}

void MidpointIncrement::set_turns(const System& sys, double h, const Vec& y1) {
  dx_ = 0.5 * h * y1;
  turned_ = sys.retract_tangent(dx_, turn_mid_);
  if (!turned_) return;
  dx_ *= 2;
  sys.retract_tangent(dx_, turn_end_);
}

bool MidpointIncrement::eliminate(const System& sys, double h, const Point& p) {
  h_ = h;
  first_ = p.first;
  count_ = p.count;
  set_turns(sys, h, p.y1);
  for (int i = 0; i < v_; ++i) r1_[i] = p.y1[i] - p.mid.v[i];
  stretched_ = false;
  if (count_ == 0 && !system_->is_sparse()) return true;

  for (int j = 0; j < p.y4.size(); ++j) stretched_ = stretched_ || p.y4[j] != 0;
  if (stretched_) {
    mu_.setZero();
    mu_.head(p.y4.size()) = p.y4;
    sys.tangent(p.mid, w_, mu_, Parts::constraint, D_);
  }
  if (system_->is_sparse()) return true;
  // while y4 = 0 the matrix is the metric itself, whose factors are known
  const bool plain = !stretched_ && kinetic_;
  if (plain ? p.M_factors == nullptr : !factor_metric(h, p)) return false;
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

template <class Put>
void MidpointIncrement::for_each_in_metric(const Point& p, Put&& put) const {
  for (int i = 0; i < v_; ++i) {
    if (kinetic_) {
      p.M.for_each_in_row(i, [&](int j, double m) { put(i, j, m); });
    } else {
      put(i, i, 1.0);
    }
  }
}

template <class Put>
void MidpointIncrement::for_each_in_stretch(double h, Put&& put) const {
  for (int i = 0; i < v_; ++i)
    D_.K.for_each_in_row(i, [&](int j, double k) {
      if (turned_) {
        turn_mid_.for_each_in_row(j, [&](int l, double t) { put(i, l, 0.5 * h * k * t); });
      } else {
        put(i, j, 0.5 * h * k);
      }
    });
}

// A1 = M_M - h/2 HL(y4), and with y4 != 0 the right sides of E and r1
bool MidpointIncrement::factor_metric(double h, const Point& p) {
  auto A = lu_.matrix();
  A.setZero();
  for_each_in_metric(p, [&](int i, int j, double m) { A(i, j) = m; });
  if (!stretched_) return lu_.factor() > 0;

  w_.setZero();
  E_.setZero();
  for_each_in_metric(p, [&](int i, int j, double m) {
    w_[i] += m * r1_[j];
    E_(i, j) = 0.5 * m;
  });
  for (int r = 0; r < p.y4.size(); ++r)
    if (p.y4[r] != 0) p.T.G.add_row(r, -p.y4[r], w_);
  r1_ = w_;
  for_each_in_stretch(h, [&](int i, int j, double x) { A(i, j) += x; });
  return lu_.factor() > 0;
}

void MidpointIncrement::begin(const Point& p) {
  MonolithicSystem& J = *system_;
  if (!J.is_sparse()) {
    std::fill_n(Q_.data(), J.size() * v_, 0.0);
    return;
  }
  auto R1 = J.right_side().segment(v_, v_);
  for_each_in_metric(p, [&](int i, int j, double m) {
    J(v_ + i, v_ + j) += m;
    J(v_ + i, j) -= 0.5 * m;
    R1[i] += m * r1_[j];
  });
  if (stretched_) for_each_in_stretch(h_, [&](int i, int j, double x) { J(v_ + i, v_ + j) += x; });
  for (std::size_t r = 0; r < p.places.size(); ++r) {
    if (p.places[r] < 0) continue;
    p.T.G.for_each_in_row(static_cast<int>(r), [&](int j, double g) {
      J(v_ + j, p.places[r]) -= g;
      R1[j] -= g * p.y4[r];
    });
  }
}

void MidpointIncrement::add(const Matrix& derivative, int row, int at, double factor, bool end) {
  const auto spread = [&](auto&& put) {
    if (turned_) {
      const Matrix& turn = end ? turn_end_ : turn_mid_;
      derivative.for_each_in_row(
          row, [&](int j, double x) { turn.for_each_in_row(j, [&](int l, double t) { put(l, factor * x * t); }); });
    } else {
      derivative.for_each_in_row(row, [&](int j, double x) { put(j, factor * x); });
    }
  };
  if (system_->is_sparse()) {
    spread([&](int j, double x) { (*system_)(at, v_ + j) += x; });
  } else {
    double* to = Q_.data() + at;
    const int size = system_->size();
    spread([&](int j, double x) { to[j * size] += x; });
  }
}

void MidpointIncrement::insert() {
  if (system_->is_sparse()) return;
  // plain loops: for a handful of entries they cost half of what vector expressions do
  const int n = system_->size();
  double *J = system_->dense(), *R = system_->right_side().data();
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

double MidpointIncrement::dy1(int i, const double* x, const double* dy4) const {
  if (system_->is_sparse()) return x[v_ + i];
  double sum = r1_[i];
  if (stretched_) {
    for (int j = 0; j < v_; ++j) sum += E_(i, j) * x[j];
  } else {
    sum += 0.5 * x[i];
  }
  for (int k = 0; k < count_; ++k) sum += dy4[k] * F_(i, k);
  return sum;
}

}  // namespace escapement
