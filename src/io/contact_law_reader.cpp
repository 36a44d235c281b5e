#include "io/contact_law_reader.hpp"

#include <limits>

namespace escapement::inline io {

namespace {

using Normal = ContactForceLaw::Normal;
using Friction = ContactForceLaw::Friction;

constexpr const char* compliant_keys[] = {"damping", "exponent", "law",  "velocity", "sigma0", "sigma1",
                                          "sigma2",  "mu_s",     "mu_k", "v_s",      "gamma"};

void refuse_on_rigid(Reading& reading, const Block& block) {
  for (const char* key : compliant_keys)
    if (const auto* extra = block.find(key))
      reading.fail(extra->key_offset,
                   fmt::format("'{}' belongs to a compliant contact; add its 'stiffness', or remove it", key));
  const auto law = block.word("friction_law");
  if (law && *law != "coulomb")
    reading.fail(
        block.find("friction_law")->key_offset,
        fmt::format("the friction law '{}' belongs to a compliant contact; add its 'stiffness', or take 'coulomb'",
                    *law));
}

void read_normal(Reading& reading, const Block& block, ContactForceLaw& law) {
  const std::string kind = block.word("law").value_or("linear");
  law.normal = kind == "hertz" ? Normal::hertz : kind == "hunt_crossley" ? Normal::hunt_crossley : Normal::linear;
  law.stiffness = *block.number("stiffness");
  law.damping = block.number("damping", 0);
  law.exponent = block.number("exponent", law.normal == Normal::linear ? 1 : 1.5);
  if (law.normal == Normal::linear && law.exponent != 1)
    reading.fail(*block.find("exponent")->value, "a linear contact has the exponent 1; take 'law: hertz' for another");
  if (const auto* extra = block.find("restitution"))
    reading.fail(extra->key_offset,
                 "a compliant contact has no restitution; its damping takes the energy: remove 'restitution'");
}

void read_friction(Reading& reading, const YamlNode::Entry& contact, const Block& block, ContactForceLaw& law) {
  const std::string kind = block.word("friction_law").value_or("regularised");
  const bool curve = kind == "stribeck" || kind == "lugre";
  const double friction = block.number("friction", 0);
  law.mu_k = block.number("mu_k", friction);
  law.mu_s = block.number("mu_s", law.mu_k);
  for (const char* key : {"mu_s", "mu_k", "v_s", "gamma", "sigma2"})
    if (!curve && block.find(key))
      reading.fail(block.find(key)->key_offset,
                   fmt::format("regularised friction has no '{}'; take 'friction_law: stribeck'", key));
  for (const char* key : {"sigma0", "sigma1"})
    if (kind != "lugre" && block.find(key))
      reading.fail(block.find(key)->key_offset, fmt::format("'{}' belongs to 'friction_law: lugre'; remove it", key));
  if (law.mu_k == 0 && law.mu_s == 0) {
    if (!block.find("friction_law")) return;
    if (curve)
      reading.fail(block.find("friction_law")->key_offset,
                   fmt::format("the friction of {} has no size; add 'mu_k'", quote(contact.key)));
    return;
  }
  if (kind == "coulomb")
    reading.fail(
        block.find("friction_law")->key_offset,
        "the set-valued law on a compliant contact is not available in this version; take 'regularised' or 'lugre'");
  if (!(law.mu_k > 0))
    reading.fail(contact.key_offset,
                 fmt::format("the friction of {} has no 'mu_k', its size while sliding; add it", quote(contact.key)));
  if (!block.find("slip") && !block.find("between"))
    reading.fail(
        contact.key_offset,
        fmt::format("the contact {} has friction but no 'slip'; add its tangential velocity", quote(contact.key)));
  law.friction = kind == "lugre" ? Friction::lugre : kind == "stribeck" ? Friction::stribeck : Friction::regularised;
  law.v_s = block.number("v_s", law.v_s);
  law.gamma = block.number("gamma", law.gamma);
  law.velocity = block.number("velocity", law.velocity);
  law.sigma2 = block.number("sigma2", 0);
  if (law.friction != Friction::lugre) return;
  if (const auto* extra = block.find("velocity"))
    reading.fail(extra->key_offset, "lugre is not regularised and has no 'velocity'; remove it");
  block.require("sigma0");
  law.sigma0 = *block.number("sigma0");
  law.sigma1 = block.number("sigma1", 0);
}

}  // namespace

std::optional<ContactForceLaw> read_contact_law(Reading& reading, const YamlNode::Entry& contact, const Block& block) {
  if (!block.find("stiffness")) {
    refuse_on_rigid(reading, block);
    return std::nullopt;
  }
  ContactForceLaw law;
  read_normal(reading, block, law);
  read_friction(reading, contact, block, law);
  return law;
}

bool is_compliant(const YamlNode::Entry& contact) { return contact.value->is_map() && contact.value->find("stiffness"); }

namespace {

// What steps have to resolve of friction. Across two slips its direction is a quotient, which ranges take for unbounded where both pass
// through zero; its size says as much
std::vector<Expr> watched_friction(ExpressionGraph& graph, const CompliantContact& contact) {
  if (contact.slips.size() < 2 || !contact.has_friction() || contact.has_bristles()) return contact.force.friction;
  const double rounding = std::numeric_limits<double>::epsilon() * contact.law.velocity;  // it has slopes also at rest
  std::vector<Expr> squares{graph.constant(rounding * rounding)};
  for (const Expr slip : contact.slips) squares.push_back(graph.square(slip));
  const Expr size[] = {graph.sqrt(graph.sum(squares))};
  return contact_force(graph, contact.law, contact.gap, contact.gap_rate, size, {}).friction;
}

}  // namespace

void name_compliant_contact(Reading& reading, const YamlNode::Entry& entry, const std::string& name, const CompliantContact& contact) {
  reading.said.push_back({contact.force.normal, entry.key_offset});
  for (const Expr friction : watched_friction(reading.graph, contact)) reading.said.push_back({friction, entry.key_offset});
  reading.states.add(name + ".gap", contact.gap);
  reading.states.add(name + ".gap'", contact.gap_rate);
  reading.states.add(name + ".force", contact.force.normal);
  ExpressionGraph& graph = reading.graph;
  std::vector<Expr> squares;
  for (const Expr friction : contact.force.friction) squares.push_back(graph.square(friction));
  reading.states.add(name + ".friction", squares.empty() ? graph.constant(0) : squares.size() == 1 ? contact.force.friction[0] : graph.sqrt(graph.sum(squares)));
}

std::vector<std::string> bristle_names(const std::string& point, std::size_t slips) {
  if (slips == 1) return {point + ".bristles"};
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= slips; ++k) names.push_back(fmt::format("{}.bristles{}", point, k));
  return names;
}

std::size_t slip_count(const YamlNode::Entry& contact) {
  const auto* slip = contact.value->find("slip");
  return slip && slip->value->is_sequence() ? slip->value->entries.size() : 1;
}

bool has_bristles(const YamlNode::Entry& contact) {
  if (!is_compliant(contact)) return false;
  const auto* law = contact.value->find("friction_law");
  return law && law->value->is_scalar() && law->value->text == "lugre";
}

}  // namespace escapement
