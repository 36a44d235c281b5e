#include "math/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace escapement::inline math {
namespace {

void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

void check(const std::vector<double>& x, const std::vector<double>& y, Table::Ends ends) {
  const std::size_t least = ends == Table::Ends::periodic ? 3 : 2;
  require(x.size() == y.size(), fmt::format("a table needs as many y as x, but has {} and {}", y.size(), x.size()));
  require(x.size() >= least, fmt::format("a table needs at least {} points, but has {}", least, x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    require(std::isfinite(x[i]) && std::isfinite(y[i]), fmt::format("point {} of the table is not finite", i + 1));
    require(i == 0 || x[i] > x[i - 1],
            fmt::format("x of a table must increase, but point {} has {} after {}", i + 1, x[i], x[i > 0 ? i - 1 : 0]));
  }
  require(ends != Table::Ends::periodic || y.front() == y.back(),
          fmt::format("a periodic table must end with the y it starts with, but has {} and {}", y.front(), y.back()));
}

// lower[i] u[i-1] + diagonal[i] u[i] + lower[i+1] u[i+1] = u[i], symmetric and diagonally dominant
void solve_tridiagonal(const std::vector<double>& lower, std::vector<double> diagonal, std::vector<double>& u) {
  const std::size_t n = u.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double w = lower[i] / diagonal[i - 1];
    diagonal[i] -= w * lower[i];
    u[i] -= w * u[i - 1];
  }
  u[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) u[i] = (u[i] - lower[i + 1] * u[i + 1]) / diagonal[i];
}

double slope(const std::vector<double>& x, const std::vector<double>& y, std::size_t i) {
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

std::vector<double> natural_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> curvature(n, 0.0);
  if (n == 2) return curvature;
  std::vector<double> lower(n - 2), diagonal(n - 2), u(n - 2);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    lower[i - 1] = x[i] - x[i - 1];
    diagonal[i - 1] = 2 * (x[i + 1] - x[i - 1]);
    u[i - 1] = 6 * (slope(x, y, i) - slope(x, y, i - 1));
  }
  solve_tridiagonal(lower, diagonal, u);
  std::copy(u.begin(), u.end(), curvature.begin() + 1);
  return curvature;
}

// the cyclic system is a tridiagonal one plus a rank-one corner (Sherman-Morrison)
std::vector<double> periodic_curvature(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size() - 1;
  const auto width = [&](std::size_t i) { return x[i % n + 1] - x[i % n]; };
  std::vector<double> lower(n), diagonal(n), u(n), corner(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    lower[i] = width(i + n - 1);
    diagonal[i] = 2 * (width(i + n - 1) + width(i));
    u[i] = 6 * (slope(x, y, i) - slope(x, y, (i + n - 1) % n));
  }
  if (n == 2) {  // both neighbours are the same point
    const double beside = width(0) + width(1), determinant = diagonal[0] * diagonal[1] - beside * beside;
    const double first = (u[0] * diagonal[1] - u[1] * beside) / determinant;
    return {first, (u[1] * diagonal[0] - u[0] * beside) / determinant, first};
  }
  const double edge = width(n - 1), gamma = -diagonal[0];
  diagonal[0] -= gamma;
  diagonal[n - 1] -= edge * edge / gamma;
  corner[0] = gamma, corner[n - 1] = edge;
  solve_tridiagonal(lower, diagonal, u);
  solve_tridiagonal(lower, diagonal, corner);
  const double ratio = (u[0] + u[n - 1] * edge / gamma) / (1 + corner[0] + corner[n - 1] * edge / gamma);
  for (std::size_t i = 0; i < n; ++i) u[i] -= ratio * corner[i];
  u.push_back(u[0]);
  return u;
}

}  // namespace

Table::Table(std::vector<double> x, std::vector<double> y, Ends ends, Interpolation interpolation)
    : x_(std::move(x)), y_(std::move(y)), ends_(ends), interpolation_(interpolation) {
  check(x_, y_, ends_);
  make_pieces(is_linear()                  ? std::vector<double>(x_.size(), 0.0)
              : ends_ == Ends::periodic ? periodic_curvature(x_, y_)
                                        : natural_curvature(x_, y_));
  for (const Piece& p : pieces_)
    require(std::isfinite(p.slope) && std::isfinite(p.half_curvature) && std::isfinite(p.sixth_jerk),
            "the points of the table are too large or too close together for a spline");
}

Table::Table(std::shared_ptr<const double> live) : Table({0, 1}, {0, 0}) { live_ = std::move(live); }

