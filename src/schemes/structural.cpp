#include "schemes/structural.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "math/eigenvalues.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {

struct ParameterSet {
  StructuralFamily family;
  int degree;
  std::array<double, 4> alpha;
};

using enum StructuralFamily;

// order g - 1, roots of p's recursion inside the unit circle, and the best stability limits of a coarse grid
constexpr ParameterSet stable_sets[] = {
    {E, 3, {2, 3. / 2, 1}},      {E, 4, {3. / 4, 3. / 2, 2. / 3}},   {E, 5, {9. / 10, 23. / 10, 6. / 5, 1}},
    {CE, 3, {1, 1. / 2, 1}},     {CE, 4, {9. / 10, 4. / 3, 3. / 2}}, {CE, 5, {9. / 10, 27. / 20, 11. / 10, 3. / 5}},
    {I, 3, {1. / 2, 1. / 2, 1}}, {I, 4, {3. / 4, 4. / 3, 3. / 2}},   {I, 5, {8. / 5, 21. / 10, 8. / 5, 3. / 5}},
};

// printed: E3 (11)-(12) with the order-2 value of alpha_1, E4 after (15), CE3 (7)-(8), I3 after (5);
// E5 and CE5 are not printed and were identified from the errors in the paper's tables, docs/errata.md
constexpr ParameterSet paper_sets[] = {
    {E, 3, {1, 3. / 2, 1}},  {E, 4, {5. / 4, 4. / 3, 1. / 2}}, {E, 5, {9. / 10, 23. / 10, 6. / 5, 1}},
    {CE, 3, {1, 1. / 2, 1}}, {CE, 5, {4. / 5, 1, 1, 1}},       {I, 3, {1. / 2, 1. / 2, 1}},
};

template <std::size_t n>
const ParameterSet* find(const ParameterSet (&sets)[n], StructuralFamily family, int degree) {
  for (const ParameterSet& set : sets)
    if (set.family == family && set.degree == degree) return &set;
  return nullptr;
}

std::array<double, 4> read_list(const std::vector<double>& list, int degree) {
  if (static_cast<int>(list.size()) != degree - 1)
    throw OptionError("parameters",
                      fmt::format("option 'parameters' has {} numbers but degree {} takes {}: alpha_0 to alpha_{}",
                                  list.size(), degree, degree - 1, degree - 2));
  std::array<double, 4> alpha{0, 0, 1, 0};
  std::copy(list.begin(), list.end(), alpha.begin());
  if (alpha[2] == 0) throw OptionError("parameters", "alpha_2 must not be 0: the highest derivative follows from it");
  return alpha;
}

std::array<double, 4> read_parameters(StructuralFamily family, int degree, const Options& options) {
  if (options.is_list("parameters")) return read_list(options.list("parameters"), degree);
  const std::string& name = options.text("parameters");
  if (name == "stable") return find(stable_sets, family, degree)->alpha;
  if (name == "list")
    throw OptionError("parameters", "give the parameters themselves as a list: alpha_0, alpha_1, ...");
  if (const ParameterSet* set = find(paper_sets, family, degree)) return set->alpha;
  throw OptionError("parameters", fmt::format("the paper has no parameters of degree {} for this family; take "
                                              "'parameters: stable' or give a list",
                                              degree));
}

}  // namespace

void set_zero(DerivativeChain& x, int degree, const Dim& dim) {
  for (int k = 1; k < degree; ++k) x[k].setZero(dim.v + dim.z);
}

void set_rates(State& s, const DerivativeChain& x, Eigen::Index extra) {
  const Eigen::Index velocities = x[1].size() - extra;
  s.v = x[1].head(velocities);
  s.z = x[1].tail(extra);
  s.vdot = x[2].head(velocities);
}

void RowLevels::resize(const System& sys) {
  const int rows = sys.dim().rows();
  has_position.setZero(rows);
  for (int i = 0; i < rows; ++i) has_position[i] = sys.level(i) == Level::position;
  has_none = Vec::Ones(rows) - has_position;
}

StructuralMethod::StructuralMethod(StructuralFamily family, const Options& options)
    : family_(family),
      g_(options.integer("degree")),
      stable_set_(!options.is_list("parameters") && options.text("parameters") == "stable"),
      alpha_(read_parameters(family, g_, options)) {}

int StructuralMethod::order() const {
  // the condition on alpha_1 that lifts the order of v from g - 2 to g - 1
  double wanted = 0;
  if (g_ == 3) wanted = 0.5;
  if (g_ == 4) wanted = alpha_[2] - 1. / 6;
  if (g_ == 5) wanted = (3 * alpha_[2] - alpha_[3]) / 2;
  if (family_ == E) wanted += 1;
  return std::abs(alpha_[1] - wanted) < little::identity ? g_ - 1 : g_ - 2;
}

double StructuralMethod::memory_root() const {
  if (g_ == 3) return 0;
  if (g_ == 4) return std::abs((1 - alpha_[2]) / alpha_[2]);
  const double a = alpha_[2], b = 1 - 2 * alpha_[2] + 2 * alpha_[3], c = 1 + alpha_[2] - 2 * alpha_[3];
  const std::complex<double> root = std::sqrt(std::complex<double>(b * b - 4 * a * c));
  return std::max(std::abs(-b + root), std::abs(-b - root)) / std::abs(2 * a);
}

