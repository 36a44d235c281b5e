// A function given by points: a cubic spline, twice continuously differentiable on the whole line, or straight lines
// between the points.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "math/interval.hpp"

namespace escapement::inline math {

class Table {
 public:
  // natural: second derivative 0 at both ends, continued by its end tangents.
  // periodic: first and last y are equal, continued by repetition.
  enum class Ends { natural, periodic };
  enum class Interpolation { cubic, linear };

  // x strictly increasing, at least 2 points (periodic: 3), all finite; else std::invalid_argument
  Table(std::vector<double> x, std::vector<double> y, Ends ends = Ends::natural,
        Interpolation interpolation = Interpolation::cubic);

  // a number that somebody changes between evaluations: the same for every argument
  explicit Table(std::shared_ptr<const double> live);
  bool is_live() const { return live_ != nullptr; }

  // the order-th derivative; at a point the third one is that of the piece to its right, above the third it is 0
  double evaluate(double x, int order = 0) const;
  double operator()(double x) const { return evaluate(x); }

  // value and first three derivatives: the cubic's whole behaviour around x
  std::array<double, 4> derivatives(double x) const;

  // values of the order-th derivative over a range of arguments, enclosed piece by piece
  Interval range(Interval x, int order) const;

  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }
  Ends ends() const { return ends_; }
  bool is_linear() const { return interpolation_ == Interpolation::linear; }
  double period() const { return ends_ == Ends::periodic ? x_.back() - x_.front() : 0; }  // 0: none
  std::vector<double> corners() const;  // of a linear table: where its slope changes; of a periodic one within a period

 private:
  struct Piece {
    double x, y, slope, half_curvature, sixth_jerk;  // powers of (x - Piece::x)
  };
  void make_pieces(const std::vector<double>& curvature);
  const Piece& piece(double& x) const;
  static Interval enclose(const Piece&, Interval x, int order);

  std::vector<double> x_, y_;
  std::vector<Piece> pieces_;  // a tangent before the first point, the cubics, a tangent after the last point
  Ends ends_;
  Interpolation interpolation_;
  std::shared_ptr<const double> live_;
};

}  // namespace escapement
