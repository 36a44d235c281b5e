// Over the first curve's tangents the second one's lowest point has the height h(phi) = n(phi).(c_b - c_a). Where h is largest the two
// are nearest: h' is the curvature times the way along the tangent, which vanishes there.
#include "model/curve_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline model {

CurvePair::CurvePair(std::shared_ptr<const Curve> a, std::shared_ptr<const Curve> b)
    : a_(std::move(a)), b_(std::move(b)), foot_(b_, b_->arcs(INFINITY)[0], CurveFoot::Of::direction), others_(b_->outline()) {
  std::vector<double> scratch(a_->scratch_size());
  const int count = static_cast<int>(std::lround((a_->formula().to - a_->formula().from) / a_->step()));
  for (int k = 0; k < count + (a_->closed() ? 0 : 1); ++k) {
    double c[6];
    a_->evaluate(a_->formula().from + k * a_->step(), c, scratch.data());
    points_.emplace_back(c[0], c[1]);
    normals_.push_back(Vector<2>(c[3], -c[2]).normalized());
  }
}

CurvePair::Look CurvePair::look(double phi, const CurvePlace& at, double* scratch) const {
  const double from = a_->formula().from, to = a_->formula().to;
  if (phi < from || phi > to) phi -= (to - from) * std::floor((phi - from) / (to - from));
  double *a = scratch, *b = scratch + 6, *room = scratch + 12;
  a_->evaluate(phi, a, room);
  const Vector<2> n = Vector<2>(a[3], -a[2]).normalized();
  Look look{};
  look.foot = foot_.find(at.R.transpose() * n, room);
  foot_.curve().evaluate(look.foot.phi, b, room);
  const Vector<2> way = at.x + at.R * Vector<2>(b[0], b[1]) - Vector<2>(a[0], a[1]), tangent(a[2], a[3]), bend(a[4], a[5]);
  look.height = way.dot(n);
  look.slope = way.dot(tangent);
  look.change = way.dot(bend) - tangent.squaredNorm();
  if (look.foot.side == CurveFoot::Side::inside) {
    // the lowest point moves along with the direction: tangent x d_b' stays 0
    const Vector<2> along = at.R * Vector<2>(b[2], b[3]), turn = at.R * Vector<2>(b[4], b[5]);
    const auto cross = [](const Vector<2>& u, const Vector<2>& v) { return u[0] * v[1] - u[1] * v[0]; };
    look.change -= along.dot(tangent) * cross(bend, along) / cross(tangent, turn);
  }
  return look;
}

CurvePair::Place CurvePair::find(const CurvePlace& at, double* scratch) const {
  // the samples' best: the other one's lowest goes around with the tangent
  std::size_t best = 0, low = 0;
  double most = -INFINITY;
  const std::size_t n = others_.size();
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Vector<2> d = at.R.transpose() * normals_[k];
    const auto height = [&](std::size_t i) { return d.dot(others_[i]); };
    if (k == 0 || !b_->closed()) {  // an open one's ends may be lowest in turn
      for (std::size_t i = 0; i < n; ++i)
        if (height(i) < height(low)) low = i;
    } else {
      for (std::size_t next = low + 1 < n ? low + 1 : 0; height(next) < height(low); next = low + 1 < n ? low + 1 : 0) low = next;
    }
    const double apart = height(low) + normals_[k].dot(at.x - points_[k]);
    if (apart > most) most = apart, best = k;
  }
  const double from = a_->formula().from, step = a_->step(), sample = from + static_cast<double>(best) * step;
  double lowest = sample - step, highest = sample + step;
  if (!a_->closed()) {
    lowest = std::max(lowest, from);
    highest = std::min(highest, a_->formula().to);
  }
  const double size = std::max(std::abs(lowest), std::abs(highest)), enough = 2 * std::numeric_limits<double>::epsilon() * size;
  double phi = sample, last_move = INFINITY;
  Look here = look(phi, at, scratch);
  bool ended = false;
  for (int i = 0; i < 60; ++i) {
    (here.slope > 0 ? lowest : highest) = phi;
    if (!(highest - lowest > 0)) {
      ended = !a_->closed() && !(std::abs(here.slope) <= enough * std::abs(here.change));
      break;
    }
    double next = phi - here.slope / here.change;
    if (!(here.change < 0 && next >= lowest && next <= highest)) next = 0.5 * (lowest + highest);
    const double move = std::abs(next - phi);
    // far apart, slopes carry more rounding than the place: it then moves to and fro
    const bool same = move <= enough || (move >= last_move && move <= little::flush * size);
    last_move = move;
    phi = next;
    here = look(phi, at, scratch);
    if (same) break;
  }
  const double last = a_->formula().to;
  if (!a_->closed()) ended = ended || (phi <= from && here.slope < 0) || (phi >= last && here.slope > 0);
  if (a_->closed() && (phi < from || phi > last)) phi -= (last - from) * std::floor((phi - from) / (last - from));
  return {phi, here.foot.phi, !ended && here.foot.side == CurveFoot::Side::inside, here.height};
}

}  // namespace escapement
