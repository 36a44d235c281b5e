// Contacts of a convex polygon in the plane, whose corners may be rounded, with a ball and with another polygon.
#pragma once

#include "model/polygon.hpp"
#include "model/shape_contact.hpp"

namespace escapement::inline model {

// in the frame of its body
struct PlacedPolygon : ConvexPolygon {
  int body = ground;

  Plane<2> face(std::size_t k) const { return {body, corners[k] + radius * normal(k), normal(k)}; }
  Ball<2> corner(std::size_t k) const { return {body, corners[k], radius}; }
};

// one contact with a ball: with the nearest face or corner
ShapeContact<2> polygon_with_ball(const ShapeContacts<2>&, const PlacedPolygon&, const Ball<2>&);
// contact of corner k of the second polygon with the first. Sharp corners touch faces alone: where they meet a corner, the face
// that separates the polygons most
ShapeContact<2> polygon_with_corner(const ShapeContacts<2>&, const PlacedPolygon&, const PlacedPolygon&, std::size_t k);

}  // namespace escapement
