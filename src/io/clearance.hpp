// A joint with clearance is a contact of its two bodies and holds nothing.
#pragma once

#include <string_view>

#include "io/mechanism_reading.hpp"

namespace escapement::inline io {

inline bool has_clearance(const Block& joint) { return joint.find("clearance") != nullptr; }

// the bodies of a joint put together as it would hold them, its point there and its axis
template <int D>
struct PlacedJoint {
  Between<D> between;
  Vector<D> at, axis;
};

// which kinds of joints may have one, and what these do not have then
template <int D>
void check_clearance(const MechanismReading<D>&, const Block& joint, std::string_view kind);
template <int D>
void add_clearance(MechanismReading<D>&, const YamlNode::Entry&, const Block& joint, const PlacedJoint<D>&);

}  // namespace escapement
