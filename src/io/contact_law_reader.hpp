// The keys of a compliant contact.
#pragma once

#include <optional>

#include "io/reading.hpp"
#include "model/contact_force.hpp"

namespace escapement {

// nothing: the contact is rigid
std::optional<ContactForceLaw> read_contact_law(Reading&, const YamlNode::Entry& contact, const Block&);
bool has_bristles(const YamlNode::Entry& contact);  // friction with a state

}  // namespace escapement
