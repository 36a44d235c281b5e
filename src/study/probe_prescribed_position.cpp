// Whether a structural method can carry a position constraint itself, [002] section 9: with x(t+h) prescribed the
// method's own equations leave a recursion for the derivatives, and its largest root is the growth of an error of the
// multiplier per step.
#include <Eigen/Eigenvalues>

#include "schemes/structural.hpp"
#include "study/probe.hpp"

namespace escapement {

Point probe_prescribed_position(const ProbeInput& input) {
  const Model model = input.setup.model(1);
  const std::string& scheme = model.settings.scheme;
  const bool is_explicit = scheme == "structural-explicit", implicit = scheme == "structural-implicit";
  const auto family = is_explicit ? StructuralFamily::E : implicit ? StructuralFamily::I : StructuralFamily::CE;
  StructuralMethod method(family, check_options(model.settings).scheme);
  method.set_step(1);
  const int g = method.degree(), n = g - 1, first = is_explicit ? 2 : 1;  // lowest derivative that p(d) moves besides x
  Mat map(n, n);                                                          // on x', ..., x^(g-1)
  for (int j = 0; j < n; ++j) {
    DerivativeChain x, x1;
    for (int k = 1; k < g; ++k) x[k] = x1[k] = Vec::Unit(1, 0) * (k == j + 1);
    // p(d) enters x(b) linearly: two trials give the one with x(b) = 0
    auto position = [&](double p) {
      const Vec now = Vec::Constant(1, p);
      for (int m = first; m <= g - 2; ++m) method.equation(m, x, x[g - 1], now, x1[m]);
      x1[g - 1] = now;
      if (is_explicit) x1[1] = x[1];
      Vec out(1);
      method.equation(0, implicit ? x : x1, x[g - 1], now, out);
      return out[0];
    };
    const double at0 = position(0), slope = position(1) - at0;
    position(-at0 / slope);
    if (is_explicit) {  // (17) moves x' afterwards
      Vec v(1);
      method.equation(1, x1, x[g - 1], x1[g - 1], v);
      x1[1] = v;
    }
    for (int i = 0; i < n; ++i) map(i, j) = x1[i + 1][0];
  }
  Point point;
  point.values["growth"] = map.eigenvalues().cwiseAbs().maxCoeff();
  return point;
}

}  // namespace escapement
