// Contacts in space of two bars: what lies at a radius from a segment. A capsule is one, and the edge of a polytope, with radius 0.
#pragma once

#include "model/round_contact.hpp"

namespace escapement::inline model {

struct PlacedBar {
  PlacedFrame frame;  // the segment is along its z
  RoundBar bar;

  Ball<3> end(double side) const { return {frame.body, frame.at + side * bar.half_length * frame.R.col(2), bar.radius}; }
};

// one contact: where both are nearest to each other, within them or at their ends. Where they are parallel, at an end; one of them has
// a radius
ShapeContact<3> bar_with_bar(const ShapeContacts<3>&, const PlacedBar&, const PlacedBar&);
// those of a capsule with the edges of a polytope; its ends make contacts of their own
std::vector<PlacedBar> edges_of(const PlacedFrame&, const Polytope&);

}  // namespace escapement
