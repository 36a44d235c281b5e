// Explicit Runge-Kutta methods on the index-1 form, [000] section 2.3: what the schemes with such a tableau share.
#pragma once

#include <vector>

#include "schemes/error_norm.hpp"
#include "schemes/index1.hpp"
#include "schemes/stage_rates.hpp"
#include "schemes/tableau.hpp"

namespace escapement::inline schemes {

class ExplicitRungeKutta : public Scheme {
 public:
  template <std::size_t stages>
  ExplicitRungeKutta(SchemeInfo info, const Tableau<stages>& tableau, const Options& options)
      : ExplicitRungeKutta(std::move(info), options) {
    set_tableau(stages, &tableau.c[0], &tableau.a[0][0], &tableau.b[0], &tableau.b_hat[0]);
  }

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void estimate_errors(bool wanted) override { index1_.control_errors(wanted); }

  static std::vector<OptionInfo> options();

 private:
  ExplicitRungeKutta(SchemeInfo info, const Options& options);
  void set_tableau(int stages, const Fraction* c, const Fraction* a, const Fraction* b, const Fraction* b_hat);
  Status stages_of(const System& sys, const State& s, double h, bool on_rows);
  StepReport try_step(const System& sys, const State& s, double h, State& s1, bool on_rows);
  double error(const System& sys, const State& s1, double h, bool on_rows);

  SchemeInfo info_;
  int stages_ = 0;
  std::vector<double> c_, b_, e_;       // stages; e = b - b_hat, all zero: no estimate
  std::vector<std::vector<double>> a_;  // stages x stages

  Index1 index1_;
  Terms T_;
  State stage_;
  StageRates Xdot_;
  Vec error_q_, error_v_, error_z_;
  ErrorNorm error_norm_;
};

}  // namespace escapement
