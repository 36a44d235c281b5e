// Two convex curves in the plane: where they are nearest to each other.
#pragma once

#include "model/curve.hpp"

namespace escapement::inline model {

// how the second curve's frame stands in the first one's
struct CurvePlace {
  Vector<2> x;
  Rotation<2> R;
};

class CurvePair {
 public:
  CurvePair(std::shared_ptr<const Curve> a, std::shared_ptr<const Curve> b);

  struct Place {
    double phi, psi;  // of both curves
    bool inside;      // of both: their tangents are parallel there, and the way between them is across
    double height;    // how far the second lies out of the first's tangent; inside: their distance, negative where they overlap
  };
  Place find(const CurvePlace&, double* scratch) const;
  std::size_t scratch_size() const { return 12 + foot_.scratch_size() + a_->scratch_size(); }

 private:
  struct Look {
    double height, slope, change;  // of the first's tangent; along it, over its length squared where it is 0; derivative of that
    CurveFoot::Place foot;
  };
  Look look(double phi, const CurvePlace&, double* scratch) const;

  std::shared_ptr<const Curve> a_, b_;
  CurveFoot foot_;                 // of the second curve: lowest in a direction
  std::vector<Vector<2>> points_;  // of the first, with its normals
  std::vector<Vector<2>> normals_;
  std::vector<Vector<2>> others_;  // of the second
};

}  // namespace escapement
