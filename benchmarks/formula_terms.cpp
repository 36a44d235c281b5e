// The terms of the slider-crank from its model file against the same terms written by hand; formula_terms.sh counts the
// instructions of the two loops.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "io/model_file.hpp"
#include "support/source_folder.hpp"

using namespace escapement;

namespace {

// uniform rods of paper 000: l1 = 1, l2 = 2, all masses 1
class SliderCrank {
 public:
  void evaluate(const State& s, Terms& T) const {
    const double a1 = s.q[0], a2 = s.q[1], w1 = s.v[0], w2 = s.v[1];
    const double s1 = std::sin(a1), c1 = std::cos(a1), s2 = std::sin(a2), c2 = std::cos(a2);
    const double s12 = std::sin(a1 - a2), c12 = std::cos(a1 - a2);
    const double coupling = m2_ * l1_ * l2_ / 2;
    Mat& M = T.M.dense();
    M(0, 0) = J1_ + m1_ * l1_ * l1_ / 4 + m2_ * l1_ * l1_;
    M(1, 1) = J2_ + m2_ * l2_ * l2_ / 4;
    M(2, 2) = m3_;
    M(0, 1) = M(1, 0) = coupling * c12;
    M(0, 2) = M(2, 0) = M(1, 2) = M(2, 1) = 0;
    T.f[0] = -coupling * s12 * w2 * w2 - g_ * l1_ * c1 * (m1_ / 2 + m2_);
    T.f[1] = coupling * s12 * w1 * w1 - g_ * m2_ * l2_ / 2 * c2;
    T.f[2] = 0;
    T.g[0] = l1_ * s1 + l2_ * s2;
    T.g[1] = s.q[2] - l1_ * c1 - l2_ * c2;
    Mat& G = T.G.dense();
    G(0, 0) = l1_ * c1;
    G(0, 1) = l2_ * c2;
    G(0, 2) = 0;
    G(1, 0) = l1_ * s1;
    G(1, 1) = l2_ * s2;
    G(1, 2) = 1;
    T.g_t.setZero();
    T.kappa[0] = -l1_ * s1 * w1 * w1 - l2_ * s2 * w2 * w2;
    T.kappa[1] = l1_ * c1 * w1 * w1 + l2_ * c2 * w2 * w2;
  }

 private:
  double l1_ = 1, l2_ = 2, m1_ = 1, m2_ = 1, m3_ = 1, J1_ = 1.0 / 12, J2_ = 1.0 / 3, g_ = 9.81;
};

constexpr Need all = Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature;

// the state changes from call to call, so that nothing can be kept
__attribute__((noinline)) double loop_by_hand(const SliderCrank& crank, State s, Terms& T, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    s.q[0] += 1e-3;
    s.q[1] -= 2e-3;
    crank.evaluate(s, T);
    sum += T.M(0, 1) + T.f[0] + T.kappa[1];
  }
  return sum;
}

__attribute__((noinline)) double loop_by_formula(const System& system, State s, Terms& T, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    s.q[0] += 1e-3;
    s.q[1] -= 2e-3;
    system.evaluate(s, all, T);
    sum += T.M(0, 1) + T.f[0] + T.kappa[1];
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const Model model = load_model(escapement::testing::source_folder() + "/examples/slider_crank.yaml");
  Terms T;
  model.system->prepare(T);
  State s = model.start;
  const double by_formula = loop_by_formula(*model.system, s, T, count);
  const double by_hand = loop_by_hand(SliderCrank(), s, T, count);
  std::printf("%d evaluations, sums %.15g and %.15g\n", count, by_formula, by_hand);
  return std::abs(by_formula - by_hand) < 1e-9 * std::abs(by_hand) ? 0 : 1;
}