void Table::make_pieces(const std::vector<double>& curvature) {
  const std::size_t n = x_.size();
  pieces_.reserve(n + 1);
  pieces_.push_back({x_[0], y_[0], 0, 0, 0});
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = x_[i + 1] - x_[i];
    const double start = escapement::slope(x_, y_, i) - h * (2 * curvature[i] + curvature[i + 1]) / 6;
    pieces_.push_back({x_[i], y_[i], start, curvature[i] / 2, (curvature[i + 1] - curvature[i]) / (6 * h)});
  }
  const Piece& last = pieces_.back();
  const double h = x_[n - 1] - x_[n - 2];
  const double end = last.slope + h * (2 * last.half_curvature + 3 * last.sixth_jerk * h);
  pieces_[0].slope = pieces_[1].slope;
  pieces_.push_back({x_[n - 1], y_[n - 1], end, 0, 0});
}

std::vector<double> Table::corners() const {
  std::vector<double> result;
  if (!is_linear()) return result;
  const std::size_t n = x_.size();
  for (std::size_t i = 1; i + 1 < n; ++i)
    if (pieces_[i].slope != pieces_[i + 1].slope) result.push_back(x_[i]);
  if (ends_ == Ends::periodic && pieces_[1].slope != pieces_[n - 1].slope) result.push_back(x_[0]);
  return result;
}

const Table::Piece& Table::piece(double& x) const {
  if (ends_ == Ends::periodic && (x < x_.front() || x >= x_.back()) && std::isfinite(x)) {
    const double period = x_.back() - x_.front();
    x -= period * std::floor((x - x_.front()) / period);
    x = std::clamp(x, x_.front(), std::nextafter(x_.back(), x_.front()));
  }
  return pieces_[std::size_t(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin())];
}

std::array<double, 4> Table::derivatives(double x) const {
  if (live_) return {*live_, 0, 0, 0};
  const Piece& p = piece(x);
  const double s = x - p.x;
  return {p.y + s * (p.slope + s * (p.half_curvature + s * p.sixth_jerk)),
          p.slope + s * (2 * p.half_curvature + s * 3 * p.sixth_jerk), 2 * p.half_curvature + s * 6 * p.sixth_jerk,
          6 * p.sixth_jerk};
}

// by the Bernstein coefficients of the polynomial on the range
Interval Table::enclose(const Piece& p, Interval x, int order) {
  const double s = x.low - p.x, w = x.width();
  std::array<double, 4> c{p.y, p.slope, p.half_curvature, p.sixth_jerk};  // powers of x - p.x
  for (int k = 0; k < order; ++k) c = {c[1], 2 * c[2], 3 * c[3], 0};
  const double d0 = c[0] + s * (c[1] + s * (c[2] + s * c[3])), d1 = w * (c[1] + s * (2 * c[2] + 3 * s * c[3])),
               d2 = w * w * (c[2] + 3 * s * c[3]), d3 = w * w * w * c[3];
  const double b[] = {d0, d0 + d1 / 3, d0 + (2 * d1 + d2) / 3, d0 + d1 + d2 + d3};
  return {std::min(std::min(b[0], b[1]), std::min(b[2], b[3])), std::max(std::max(b[0], b[1]), std::max(b[2], b[3]))};
}

Interval Table::range(Interval x, int order) const {
  if (live_) return order > 0 ? Interval{0, 0} : Interval{*live_, *live_};
  if (order > 3) return {0, 0};
  const double first = x_.front(), last = x_.back();
  const bool periodic = ends_ == Ends::periodic;
  if (periodic) {
    const double period = last - first;
    if (!(x.width() < period)) {
      x = {first, last};
    } else {
      const double shift = period * std::floor((x.low - first) / period);
      x = {x.low - shift, x.high - shift};
      if (x.high > last) return hull(range({x.low, last}, order), range({first, x.high - period}, order));
    }
  }
  const auto number = [&](double at) {
    return std::size_t(std::upper_bound(x_.begin(), x_.end(), at) - x_.begin());
  };
  std::size_t from = number(x.low), to = number(x.high);
  if (periodic) from = std::clamp<std::size_t>(from, 1, x_.size() - 1), to = std::clamp<std::size_t>(to, 1, x_.size() - 1);
  Interval out;
  for (std::size_t i = from; i <= to; ++i) {
    const Interval part{i == from ? x.low : x_[i - 1], i == to ? x.high : x_[i]};
    Interval of_part = enclose(pieces_[i], part, order);
    if (!std::isfinite(part.width())) {  // a tangent without end
      const double slope = order == 0 ? pieces_[i].slope : 0;
      const double value = order < 2 ? evaluate(i == 0 ? first : last, order) : 0;
      of_part = {value, value};
      if (slope != 0) of_part = (slope > 0) == (i != 0) ? Interval{value, std::numeric_limits<double>::infinity()}
                                                       : Interval{-std::numeric_limits<double>::infinity(), value};
    }
    out = i == from ? of_part : hull(out, of_part);
  }
  return out;
}

double Table::evaluate(double x, int order) const { return order > 3 ? 0 : derivatives(x)[std::size_t(order)]; }

}  // namespace escapement
