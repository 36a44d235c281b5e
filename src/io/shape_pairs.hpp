// Which contacts the shapes of two bodies make: rows that are there from the start.
#pragma once

#include <string>

#include "io/mechanism_reading.hpp"
#include "model/collision/touch.hpp"
#include "model/shape_contact.hpp"

namespace escapement::inline io {

// a shape of a body
struct OwnedShape {
  int body;
  const TouchingShape& is;
};

// why a pair that is placed like this has no rows, after 'contact table '; empty: it has. In space there may be any number of faces, edges
// and corners, and what lies along another touches it nowhere for certain
template <int D>
std::string why_no_rows(const OwnedShape&, const Pose<D>&, const OwnedShape&, const Pose<D>&);

// the same of all shapes of two bodies, as they start
template <int D>
std::string why_no_rows(const MechanismReading<D>&, const Between<D>&);

// for what is found
template <int D>
Solid<D> solid_of(int body, const TouchingShape&);

// makes the contacts of one pair; make(k): the maker of the k-th. What is not available is thrown as std::invalid_argument, a
// remedy: "take a capsule"
template <int D>
std::vector<ShapeContact<D>> pair_contacts(const OwnedShape& a, const OwnedShape& b,
                                           const std::function<ShapeContacts<D>(std::size_t k)>& make);

}  // namespace escapement
