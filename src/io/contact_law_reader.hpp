// The keys of a compliant contact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/reading.hpp"
#include "model/contact_force.hpp"

namespace escapement::inline io {

// nothing: the contact is rigid
std::optional<ContactForceLaw> read_contact_law(Reading&, const YamlNode::Entry& contact, const Block&);

struct CompliantContact {
  ContactForceLaw law;
  Expr gap{}, gap_rate{};
  std::vector<Expr> slips{};  // one, or in space two across each other
  ContactForce force{};
  bool has_friction() const { return law.friction != ContactForceLaw::Friction::none; }
  bool has_bristles() const { return law.friction == ContactForceLaw::Friction::lugre; }
};
bool is_compliant(const YamlNode::Entry& contact);
// NAME.gap, NAME.gap', NAME.force, NAME.friction; of a contact or of one of its points
void name_compliant_contact(Reading&, const YamlNode::Entry&, const std::string& name, const CompliantContact&);
bool has_bristles(const YamlNode::Entry& contact);  // friction with states
// of one point: one for each slip
std::vector<std::string> bristle_names(const std::string& point, std::size_t slips);
std::size_t slip_count(const YamlNode::Entry& contact);  // as 'slip' gives them

}  // namespace escapement
