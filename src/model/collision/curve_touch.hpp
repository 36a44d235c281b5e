// Curves and cams in the plane against balls, planes, polygons and each other, by their feet.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "model/collision/touch.hpp"
#include "model/curve_pair.hpp"

namespace escapement::inline model {

// a curve with its feet: for balls of each radius that there is, and for what is flat
class TouchingCurve {
 public:
  explicit TouchingCurve(std::shared_ptr<const Curve>);
  void expect(double radius);         // of balls and of corners
  void expect(const TouchingCurve&);  // which outlives it

  const Curve& curve() const { return *curve_; }
  double extent() const { return extent_; }
  const std::vector<Vector<2>>& ends() const { return ends_; }  // none of a closed one
  const std::vector<CurveFoot>& to_points(double radius) const { return round_.at(radius); }
  // on arcs that something flat touches at one point at a time: the lowest in a direction, the nearest to a point
  const std::vector<CurveFoot>& to_faces() const { return flat_; }
  const std::vector<CurveFoot>& to_corners() const { return corners_; }
  const CurvePair& to_curve(const TouchingCurve& other) const { return curves_.at(&other); }  // both convex

 private:
  std::shared_ptr<const Curve> curve_;
  double extent_ = 0;
  std::vector<Vector<2>> ends_;
  std::vector<CurveFoot> flat_, corners_;
  std::map<double, std::vector<CurveFoot>> round_;
  std::map<const TouchingCurve*, CurvePair> curves_;
};

// features: the arcs
void touch_curve_ball(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);
void touch_plane_curve(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);
// of two convex curves: one point; features: 0 within both, then the ends of the first and of the second one
void touch_curves(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);
// of a convex curve; features: the arcs
void touch_curve_polygon(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);
// of a hollow one; features: its arcs for each corner
void touch_hollow_polygon(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);

}  // namespace escapement
