// Contacts of curves in the plane: with a ball, with a plane, with a polygon whose corners may be rounded, and with another curve.
#pragma once

#include "model/curve.hpp"
#include "model/polygon_contact.hpp"

namespace escapement::inline model {

// where a curve's own frame stands in its body
struct PlacedCurve {
  int body = ground;
  Vector<2> at = Vector<2>::Zero();
  Rotation<2> R = Rotation<2>::Identity();
  std::shared_ptr<const Curve> curve;
};

// one contact with what lies on an arc. Beyond the ends of an arc that has them, the ends are what touches
ShapeContact<2> curve_contact(const ShapeContacts<2>&, const PlacedCurve&, const Curve::Arc&, const Ball<2>&);
ShapeContact<2> curve_contact(const ShapeContacts<2>&, const PlacedCurve&, const Curve::Arc&, const Plane<2>&);
ShapeContact<2> curve_contact(const ShapeContacts<2>&, const PlacedCurve&, const Curve::Arc&, const PlacedPolygon&);  // a convex arc
ShapeContact<2> curve_with_curve(const ShapeContacts<2>&, const PlacedCurve&, const PlacedCurve&);  // both convex

}  // namespace escapement
