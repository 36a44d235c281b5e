// Relative angles of two bodies.
#include <array>
#include <cmath>
#include <numbers>

#include "model/rotation_vector.hpp"

namespace escapement::inline model {

namespace {

class PlanarAngle : public Measure<2> {
 public:
  PlanarAngle(int a, int b) : Measure<2>(a, b) {}

  double value(const Motion<2>& m) const override { return m[b()].orientation[0] - m[a()].orientation[0]; }
  double largest_term(const Motion<2>& m) const override {
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

// a function h(x, y) of two measures of the same bodies
class FunctionOfTwo : public Measure<3> {
 public:
  FunctionOfTwo(MeasurePtr<3> x, MeasurePtr<3> y) : Measure<3>(x->a(), x->b()), part_{std::move(x), std::move(y)} {}

  Gradient<3> gradient(const Motion<3>& m) const override {
    const Slopes h(*this, m);
    Gradient<3> g;
    for (int i = 0; i < 2; ++i) add(g, h.first[i], h.gradient[i]);
    return g;
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

 protected:
  struct Derivatives {
    double first[2], second[2][2], third[4];  // third: by the number of derivatives after y
  };
  virtual Derivatives derivatives(double x, double y) const = 0;
  double part(int i, const Motion<3>& m) const { return part_[i]->value(m); }

 private:
  static void add(Gradient<3>& g, double factor, const Gradient<3>& other) {
    g.a += factor * other.a;
    g.b += factor * other.b;
  }

  // with the parts' gradients and rates
  struct Slopes : Derivatives {
    double rate[2];
    Gradient<3> gradient[2];
    Slopes(const FunctionOfTwo& self, const Motion<3>& m)
        : Derivatives(self.derivatives(self.part(0, m), self.part(1, m))) {
      for (int i = 0; i < 2; ++i) {
        gradient[i] = self.part_[i]->gradient(m);
        rate[i] = self.part_[i]->rate(m, gradient[i]);
      }
    }
  };

  MeasurePtr<3> part_[2];
};

// atan2(y, x) of x = zero . pointer and y = quarter . pointer
class SpatialAngle : public FunctionOfTwo {
 public:
  SpatialAngle(int a, const Vector<3>& zero, const Vector<3>& quarter, int b, const Vector<3>& pointer, int turns)
      : FunctionOfTwo(axis_product<3>(a, zero, b, pointer), axis_product<3>(a, quarter, b, pointer)), turns_(turns) {}

  double value(const Motion<3>& m) const override {
    const double angle = std::atan2(part(1, m), part(0, m));
    if (turns_ < 0) return angle;
    constexpr double turn = 2 * std::numbers::pi;
    return angle + turn * std::round((m.z[turns_] - angle) / turn);
  }

  double largest_term(const Motion<3>& m) const override { return std::max(1.0, std::abs(value(m))); }

 private:
  Derivatives derivatives(double x, double y) const override {
    const double r2 = x * x + y * y, r4 = r2 * r2, r6 = r4 * r2, xy = 2 * x * y / r4, square = (y * y - x * x) / r4;
    const double xxx = 2 * y * (y * y - 3 * x * x) / r6, xxy = 2 * x * (x * x - 3 * y * y) / r6;
    return {{-y / r2, x / r2}, {{xy, square}, {square, -xy}}, {xxx, xxy, -xxx, -xxy}};
  }

  int turns_;
};

// h(x) = acos(x)/sqrt(1 - x^2), half an angle over its sine, and three derivatives, for x >= 0
std::array<double, 4> angle_over_sine(double x) {
  if (x < 0.9) {  // (1 - x^2) h' = x h - 1
    const double r = 1 / (1 - x * x), h = std::acos(x) * std::sqrt(r), h1 = (x * h - 1) * r, h2 = (h + 3 * x * h1) * r;
    return {h, h1, h2, (4 * h1 + 5 * x * h2) * r};
  }
  // the same by its series in y = 1 - x, which divides by nothing small: every coefficient is n/(2n + 1) times the last
  const double y = 1 - x;
  std::array<double, 4> sum{1, 0, 0, 0};
  double c = 1, power[4] = {1, 0, 0, 0};  // y^n and its derivatives
  for (int n = 1; n <= 16; ++n) {
    c *= n / (2.0 * n + 1);
    for (int k = 3; k > 0; --k) power[k] = power[k] * y + k * power[k - 1];
    power[0] *= y;
    for (int k = 0; k < 4; ++k) sum[k] += c * power[k];
  }
  return {sum[0], -sum[1], sum[2], -sum[3]};
}

// 2 h(x) y of the quaternion's first component x = cos(angle/2) and another one y = sin(angle/2) n_i
class RotationComponent : public FunctionOfTwo {
 public:
  RotationComponent(const TwoAxes& axes, int component)
      : FunctionOfTwo(relative_quaternion(axes, 0), relative_quaternion(axes, 1 + component)) {}

  double value(const Motion<3>& m) const override { return 2 * angle_over_sine(part(0, m))[0] * part(1, m); }

 private:
  Derivatives derivatives(double x, double y) const override {
    const auto h = angle_over_sine(x);
    return {{2 * h[1] * y, 2 * h[0]}, {{2 * h[2] * y, 2 * h[1]}, {2 * h[1], 0}}, {2 * h[3] * y, 2 * h[2], 0, 0}};
  }
};

}  // namespace

MeasurePtr<2> relative_angle(int a, int b) { return std::make_shared<PlanarAngle>(a, b); }

MeasurePtr<3> angle_about(int a, const Vector<3>& zero, const Vector<3>& quarter, int b, const Vector<3>& pointer,
                          int turns) {
  return std::make_shared<SpatialAngle>(a, zero, quarter, b, pointer, turns);
}

MeasurePtr<3> rotation_component(const TwoAxes& axes, int component) {
  return std::make_shared<RotationComponent>(axes, component);
}

}  // namespace escapement
