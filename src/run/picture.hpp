// What the moving picture of a report shows, as data: things whose numbers are constants or columns over the run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/drawing.hpp"
#include "system/state.hpp"

namespace escapement::inline run {

struct Picture {
  // a number, or the path of a recorded column (q/crank.x) or of an evaluated one
  struct Scalar {
    double value = 0;
    std::string column;
    Scalar(double constant = 0) : value(constant) {}
    Scalar(std::string path) : column(std::move(path)) {}
  };
  using Point = std::vector<Scalar>;  // two or three

  struct Primitive {
    enum class Kind { point, segment, circle, polyline, polygon };
    std::string name;
    Kind kind = Kind::point;
    std::vector<Point> points;
    Scalar radius{};               // of a circle
    std::vector<Scalar> shades{};  // of a polyline: what each of its pieces is coloured by; empty: nothing
    std::string shade{};           // what that is
  };
  struct Shape {
    enum class Kind { box, circle, capsule, polygon, sphere, cylinder, plane, hull };
    Kind kind = Kind::box;
    std::vector<double> size;  // box: sides; circle, sphere: radius; capsule, cylinder: length, radius; plane: normal
    std::vector<std::vector<double>> points;  // of a polygon, corners of a hull
    std::vector<std::vector<int>> faces;      // of a hull: its corners, counter-clockwise seen from outside
    std::vector<double> at;                   // in the body's frame; empty: its origin
    double angle = 0;                         // planar
    std::vector<double> orientation;          // spatial: w, x, y, z; empty: the body's own
  };
  struct Body {
    std::string name;
    std::vector<Scalar> pose;  // x, y, angle or x, y, z, qw, qx, qy, qz
    std::vector<Shape> shapes;
    bool is_node = false;  // of a line that is drawn
  };
  struct Joint {  // also springs and dampers
    std::string name, kind;
    std::vector<int> bodies;              // -1: the ground
    std::vector<std::vector<double>> at;  // its point in each body's frame
  };
  struct Contact {
    std::string name;
    Point point, normal;
    std::string force;  // path of a column
    // of a contact of shapes: where its line meets this shape of this body (-1: the ground)
    int body = -1;
    std::vector<Shape> shape{};  // one, or none
  };

  int dimension = 2;
  std::vector<double> up;  // spatial: against gravity; empty: z
  std::vector<Primitive> primitives;
  std::vector<Body> bodies;
  std::vector<Joint> joints, links;
  std::vector<Contact> contacts;

  // columns that are not recorded but follow from the state: their paths, and their values in that order
  std::vector<std::string> columns;
  std::function<void(const State&, double*)> evaluate;
  void add_columns(const std::vector<std::string>& paths, std::function<void(const State&, double*)> values);

  int every = 1;  // bodies that each one stands for

  bool empty() const { return primitives.empty() && bodies.empty(); }
};

// scene: the bodies of a mechanism, to which the drawing is added
Picture make_picture(const Drawing&, Picture scene = {});

// at most so many bodies, evenly spread, with the joints between them
Picture with_fewer_bodies(const Picture&, std::size_t most);

}  // namespace escapement
