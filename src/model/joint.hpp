// A joint as data: which points coincide and which combinations of measures are held. The types of joints stand in
// joints/, one file each.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/measure.hpp"
#include "model/signal.hpp"

namespace escapement::inline model {

// sum of factor * measure = offset + target(t)
template <int D>
struct JointRow {
  std::string suffix;  // of the row's name, empty: none
  std::vector<std::pair<double, MeasurePtr<D>>> terms;
  double offset = 0;
  SignalPtr target = nullptr;
  bool periodic = false;  // an angle that counts modulo a full turn
};

// the angle of a spatial joint turns `pointer`, fixed in b, from zero towards quarter, fixed in a
struct AngleMarkers {
  Vector<3> zero, quarter, pointer;
};

template <int D>
struct Joint {
  std::string name;
  int a = ground, b = ground;
  bool point = false;  // point_a of a and point_b of b coincide: D rows, in the axes of the world
  Vector<D> point_a = Vector<D>::Zero(), point_b = Vector<D>::Zero();
  std::vector<JointRow<D>> rows;
  int force_rows = 0;      // the first rows, whose multipliers are components of a force along unit vectors
  bool has_angle = false;  // its coordinates, for drives, limits, forces and expressions
  AngleMarkers markers;    // spatial joints with an angle
  MeasurePtr<D> length;    // null: it has none

  int row_count() const { return (point ? D : 0) + static_cast<int>(rows.size()); }
};

// where a body stands at the start
template <int D>
struct Pose {
  Vector<D> x = Vector<D>::Zero();
  Rotation<D> R = Rotation<D>::Identity();
  double angle = 0;  // in the plane: of R
};
Pose<2> make_pose(const Vector<2>& x, double angle);
Pose<3> make_pose(const Vector<3>& x, const Vec4& orientation);

// two bodies to be joined: turns points and directions of the world at the start into those of the bodies
template <int D>
struct Between {
  int a = ground, b = ground;
  Pose<D> pose_a, pose_b;

  Vector<D> point_a(const Vector<D>& at) const { return pose_a.R.transpose() * (at - pose_a.x); }
  Vector<D> point_b(const Vector<D>& at) const { return pose_b.R.transpose() * (at - pose_b.x); }
  Vector<D> axis_a(const Vector<D>& n) const { return pose_a.R.transpose() * n.normalized(); }
  Vector<D> axis_b(const Vector<D>& n) const { return pose_b.R.transpose() * n.normalized(); }
};

// everything is given in the world frame at the start; axes may have any length but 0
Joint<2> revolute(const std::string& name, const Between<2>&, const Vector<2>& at);
Joint<3> revolute(const std::string& name, const Between<3>&, const Vector<3>& at, const Vector<3>& axis);
Joint<2> prismatic(const std::string& name, const Between<2>&, const Vector<2>& at, const Vector<2>& axis);
Joint<3> prismatic(const std::string& name, const Between<3>&, const Vector<3>& at, const Vector<3>& axis);
template <int D>
Joint<D> fixed(const std::string& name, const Between<D>&, const Vector<D>& at);
template <int D>
Joint<D> distance(const std::string& name, const Between<D>&, const Vector<D>& at_a, const Vector<D>& at_b);
// a point of b stays on a line fixed in a
Joint<2> slot(const std::string& name, const Between<2>&, const Vector<2>& at, const Vector<2>& axis);
Joint<3> cylindrical(const std::string& name, const Between<3>&, const Vector<3>& at, const Vector<3>& axis);
Joint<3> spherical(const std::string& name, const Between<3>&, const Vector<3>& at);
// axis fixed in a, axis_b fixed in b; they stay perpendicular
Joint<3> universal(const std::string& name, const Between<3>&, const Vector<3>& at, const Vector<3>& axis,
                   const Vector<3>& axis_b);
// b slides on a plane fixed in a with this normal, and turns about the normal
Joint<3> planar(const std::string& name, const Between<3>&, const Vector<3>& at, const Vector<3>& normal);
// a cylindrical joint; a row ties its advance to its angle, pitch per turn
Joint<3> screw(const std::string& name, const Between<3>&, const Vector<3>& at, const Vector<3>& axis);
JointRow<3> pitch_row(const Joint<3>& screw, MeasurePtr<3> angle, double pitch);
// coordinate_b = ratio * coordinate_a, both less their values at the start
template <int D>
Joint<D> gear(const std::string& name, MeasurePtr<D> coordinate_a, double start_a, MeasurePtr<D> coordinate_b,
              double start_b, double ratio);

// two unit vectors perpendicular to n and to each other, n x first = second
std::pair<Vector<3>, Vector<3>> perpendicular(const Vector<3>& n);

}  // namespace escapement
