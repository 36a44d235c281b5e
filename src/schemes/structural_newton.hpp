// Newton's method for the equilibrium of the conditional and the implicit structural families, [002] (25) and (30), in
// the unknowns (v', z') and lambda. The other quantities follow: a change d of (v', z') changes (v, z) by beta_v d and
// the increment of the position by beta_x d.
#pragma once

#include "math/saddle_solver.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class StructuralNewton {
 public:
  StructuralNewton() = default;
  explicit StructuralNewton(const Options& options) : tolerance_(options.number("newton_tolerance")) {}
  static OptionInfo option();

  void resize(const System&);
  // f - M v' and zdot - z', without the multipliers' part; rate: (v', z')
  static void residual(const Terms&, const Vec& rate, Vec& r);
  //  [ M + beta_v D + beta_x K          -beta_v f_z       -top^T ]
  //  [ -beta_v zdot_v - beta_x zdot_q   I - beta_v zdot_z    0   ]
  //  [ bottom                             0                  0   ]
  // K: that of the tangent, along increments
  bool factor(const Matrix& M, const Tangent& tangent, const Matrix& K, double beta_v, double beta_x, const Matrix& top,
              const Matrix& bottom);
  void solve(const Vec& r, const Vec& b, Vec& d, Vec& lambda) { kkt_.solve(r, b, d, lambda); }
  const SaddleSolver& kkt() const { return kkt_; }

  // has the iteration ended with the correction d of (v', z')? Default: when it stagnates at rounding
  enum class Verdict { go_on, converged, failed };
  void begin() { iterations_ = 0; }
  Verdict judge(const Vec& d, double beta_v, double beta_x, const Vec& rate, const State& s1);
  int iterations() const { return iterations_; }
  static void blame(const Vec& r, const Vec& b,
                    StepReport& report);  // residuals of motion and of rows, for a failed step

 private:
  double tolerance_ = 0;
  int v_ = 0, z_ = 0, rows_ = 0;
  int iterations_ = 0;
  double previous_ = 0;
  double unit_ = 1;  // what counts as one in the positions
  SaddleSolver kkt_;
  Matrix A_;             // (v + z) x (v + z)
  Matrix top_, bottom_;  // rows x (v + z), only used with z
};

}  // namespace escapement
