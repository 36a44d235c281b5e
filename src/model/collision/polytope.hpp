// Convex solids with flat faces in space: boxes and hulls, with the faces and edges that separating axes and clipping need.
#pragma once

#include <vector>

#include "model/collision/touch.hpp"

namespace escapement::inline model {

// corners and faces of a convex hull in its own frame
struct Polytope {
  struct Face {
    Vector<3> normal;          // of length 1, outwards
    std::vector<int> corners;  // counter-clockwise, seen from outside
  };
  struct Edge {
    int from, to;
  };
  std::vector<Vector<3>> corners;
  std::vector<Face> faces;
  std::vector<Edge> edges;             // each once
  std::vector<Vector<3>> directions;   // of the edges, of length 1, parallel ones once

  // the nearest feature to a point: a face, then edges, then corners; inside, the nearest face
  struct Place {
    int feature;
    Vector<3> at, normal;  // on the surface; out of it, towards the point
    double distance;       // negative inside
  };
  Place nearest(const Vector<3>&) const;
};

// of any points; throws std::invalid_argument when they lie in a plane
Polytope convex_hull(const std::vector<Vector<3>>& points);
Polytope box_polytope(const Vector<3>& half);

}  // namespace escapement
