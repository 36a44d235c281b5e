// Contacts in space of round things: a ball with the faces, edges and corners of a polytope, with a capsule and with a cylinder; the
// rim of a cylinder over a plane.
#pragma once

#include "model/collision/polytope.hpp"
#include "model/shape_contact.hpp"

namespace escapement::inline model {

// where the frame of a shape stands in its body
struct PlacedFrame {
  int body = ground;
  Vector<3> at = Vector<3>::Zero();
  Rotation<3> R = Rotation<3>::Identity();
};

// along the frame's z
struct RoundBar {
  double half_length = 0, radius = 0;
};

// with z along a direction of the frame
PlacedFrame turned_along(const PlacedFrame&, const Vector<3>& at, const Vector<3>& z);

// with a line along the frame's z, around which there is a radius
ShapeContact<3> beside_line(const ShapeContacts<3>&, const PlacedFrame& line, double radius, const Ball<3>&);
// with its nearest face, edge or corner
ShapeContact<3> polytope_with_ball(const ShapeContacts<3>&, const PlacedFrame&, std::shared_ptr<const Polytope>, const Ball<3>&);
ShapeContact<3> capsule_with_ball(const ShapeContacts<3>&, const PlacedFrame&, const RoundBar&, const Ball<3>&);
// with its side, a face at an end, or a rim
ShapeContact<3> cylinder_with_ball(const ShapeContacts<3>&, const PlacedFrame&, const RoundBar&, const Ball<3>&);
// the lowest point of the rim at one end; a cylinder that stands upright has none
ShapeContact<3> rim_over_plane(const ShapeContacts<3>&, const Plane<3>&, const PlacedFrame&, const RoundBar&, double end);

}  // namespace escapement
