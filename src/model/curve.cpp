#include "model/curve.hpp"

#include <limits>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/tolerances.hpp"

namespace escapement::inline model {

namespace {

// between samples the tangent turns by no more than this: a tenth of what a straight line would be mistaken for an arc at
constexpr double largest_turn = 0.1;
constexpr int fewest_samples = 64, most_samples = 8192;

double angle_between(double a, double b) { return std::remainder(b - a, 2 * M_PI); }

}  // namespace

Curve::Curve(ExpressionGraph& graph, const CurveFormula& formula) : formula_(formula) {
  std::vector<Expr> out{formula.x, formula.y};
  for (int order = 0; order < 2; ++order)
    for (int i = 0; i < 2; ++i) out.push_back(graph.derivative(out[static_cast<std::size_t>(2 * order + i)], formula.phi));
  program_ = Program(graph, {&formula.phi, 1}, out);
  int count = fewest_samples;
  while (!sample(count)) {
    count *= 2;
    if (count > most_samples) throw std::invalid_argument("turns too sharply somewhere; round it, or make two curves that meet there");
  }
  double size = 0;
  for (const Sample& one : samples_) size = std::max(size, (one.c - samples_[0].c).norm());
  closed_ = (samples_.back().c - samples_[0].c).norm() <= little::flush * size &&
            std::abs(angle_between(samples_[0].turn, samples_.back().turn)) <= little::flush;
  convex_ = std::none_of(samples_.begin(), samples_.end(), [](const Sample& one) { return one.bend < 0; });
  hollow_ = std::none_of(samples_.begin(), samples_.end(), [](const Sample& one) { return one.bend > 0; });
}

bool Curve::sample(int count) {
  step_ = (formula_.to - formula_.from) / count;
  samples_.clear();
  std::vector<double> scratch(program_.scratch_size());
  for (int k = 0; k <= count; ++k) {
    double c[6];
    evaluate(formula_.from + k * step_, c, scratch.data());
    const double speed = std::hypot(c[2], c[3]);
    for (double one : c)
      if (!std::isfinite(one)) throw std::invalid_argument("is not finite everywhere, or has no second derivative somewhere");
    if (!(speed > 0)) throw std::invalid_argument("stands still somewhere; every part of it needs a tangent");
    samples_.push_back({{c[0], c[1]}, (c[2] * c[5] - c[3] * c[4]) / (speed * speed * speed), std::atan2(c[3], c[2])});
    if (k > 0 && std::abs(angle_between(samples_[static_cast<std::size_t>(k) - 1].turn, samples_.back().turn)) > largest_turn) return false;
  }
  return true;
}

std::vector<Vector<2>> Curve::outline() const {
  std::vector<Vector<2>> points;
  for (const Sample& one : samples_) points.push_back(one.c);
  if (closed_) points.pop_back();
  return points;
}

Vector<2> Curve::at(double phi) const {
  std::vector<double> scratch(program_.scratch_size());
  double c[6];
  evaluate(phi, c, scratch.data());
  return {c[0], c[1]};
}

std::vector<Curve::Arc> Curve::arcs(double radius) const {
  const double least = std::isinf(radius) ? 0 : -1 / radius;
  const int n = static_cast<int>(samples_.size()) - 1;
  const auto bend = [&](int k) { return samples_[static_cast<std::size_t>(closed_ ? (k % n + n) % n : std::clamp(k, 0, n))].bend; };
  std::vector<double> cuts;
  for (int k = closed_ ? 0 : 1; k < n; ++k)
    if (bend(k) < least && bend(k) < bend(k - 1) && bend(k) <= bend(k + 1)) cuts.push_back(formula_.from + k * step_);
  if (cuts.empty()) return {{formula_.from, formula_.to, closed_}};
  std::vector<Arc> arcs;
  if (!closed_) {
    cuts.insert(cuts.begin(), formula_.from);
    cuts.push_back(formula_.to);
  } else {
    cuts.push_back(cuts.front() + formula_.to - formula_.from);
  }
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) arcs.push_back({cuts[i], cuts[i + 1], false});
  return arcs;
}

CurveFoot::CurveFoot(std::shared_ptr<const Curve> curve, Curve::Arc arc, Of of) : curve_(std::move(curve)), arc_(arc), of_(of) {
  const int count = std::max(1, static_cast<int>(std::lround((arc.to - arc.from) / curve_->step())));
  step_ = (arc.to - arc.from) / count;
  for (int k = 0; k < count + (arc.closed ? 0 : 1); ++k) points_.push_back(curve_->at(wrapped(arc.from + k * step_)));
}

// an arc of a closed curve may go on beyond its end
double CurveFoot::wrapped(double phi) const {
  const double from = curve_->formula().from, to = curve_->formula().to;
  if (phi >= from && phi <= to) return phi;
  return phi - (to - from) * std::floor((phi - from) / (to - from));
}

CurveFoot::Slope CurveFoot::slope(double phi, const Vector<2>& of, double* scratch) const {
  double* c = scratch;
  curve_->evaluate(wrapped(phi), c, scratch + 6);
  if (of_ == Of::direction) return {of[0] * c[2] + of[1] * c[3], of[0] * c[4] + of[1] * c[5]};
  const double x = of[0] - c[0], y = of[1] - c[1];
  return {-(x * c[2] + y * c[3]), c[2] * c[2] + c[3] * c[3] - (x * c[4] + y * c[5])};
}

CurveFoot::Place CurveFoot::find(const Vector<2>& of, double* scratch) const {
  std::size_t best = 0;
  double least = height(points_[0], of);
  for (std::size_t k = 1; k < points_.size(); ++k) {
    const double here = height(points_[k], of);
    if (here < least) least = here, best = k;
  }
  const double phi = arc_.from + static_cast<double>(best) * step_;
  if (!arc_.closed) {
    if (best == 0 && !(slope(arc_.from, of, scratch).first < 0)) return {wrapped(arc_.from), Side::start};
    if (best + 1 == points_.size() && !(slope(arc_.to, of, scratch).first > 0)) return {wrapped(arc_.to), Side::end};
  }
  return {wrapped(refine(phi, slope(phi, of, scratch).first > 0 ? -step_ : step_, of, scratch)), Side::inside};
}

// the zero of the slope between phi and phi + step: Newton's method, kept inside by bisection
double CurveFoot::refine(double phi, double step, const Vector<2>& of, double* scratch) const {
  double low = std::min(phi, phi + step), high = std::max(phi, phi + step);
  const double enough = 2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high));
  double at = phi;
  for (int i = 0; i < 60; ++i) {
    const Slope here = slope(at, of, scratch);
    (here.first < 0 ? low : high) = at;
    double next = at - here.first / here.second;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (std::abs(next - at) <= enough) return next;
    at = next;
  }
  return at;
}

}  // namespace escapement
