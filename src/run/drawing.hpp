// What the moving picture of a model shows: shapes whose points are expressions of the state.
#pragma once

#include <string>
#include <vector>

#include "model/state_function.hpp"

namespace escapement::inline run {

struct Drawing {
  struct Shape {
    enum class Kind { point, segment, circle, polyline };
    std::string name;
    Kind kind = Kind::point;
    int first = 0;   // index of its first value
    int points = 1;  // each has Drawing::dimension values; a circle's radius follows its centre
    bool closed = false;
  };

  int dimension = 2;  // 2, or 3 when any point has a third coordinate
  std::vector<Shape> shapes;
  StateFunction values;  // all points and radii of all shapes, one after the other
};

}  // namespace escapement
