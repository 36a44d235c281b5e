// Relative angles of two bodies.
#include <cmath>
#include <numbers>

#include "model/measure.hpp"

namespace escapement {

namespace {

class PlanarAngle : public Measure<2> {
 public:
  PlanarAngle(int a, int b) : Measure<2>(a, b) {}

  double value(const Motion<2>& m) const override { return m[b()].orientation[0] - m[a()].orientation[0]; }
  double scale(const Motion<2>& m) const override {
    return std::max(std::abs(m[a()].orientation[0]), std::abs(m[b()].orientation[0]));
  }
  Gradient<2> gradient(const Motion<2>&) const override {
    Gradient<2> g;
    g.a[2] = -1;
    g.b[2] = 1;
    return g;
  }
  double bias(const Motion<2>&) const override { return 0; }
  void add_hessian(const Motion<2>&, double, PairMatrix<2>&) const override {}
  bool turns_only() const override { return true; }
  Gradient<2> rate_gradient(const Motion<2>&) const override { return {}; }
  void bias_gradients(const Motion<2>&, Gradient<2>& q, Gradient<2>& v) const override { q = v = {}; }
};

// atan2(y, x) of x = zero . pointer and y = quarter . pointer
class SpatialAngle : public Measure<3> {
 public:
  SpatialAngle(int a, const Vector<3>& zero, const Vector<3>& quarter, int b, const Vector<3>& pointer, int turns)
      : Measure<3>(a, b), turns_(turns) {
    part_[0] = axis_product<3>(a, zero, b, pointer);
    part_[1] = axis_product<3>(a, quarter, b, pointer);
  }

  double value(const Motion<3>& m) const override {
    const double angle = std::atan2(part_[1]->value(m), part_[0]->value(m));
    if (turns_ < 0) return angle;
    constexpr double turn = 2 * std::numbers::pi;
    return angle + turn * std::round((m.z[turns_] - angle) / turn);
  }

  double scale(const Motion<3>& m) const override { return std::abs(value(m)); }

  Gradient<3> gradient(const Motion<3>& m) const override {
    const Slopes h(*this, m);
    return combine(h.first[0], part_[0]->gradient(m), h.first[1], part_[1]->gradient(m));
  }

  double bias(const Motion<3>& m) const override {
    const Slopes h(*this, m);
    double sum = 0;
    for (int i = 0; i < 2; ++i) {
      sum += h.first[i] * part_[i]->bias(m);
      for (int j = 0; j < 2; ++j) sum += h.second[i][j] * h.rate[i] * h.rate[j];
    }
    return sum;
  }

  void add_hessian(const Motion<3>& m, double factor, PairMatrix<3>& H) const override {
    const Slopes h(*this, m);
    Eigen::Matrix<double, 12, 2> G;
    for (int i = 0; i < 2; ++i) {
      part_[i]->add_hessian(m, factor * h.first[i], H);
      G.col(i) << h.gradient[i].a, h.gradient[i].b;
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) H += (factor * h.second[i][j]) * G.col(i) * G.col(j).transpose();
  }

  bool turns_only() const override { return true; }

  // rate = sum h_i s_i
  Gradient<3> rate_gradient(const Motion<3>& m) const override {
    const Slopes h(*this, m);
    Gradient<3> g;
    for (int i = 0; i < 2; ++i) {
      add(g, h.first[i], part_[i]->rate_gradient(m));
      for (int j = 0; j < 2; ++j) add(g, h.second[i][j] * h.rate[i], h.gradient[j]);
    }
    return g;
  }

  // bias = sum h_i b_i + sum h_ij s_i s_j
  void bias_gradients(const Motion<3>& m, Gradient<3>& q, Gradient<3>& v) const override {
    const Slopes h(*this, m);
    q = v = {};
    for (int i = 0; i < 2; ++i) {
      Gradient<3> part_q, part_v;
      part_[i]->bias_gradients(m, part_q, part_v);
      add(q, h.first[i], part_q);
      add(v, h.first[i], part_v);
      const double bias = part_[i]->bias(m);
      const Gradient<3> rate_q = part_[i]->rate_gradient(m);
      for (int j = 0; j < 2; ++j) {
        add(q, h.second[i][j] * bias, h.gradient[j]);
        add(q, 2 * h.second[i][j] * h.rate[j], rate_q);
        add(v, 2 * h.second[i][j] * h.rate[i], h.gradient[j]);
        for (int k = 0; k < 2; ++k) add(q, h.third[i + j + k] * h.rate[i] * h.rate[j], h.gradient[k]);
      }
    }
  }

 private:
  static void add(Gradient<3>& g, double factor, const Gradient<3>& other) {
    g.a += factor * other.a;
    g.b += factor * other.b;
  }
  static Gradient<3> combine(double f0, const Gradient<3>& g0, double f1, const Gradient<3>& g1) {
    return {f0 * g0.a + f1 * g1.a, f0 * g0.b + f1 * g1.b};
  }

  // derivatives of h = atan2(y, x), with the parts' gradients and rates; third: by the number of derivatives after y
  struct Slopes {
    double first[2], second[2][2], third[4], rate[2];
    Gradient<3> gradient[2];
    Slopes(const SpatialAngle& self, const Motion<3>& m) {
      const double x = self.part_[0]->value(m), y = self.part_[1]->value(m);
      const double r2 = x * x + y * y, r4 = r2 * r2, r6 = r4 * r2;
      first[0] = -y / r2;
      first[1] = x / r2;
      second[0][0] = 2 * x * y / r4;
      second[0][1] = second[1][0] = (y * y - x * x) / r4;
      second[1][1] = -second[0][0];
      third[0] = 2 * y * (y * y - 3 * x * x) / r6;
      third[1] = 2 * x * (x * x - 3 * y * y) / r6;
      third[2] = -third[0];
      third[3] = -third[1];
      for (int i = 0; i < 2; ++i) {
        gradient[i] = self.part_[i]->gradient(m);
        rate[i] = self.part_[i]->rate(m, gradient[i]);
      }
    }
  };

  MeasurePtr<3> part_[2];
  int turns_;
};

}  // namespace

MeasurePtr<2> relative_angle(int a, int b) { return std::make_shared<PlanarAngle>(a, b); }

MeasurePtr<3> angle_about(int a, const Vector<3>& zero, const Vector<3>& quarter, int b, const Vector<3>& pointer,
                          int turns) {
  return std::make_shared<SpatialAngle>(a, zero, quarter, b, pointer, turns);
}

}  // namespace escapement
