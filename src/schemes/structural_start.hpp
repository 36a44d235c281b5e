// The derivatives a structural method remembers between steps, and their values at the start, [002] section 7.
//
// Memory of a state: vectors = x^(2) .. x^(g-1) of its instant, then p of the instant before (p(t-h) := p(t) at a
// start), in the conditional family then the position at t+h; numbers = the step that led here (0 at a start), what the
// first step has still to find.
#pragma once

#include "math/tolerances.hpp"
#include "schemes/structural.hpp"

namespace escapement::inline schemes {

class StructuralStart {
 public:
  explicit StructuralStart(const Options&);

  // size the memory of s, fill it with what is known at once; s has t, q, v, z, vdot, lambda; zdot: rates of z there
  void begin(const System&, const StructuralMethod&, State& s, const Vec& zdot);

  // the chain at s and p of the instant before, ready for a step h
  Status load(const System&, const StructuralMethod&, const State& s, double h, DerivativeChain& x, Vec& p_before);
  // s1.v, s1.vdot, s1.z and s1.memory from the chain x; p_before: p of the step's start
  static void store(const StructuralMethod&, const DerivativeChain& x, const Vec& p_before, double h, State& s1);
  static bool same_step(const State& s, double h);

  // one step by `advance(s, h, s1)`; for start: small-step the first one is divided into steps that double
  template <class Advance>
  StepReport step(const StructuralMethod& method, const State& s, double h, State& s1, Advance&& advance) {
    if (static_cast<int>(s.memory.numbers[1]) != small_steps) return advance(s, h, s1);
    return ramp(method, s, h, s1, advance);
  }

 private:
  enum Pending { nothing, differences, small_steps };

  Status difference(const System&, const StructuralMethod&, const State& s, double h, DerivativeChain& x);
  Status sample(const System&, const State& from, double h, State& to, Vec& rate);

  template <class Advance>
  StepReport ramp(const StructuralMethod& method, const State& s, double h, State& s1, Advance&& advance);

  std::string rule_;
  std::unique_ptr<Scheme> one_step_;  // for differences: propagates the motion around the start
  State from_, near_, far_;           // its states, with its own memory
  State a_, b_;
  Terms T_;
  Vec rate_[4];  // (v', z') at t - 2 d, t - d, t + d, t + 2 d
};

// p's first wrong value is forgotten as memory_root^steps: as many steps of each size as bring its effect on v down
// fourfold although it grows by 2^(g-2) with a doubled step, and doublings enough for a first step of about h/1000
template <class Advance>
StepReport StructuralStart::ramp(const StructuralMethod& method, const State& s, double h, State& s1,
                                 Advance&& advance) {
  const double wanted = std::log(4) + (method.degree() - 2) * std::log(2);
  const double decay = -std::log(std::max(method.memory_root(), little::least_decay));
  const int steps = std::clamp(static_cast<int>(std::ceil(wanted / std::max(decay, little::least_decay))), 4, 64);
  int sizes = 1;
  while (steps * ((1 << sizes) - 1) < 1000) ++sizes;

  StepReport total;
  double k = h / (steps * ((1 << sizes) - 1.0));
  a_ = s;
  a_.memory.numbers[1] = nothing;
  for (int size = 0; size < sizes; ++size, k *= 2) {
    for (int i = 0; i < steps; ++i) {
      const StepReport report = advance(a_, k, b_);
      total.status = report.status;
      total.worst = report.worst;
      total.newton_iterations += report.newton_iterations;
      total.linear_solves += report.linear_solves;
      if (!report.ok()) return total;
      std::swap(a_, b_);
    }
  }
  s1 = a_;
  s1.t = s.t + h;
  return total;
}

}  // namespace escapement
