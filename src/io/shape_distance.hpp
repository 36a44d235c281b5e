// How far a point is from a shape of a body.
#pragma once

#include "run/picture.hpp"

namespace escapement::inline io {

double distance_to(const Picture::Shape&, const std::vector<double>& point);  // in the body's frame; 0 inside
double size_of(const Picture::Shape&);                                        // its largest extent

}  // namespace escapement
