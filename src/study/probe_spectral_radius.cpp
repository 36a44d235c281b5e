// The amplification of one step on a linear model, found by running it: a State holds everything a scheme remembers, so
// the step is a linear map of its numbers, and its columns are the images of unit changes. The largest eigenvalue is
// the growth per step; a long run from a small change must grow by the same factor, which is measured too.
#include <cmath>

#include "math/eigenvalues.hpp"
#include "study/probe.hpp"

namespace escapement::inline study {

namespace {

// the numbers of a state that a step maps linearly
std::vector<double*> numbers_in(State& s) {
  std::vector<double*> list;
  for (Vec* x : {&s.q, &s.v, &s.vdot})
    for (double& value : *x) list.push_back(&value);
  for (Vec& x : s.memory.vectors)
    for (double& value : x) list.push_back(&value);
  return list;
}

class StepMap {
 public:
  StepMap(const Model& model, double h) : system_(*model.system), h_(h) {
    scheme_ = find_scheme(model.settings.scheme)->make(check_options(model.settings).scheme);
    scheme_->estimate_errors(false);
    base_ = model.start;
    scheme_->start(system_, base_);
    // past what the scheme does only at its start
    State next = base_;
    for (int i = 0; i < 8; ++i) {
      advance(base_, next);
      std::swap(base_, next);
    }
  }

  double spectral_radius() {
    State zero = base_;
    for (double* x : numbers_in(zero)) *x = 0;
    const auto n = static_cast<int>(numbers_in(zero).size());
    Mat A(n, n);
    State from = zero, to = zero;
    for (int j = 0; j < n; ++j) {
      from = zero;
      *numbers_in(from)[j] = 1;
      advance(from, to);
      const auto image = numbers_in(to);
      for (int i = 0; i < n; ++i) A(i, j) = *image[i];
    }
    if (!A.allFinite()) return INFINITY;
    return escapement::spectral_radius(A);
  }

  // mean growth of the state per step, after the transient
  double growth(int steps) {
    State s = base_, s1 = base_;
    double middle = 0, end = 0;
    for (int i = 0; i < steps; ++i) {
      advance(s, s1);
      std::swap(s, s1);
      // the size over a window, so that the phase of an oscillation does not count
      double size = 0;
      for (const double* x : numbers_in(s)) size = std::max(size, std::abs(*x));
      if (!(size < 1e150)) return INFINITY;
      if (i >= steps / 2 - 200 && i < steps / 2) middle = std::max(middle, size);
      if (i >= steps - 200) end = std::max(end, size);
    }
    return std::pow(end / middle, 2.0 / steps);
  }

 private:
  void advance(const State& s, State& s1) {
    s1.memory = s.memory;
    if (!scheme_->step(system_, s, h_, s1).ok()) s1.q.setConstant(NAN);
  }

  const System& system_;
  double h_;
  std::unique_ptr<Scheme> scheme_;
  State base_;
};

}  // namespace

Point probe_spectral_radius(const ProbeInput& input) {
  const Model model = input.setup.model(input.setup.number("step", 0.1));
  const double frequency = input.setup.number("frequency", 1);
  auto radius = [&](double h) { return StepMap(model, h).spectral_radius(); };
  Point point;
  std::vector<double>& xs = point.columns["frequency_step"];
  std::vector<double>& ys = point.columns["radius"];
  const double largest = input.setup.number("largest", 3), bound = 1 + input.setup.number("allowed", 1e-10);
  // the first step at which the radius leaves 1, refined by bisection
  double limit = 0;
  bool inside = true;
  const int samples = 120;
  for (int i = 1; i <= samples; ++i) {
    const double h = largest / frequency * i / samples, r = radius(h);
    xs.push_back(h * frequency);
    ys.push_back(r);
    if (inside && r <= bound)
      limit = h;
    else if (inside) {
      inside = false;
      if (i == 1) continue;  // unstable from the smallest step looked at: no limit at all
      double low = limit, high = h;
      for (int k = 0; k < 40; ++k) (radius((low + high) / 2) <= bound ? low : high) = (low + high) / 2;
      limit = low;
    }
  }
  point.values["limit"] = inside ? INFINITY : limit * frequency;
  if (input.setup.text("step")) {
    const double h = input.setup.number("step");
    point.values["radius"] = radius(h);
    point.values["growth"] = StepMap(model, h).growth(static_cast<int>(input.setup.number("growth_steps", 4000)));
  }
  return point;
}

}  // namespace escapement
