// Where two shapes touch or nearly do: the points that the narrow phase finds for a pair of them.
//
// A solid is a shape fixed in a body. Every pair of kinds has one function; which pairs there are is a table in touch.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "model/frame.hpp"

namespace escapement::inline model {

struct Polytope;
class TouchingCurve;

template <int D>
struct Solid {
  // hull: convex polygon or segment in the plane, corners in space; curves in the plane: convex everywhere, hollow everywhere, or both
  enum class Kind { ball, plane, box, capsule, cylinder, hull, curve, hollow, wavy };
  static constexpr int kinds = static_cast<int>(Kind::wavy) + 1;

  Kind kind = Kind::ball;
  int body = ground;
  Vector<D> at = Vector<D>::Zero();              // its own frame in the body's
  Rotation<D> turned = Rotation<D>::Identity();  // capsules and cylinders lie along x in the plane, z in space; a plane's own frame is the body's
  double radius = 0;                             // ball, capsule, cylinder
  double half_length = 0;                        // capsule, cylinder
  Vector<D> half = Vector<D>::Zero();            // box: half its sides
  Vector<D> normal = Vector<D>::Zero();          // plane: of length 1, to the free side, in the solid's own frame
  std::vector<Vector<D>> corners{};              // hull, in its own frame
  std::shared_ptr<TouchingCurve> curve{};        // curves; not changed once there are contacts
  // hull of two corners: where another segment of the body begins, and which way it goes from there, in the solid's own frame
  struct Joined {
    Vector<D> end, along;
  };
  std::vector<Joined> joined{};

  // faces and edges of a box or hull in space, when the rest is set; throws std::invalid_argument where a hull's corners lie in a plane
  void make_polytope() requires(D == 3);
  const Polytope& polytope() const requires(D == 3) { return *polytope_; }

  // of the smallest ball about `at` that holds it
  double extent() const;

 private:
  std::shared_ptr<const Polytope> polytope_{};
};

// where a solid's own frame is in the world
template <int D>
struct SolidPlace {
  Vector<D> x;
  Rotation<D> R;
};

template <int D>
SolidPlace<D> place_of(const Solid<D>&, const Frame<D>& body);

template <int D>
struct TouchPoint {
  std::uint32_t feature = 0;                  // which of the pair's points it is: the same from step to step
  Vector<D> point = Vector<D>::Zero();        // of the world, midway between the two surfaces
  Vector<D> normal = Vector<D>::Zero();       // of the world, of length 1, from a to b
  double gap = 0;                             // negative: they overlap
};

// features are below this
inline constexpr std::uint32_t most_features = 1u << 16;

// adds the points of a and b whose gap is at most the margin, features ascending
template <int D>
using TouchFunction = void (*)(const Solid<D>& a, const SolidPlace<D>& at_a, const Solid<D>& b, const SolidPlace<D>& at_b,
                               double margin, std::vector<TouchPoint<D>>& points);

// of a pair in either order, nullptr: not available
template <int D>
TouchFunction<D> touch_function(typename Solid<D>::Kind a, typename Solid<D>::Kind b);

}  // namespace escapement
