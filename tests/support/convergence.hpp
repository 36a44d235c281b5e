// Runs a scheme with a sequence of steps and measures how fast its error falls.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "schemes/scheme.hpp"

namespace escapement::testing {

// the error is the largest at the given instants (one alone may meet a zero of the error)
struct Problem {
  const System& system;
  State start;
  std::vector<State> exact;  // at equal distances
  int steps = 10;            // of the coarsest run, from one instant to the next
};

inline double relative_error(const Vec& x, const Vec& exact) {
  if (exact.size() == 0) return 0;
  const double error = (x - exact).lpNorm<Eigen::Infinity>() / (1 + exact.lpNorm<Eigen::Infinity>());
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

struct Errors {
  int steps = 0;
  double h = 0;
  double q = 0, v = 0, lambda = 0, z = 0;
  double largest() const { return std::max({q, v, lambda, z}); }

  void look(const System& system, const State& s, const State& exact) {
    // q and -q are one rotation: compare by the increment that leads from one to the other
    Vec dx = Vec::Zero(s.v.size());
    system.difference(exact.q, s.q, dx);
    const double size = 1 + exact.q.lpNorm<Eigen::Infinity>(), error = dx.lpNorm<Eigen::Infinity>() / size;
    q = std::max(q, std::isfinite(error) ? error : std::numeric_limits<double>::infinity());
    v = std::max(v, relative_error(s.v, exact.v));
    lambda = std::max(lambda, relative_error(s.lambda, exact.lambda));
    z = std::max(z, relative_error(s.z, exact.z));
  }
};

// goes from s to the time `end` in n steps; false: a step failed
using Runner = std::function<bool(Scheme&, const System&, int n, double end, State& s)>;

inline bool run_steps(Scheme& scheme, const System& system, int n, double h, State& s) {
  State s1 = s;
  for (int i = 0; i < n; ++i) {
    if (!scheme.step(system, s, h, s1).ok()) return false;
    std::swap(s, s1);
  }
  return true;
}

inline bool fixed_steps(Scheme& scheme, const System& system, int n, double end, State& s) {
  return run_steps(scheme, system, n, (end - s.t) / n, s);
}

inline Errors errors_of(Scheme& scheme, const Problem& problem, int n, const Runner& runner = fixed_steps) {
  const double infinity = std::numeric_limits<double>::infinity();
  Errors e;
  e.steps = n;
  e.h = (problem.exact.front().t - problem.start.t) / n;
  State s = problem.start;
  scheme.start(problem.system, s);
  for (const State& exact : problem.exact) {
    if (!runner(scheme, problem.system, n, exact.t, s)) return {n, e.h, infinity, infinity, infinity, infinity};
    e.look(problem.system, s, exact);
  }
  return e;
}

class Convergence {
 public:
  // doubles the steps until rounding shows or the work gets large; a high order starts with fewer steps
  Convergence(Scheme& scheme, const Problem& problem, const Runner& runner = fixed_steps)
      : high_(scheme.info().order >= 8), floor_(high_ ? 2e-14 : 1e-11) {
    int coarsest = problem.steps;
    while (coarsest > 1 && errors_of(scheme, problem, coarsest, runner).largest() < 1e-6) coarsest /= 2;
    for (int n = coarsest; n <= (resolved() && settled() ? 200 : 1600) * problem.steps; n *= 2) {
      errors_.push_back(errors_of(scheme, problem, n, runner));
      if (errors_.back().largest() < floor_) break;
    }
  }
  // from the finest pair above rounding; orders from 8 on pass from the coarse steps' higher terms to rounding within one or two
  // halvings, so that there the best pair counts. 0 when there is none, infinity when the error is nothing but rounding. The
  // multipliers of an index-3 form are second differences of positions, and so is what rounding leaves in them: the weights of
  // the fifth-order backward formula, the worst one, add up to 17 each time it is applied
  double order(double Errors::*part, bool divided_by_h2 = false) const {
    double order = errors_.front().*part < floor_ ? std::numeric_limits<double>::infinity() : 0;
    bool found = false;
    for (std::size_t i = 1; i < errors_.size(); ++i) {
      const double coarse = errors_[i - 1].*part, fine = errors_[i].*part, h = errors_[i].h;
      const double noise = divided_by_h2 ? 17 * 17 * std::numeric_limits<double>::epsilon() / (h * h) : 0;
      const double lowest = std::max(floor_, noise);
      if (coarse >= 0.05 || coarse <= lowest) continue;
      const double measured = std::log(coarse / fine) / std::log(double(errors_[i].steps) / errors_[i - 1].steps);
      if (fine > lowest) {
        order = high_ ? std::max(order, measured) : measured;
        found = true;
      } else if (!found) {
        // a single halving of the step leads from an error that shows into rounding: the order is at least this
        order = std::max(order, std::log2(coarse / lowest));
      }
    }
    return order;
  }
  const std::vector<Errors>& errors() const { return errors_; }

 private:
  // the error is small enough for its order to show; large ones of first-order schemes take long to get there
  bool resolved() const { return !errors_.empty() && std::max(errors_.back().q, errors_.back().v) < 0.025; }
  // the last two halvings give about one order; where an error passes through zero on its way they do not
  bool settled() const {
    const std::size_t n = errors_.size();
    if (n < 3) return false;
    auto order = [&](double Errors::*part, std::size_t i) { return std::log2(errors_[i - 1].*part / errors_[i].*part); };
    auto differs = [&](double Errors::*part) {
      return errors_[n - 1].*part > floor_ && std::abs(order(part, n - 1) - order(part, n - 2)) > 0.25;
    };
    return !differs(&Errors::q) && !differs(&Errors::v);
  }

  bool high_;
  double floor_;
  std::vector<Errors> errors_;
};

}  // namespace escapement::testing