double StructuralMethod::prescribed_position_root() const {
  StructuralMethod unit = *this;  // roots do not depend on the step
  unit.set_step(1);
  const int n = g_ - 1, first = family_ == E ? 2 : 1;  // lowest derivative that p(d) moves besides x
  Mat map(n, n);                                       // on x', ..., x^(g-1)
  for (int j = 0; j < n; ++j) {
    DerivativeChain x, x1;
    for (int k = 1; k < g_; ++k) x[k] = x1[k] = Vec::Unit(1, 0) * (k == j + 1);
    // p(d) enters x(b) linearly: two trials give the one with x(b) = 0
    auto position = [&](double p) {
      const Vec now = Vec::Constant(1, p);
      for (int m = first; m <= g_ - 2; ++m) unit.equation(m, x, x[g_ - 1], now, x1[m]);
      x1[g_ - 1] = now;
      if (family_ == E) x1[1] = x[1];
      Vec out(1);
      unit.equation(0, family_ == I ? x : x1, x[g_ - 1], now, out);
      return out[0];
    };
    const double at0 = position(0), slope = position(1) - at0;
    position(-at0 / slope);
    if (family_ == E) {  // [002] (17) moves x' afterwards
      Vec v(1);
      unit.equation(1, x1, x[g_ - 1], x1[g_ - 1], v);
      x1[1] = v;
    }
    for (int i = 0; i < n; ++i) map(i, j) = x1[i + 1][0];
  }
  return spectral_radius(map);
}

void StructuralMethod::set_step(double h) {
  taylor_[0] = 1;
  for (int k = 1; k < 5; ++k) taylor_[k] = taylor_[k - 1] * h / k;
}

void StructuralMethod::equation(int m, const DerivativeChain& x, const Vec& p_c, const Vec& p_d, Vec& out) const {
  out = (weight(m) * (1 - alpha_[m])) * p_c + slope(m) * p_d;
  for (int k = g_ - 2; k >= std::max(m, 1); --k) out += taylor_[k - m] * x[k];
}

void StructuralMethod::highest(int m, const DerivativeChain& x, const Vec& p_c, const Vec& x_b, Vec& p_d) const {
  p_d = x_b - (weight(m) * (1 - alpha_[m])) * p_c;
  for (int k = m; k <= g_ - 2; ++k) p_d -= taylor_[k - m] * x[k];
  p_d /= slope(m);
}

std::vector<OptionInfo> structural_options() {
  return {
      {.name = "degree",
       .value = 5.0,
       .description = "number of derivatives kept, the function included",
       .min = 3,
       .max = 5,
       .integer = true},
      {.name = "parameters",
       .value = std::string("stable"),
       .description = "alpha_0, alpha_1, ...: the stable set of the degree, the paper's, or a list",
       .choices = {"stable", "paper", "list"}},
      {.name = "start",
       .value = std::string("exact"),
       .description =
           "starting values of the third and higher derivatives; exact: from differences where the model has none",
       .choices = {"exact", "differences", "zero", "small-step"}},
  };
}

void StructuralPosition::resize(const System& sys) {
  const Dim& dim = sys.dim();
  turns_ = dim.q != dim.v;
  turn_.setZero(dim.v);
  dx_.setZero(dim.v);
  v_.setZero(dim.v);
  q_.setZero(dim.q);
  k_.setZero(dim.q);
  sum_.setZero(dim.q);
}

// the velocity tau after the instant of x
void StructuralPosition::velocity(const StructuralMethod& method, const DerivativeChain& x, double tau) {
  const auto n = v_.size();
  v_ = x[1].head(n);
  double power = 1;
  for (int k = 2; k < method.degree(); ++k) {
    power *= tau / (k - 1);
    v_ += power * x[k].head(n);
  }
}

void StructuralPosition::set_turn(const System& sys, const StructuralMethod& method, const Vec& q,
                                  const DerivativeChain& x) {
  if (!turns_) return;
  // q' = H(q) v(t + tau) by the classical Runge-Kutta method, which is exact for the integral of v itself up to degree
  // 5
  const double h = method.h();
  velocity(method, x, 0);
  sys.rate(q, v_, k_);
  sum_ = k_;
  q_ = q + (h / 2) * k_;
  velocity(method, x, h / 2);
  sys.rate(q_, v_, k_);
  sum_ += 2 * k_;
  q_ = q + (h / 2) * k_;
  sys.rate(q_, v_, k_);
  sum_ += 2 * k_;
  q_ = q + h * k_;
  velocity(method, x, h);
  sys.rate(q_, v_, k_);
  sum_ += k_;
  q_ = q + (h / 6) * sum_;
  sys.normalize(q_);
  sys.difference(q, q_, turn_);
  for (int k = 1; k < method.degree(); ++k) turn_ -= method.taylor(k) * x[k].head(turn_.size());
}

void StructuralPosition::move(const System& sys, const Vec& q, const Vec& increment, Vec& q1) {
  dx_ = increment.head(dx_.size());
  if (turns_) dx_ += turn_;
  sys.retract(q, dx_, q1);
}

const Matrix& StructuralPosition::chain_rule(const System& sys, const Matrix& A, Matrix& tangent,
                                             Matrix& product) const {
  if (!turns_ || !sys.retract_tangent(dx_, tangent)) return A;
  product.set_product(A, tangent);
  return product;
}

}  // namespace escapement
