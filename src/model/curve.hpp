// A curve in the plane that bounds a solid on its left: where it is, how it bends, and which of its points is nearest.
#pragma once

#include <memory>
#include <vector>

#include "math/program.hpp"
#include "model/frame.hpp"

namespace escapement::inline model {

struct CurveFormula {
  Expr x, y, phi;
  double from = 0, to = 0;  // of phi
};

class Curve {
 public:
  Curve(ExpressionGraph&, const CurveFormula&);  // throws std::invalid_argument where it is no smooth curve

  const CurveFormula& formula() const { return formula_; }
  bool closed() const { return closed_; }  // its end goes on at its beginning, with the same tangent
  bool convex() const { return convex_; }  // everywhere
  bool hollow() const { return hollow_; }  // convex nowhere: what touches it lies inside
  std::vector<Vector<2>> outline() const;  // its samples

  // pieces of it on which something with this radius (infinity: flat) touches one point at a time: between the valleys too
  // narrow for it, whose bottoms it cannot reach
  struct Arc {
    double from, to;
    bool closed;
  };
  std::vector<Arc> arcs(double radius) const;

  // c, c', c'' at phi, six numbers
  void evaluate(double phi, double* c, double* scratch) const { program_.run(&phi, c, scratch); }
  std::size_t scratch_size() const { return program_.scratch_size(); }
  double step() const { return step_; }  // of phi between samples
  Vector<2> at(double phi) const;

 private:
  struct Sample {
    Vector<2> c;
    double bend, turn;  // curvature, positive where the solid is convex; direction of the tangent
  };
  bool sample(int count);  // false: too coarse

  CurveFormula formula_;
  Program program_;
  std::vector<Sample> samples_;
  double step_ = 0;
  bool closed_ = false, convex_ = false, hollow_ = false;
};

// The place on an arc that is nearest to a point, or lowest in a direction
class CurveFoot {
 public:
  enum class Of { point, direction };
  enum class Side { inside, start, end };
  struct Place {
    double phi;
    Side side;  // inside: the curve is perpendicular there to the way to the point, or to the direction
  };

  CurveFoot(std::shared_ptr<const Curve> curve, Curve::Arc arc, Of of);

  Place find(const Vector<2>& of, double* scratch) const;
  std::size_t scratch_size() const { return 6 + curve_->scratch_size(); }
  const Curve& curve() const { return *curve_; }
  const Curve::Arc& arc() const { return arc_; }

 private:
  double height(const Vector<2>& c, const Vector<2>& of) const { return of_ == Of::point ? 0.5 * (of - c).squaredNorm() : of.dot(c); }
  struct Slope {
    double first, second;
  };
  Slope slope(double phi, const Vector<2>& of, double* scratch) const;
  double wrapped(double phi) const;
  double refine(double phi, double step, const Vector<2>& of, double* scratch) const;

  std::shared_ptr<const Curve> curve_;
  Curve::Arc arc_;
  Of of_;
  double step_;
  std::vector<Vector<2>> points_;  // at arc.from + k step
};

}  // namespace escapement
