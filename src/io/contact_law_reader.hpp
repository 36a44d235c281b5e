// The keys of a compliant contact.
#pragma once

#include <optional>

#include "io/reading.hpp"
#include "model/contact_force.hpp"

namespace escapement {

// nothing: the contact is rigid
std::optional<ContactForceLaw> read_contact_law(Reading&, const YamlNode::Entry& contact, const Block&);

struct CompliantContact {
  ContactForceLaw law;
  Expr gap{}, gap_rate{}, slip{};
  ContactForce force{};
  bool has_friction() const { return law.friction != ContactForceLaw::Friction::none; }
  bool has_bristles() const { return law.friction == ContactForceLaw::Friction::lugre; }
};
bool is_compliant(const YamlNode::Entry& contact);
// NAME.gap, NAME.gap', NAME.force, NAME.friction
void name_compliant_contact(Reading&, const YamlNode::Entry&, const CompliantContact&);
bool has_bristles(const YamlNode::Entry& contact);  // friction with a state

}  // namespace escapement
