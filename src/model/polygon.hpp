// A convex polygon in the plane and what is nearest of it to a point; the points around it at a radius make it a rounded one.
#pragma once

#include <vector>

#include "model/frame.hpp"

namespace escapement::inline model {

struct PolygonPlace {
  int feature;  // a face, or behind the faces a corner
  Vector<2> normal;
  double distance;  // of the point from the polygon without its radius, along the normal
};

struct ConvexPolygon {
  std::vector<Vector<2>> corners;  // counter-clockwise; two: a segment
  double radius = 0;

  std::size_t next(std::size_t k) const { return k + 1 < corners.size() ? k + 1 : 0; }
  Vector<2> along(std::size_t k) const { return (corners[next(k)] - corners[k]).normalized(); }
  Vector<2> normal(std::size_t k) const { return {along(k)[1], -along(k)[0]}; }  // of the face from corner k on
  double distance(std::size_t k, const Vector<2>& p) const { return normal(k).dot(p - corners[k]); }  // from that face

  void turn_counter_clockwise();
  bool is_convex() const;  // with a turn at every corner

  // the nearest face or corner; inside, the nearest face
  PolygonPlace nearest(const Vector<2>& p) const;
  // the face that a corner of another polygon is in front of; where it meets a corner, that which separates the two most
  PolygonPlace in_front(const Vector<2>& p, const ConvexPolygon& other) const;
};

}  // namespace escapement
