#include "io/formula_reader.hpp"

#include <algorithm>
#include <cmath>

#include "io/contact_law_reader.hpp"

#include "io/expressions_reader.hpp"
#include "math/nearest_name.hpp"
#include "model/formula_catalogue.hpp"
#include "model/formula_system.hpp"

namespace escapement::inline io {

namespace {

class FormulaReader {
 public:
  FormulaReader(Reading& reading, const Block& top)
      : reading_(reading), top_(top), coordinates_(top.named("coordinates")) {}

  void read_formulas();
  void make_symbols();
  void read_scales();
  void read_energies();
  void read_forces();
  void read_constraints();
  void read_compliant_contacts();
  void read_contacts();
  void read_states();
  std::unique_ptr<System> make_system(Model&);
  State read_start(const System&);
  EnsembleFormulas read_members(const std::string& on);

 private:
  void declare_row(const YamlNode::Entry&, const char* what, bool has_row = true);
  FormulaContact read_gap_and_slip(const YamlNode::Entry&, const Block&) const;
  void push(const CompliantContact&);
  void refuse_states(Expr, const YamlNode&) const;

  Reading& reading_;
  const Block& top_;
  std::vector<YamlNode::Entry> coordinates_;
  std::vector<const YamlNode::Entry*> slips_;
  std::map<std::string, std::pair<const char*, std::size_t>> rows_;  // constraints and contacts share /lambda
  std::vector<YamlNode::Entry> contact_entries_, state_entries_;
  std::vector<double> state_start_;
  std::map<std::string, CompliantContact> compliant_;  // by name
  Formulas formulas_;
};

void FormulaReader::make_symbols() {
  reading_.positions = reading_.constants;
  reading_.states = reading_.constants;
  formulas_.t = reading_.graph.variable("t");
  reading_.positions.add("t", formulas_.t);
  reading_.states.add("t", formulas_.t);
  for (const auto& entry : coordinates_) {
    const std::string& name = entry.key;
    formulas_.names.push_back(name);
    formulas_.q.push_back(reading_.graph.variable(name));
    formulas_.v.push_back(reading_.graph.variable(name + "'"));
    reading_.positions.add(name, formulas_.q.back());
    reading_.positions.refuse(name + "'", "only t and coordinates may stand here, no rates");
    reading_.states.add(name, formulas_.q.back());
    reading_.states.add(name + "'", formulas_.v.back());
  }
  reading_.inputs = {formulas_.t};
  reading_.inputs.insert(reading_.inputs.end(), formulas_.q.begin(), formulas_.q.end());
  reading_.inputs.insert(reading_.inputs.end(), formulas_.v.begin(), formulas_.v.end());
  state_entries_ = top_.named("states");
  const auto add_state = [&](const std::string& name) {
    formulas_.state_names.push_back(name);
    formulas_.z.push_back(reading_.graph.variable(name));
    reading_.inputs.push_back(formulas_.z.back());
  };
  for (const auto& entry : state_entries_) {
    add_state(entry.key);
    reading_.states.add(entry.key, formulas_.z.back());
    for (const char* rate : {"", "'"}) reading_.positions.refuse(entry.key + rate, "only t and coordinates may stand here, no states");
    reading_.states.refuse(entry.key + "'", state_rates_stand);
  }
  for (const auto& entry : top_.named("contacts"))
    if (has_bristles(entry))
      for (const std::string& name : bristle_names(entry.key, slip_count(entry))) add_state(name);
  formulas_.state_rates.assign(formulas_.z.size(), Expr{});
  state_start_.assign(formulas_.z.size(), 0);
}

void FormulaReader::read_states() {
  for (std::size_t k = 0; k < state_entries_.size(); ++k) {
    const Block block(reading_, state_entries_[k], "model.states.*");
    formulas_.state_rates[k] = reading_.expression(block.require("rate"), reading_.states);
    state_start_[k] = block.number("start", 0);
  }
  for (std::size_t k = 0; k < state_entries_.size(); ++k)
    reading_.states.add(state_entries_[k].key + "'", formulas_.state_rates[k]);
}

void FormulaReader::read_scales() {
  bool given = false;
  std::vector<double> scale;
  for (const auto& entry : coordinates_) {
    const Block block(reading_, entry, "formula.coordinates.*");
    given = given || block.find("scale");
    scale.push_back(block.number("scale", 1));
  }
  if (given) formulas_.scale = std::move(scale);
}

// energies and slips follow from positions and velocities
void FormulaReader::refuse_states(Expr e, const YamlNode& node) const {
  for (std::size_t k = 0; k < formulas_.z.size(); ++k)
    if (reading_.graph.depends_on(e, formulas_.z[k]))
      reading_.fail(node, fmt::format("{} cannot stand here: only t, coordinates and rates may, no states", quote(formulas_.state_names[k])));
}

void FormulaReader::read_energies() {
  formulas_.kinetic = reading_.smooth_expression(top_.require("kinetic_energy"), reading_.states, "an energy");
  refuse_states(formulas_.kinetic, *top_.require("kinetic_energy").value);
  const YamlNode::Entry* potential = top_.find("potential_energy");
  if (potential) formulas_.potential = reading_.smooth_expression(*potential, reading_.positions, "an energy");
  reading_.places.mass = top_.require("kinetic_energy").value->offset;
  reading_.places.force = potential ? potential->value->offset : reading_.places.mass;
}

void FormulaReader::read_forces() {
  formulas_.forces.assign(formulas_.q.size(), Expr{});
  for (const auto& entry : top_.named("forces")) {
    std::size_t i = 0;
    while (i < formulas_.names.size() && formulas_.names[i] != entry.key) ++i;
    if (i == formulas_.names.size()) {
      const std::string near = did_you_mean(entry.key, formulas_.names);
      reading_.fail(entry.key_offset, fmt::format("a force belongs to a coordinate, but {} is none{}", quote(entry.key),
                                                  near.empty() ? "; name one of the coordinates" : near));
    }
    formulas_.forces[i] = reading_.expression(entry, reading_.states);
  }
}

void FormulaReader::declare_row(const YamlNode::Entry& entry, const char* what, bool has_row) {
  reading_.check_name(entry.key, what, entry.key_offset);
  if (has_row) reading_.places.rows.push_back(entry.key_offset);
  const auto [it, fresh] = rows_.emplace(entry.key, std::pair{what, entry.key_offset});
  if (!fresh)
    reading_.fail(entry.key_offset,
                  fmt::format("the {} {} has the name of a {} (line {}); rename one of them", what, quote(entry.key),
                              it->second.first, reading_.source.place(it->second.second).line));
}

void FormulaReader::read_constraints() {
  for (const auto& entry : top_.named("constraints")) {
    declare_row(entry, "constraint");
    const Expr g = reading_.smooth_expression(entry, reading_.positions, "a constraint");
    if (reading_.graph.is_constant(g))
      reading_.fail(*entry.value,
                    fmt::format("the constraint {} depends on no coordinate; write an expression that is zero",
                                quote(entry.key)));
    formulas_.constraints.push_back({entry.key, g});
  }
}

FormulaContact FormulaReader::read_gap_and_slip(const YamlNode::Entry& entry, const Block& block) const {
  FormulaContact contact;
  contact.name = entry.key;
  contact.gap = reading_.smooth_expression(block.require("gap"), reading_.positions, "a gap");
  const YamlNode::Entry* slip_entry = block.find("slip");
  if (slip_entry) contact.slip = reading_.slips(*slip_entry, true);
  for (const Expr slip : contact.slip) refuse_states(slip, *slip_entry->value);
  return contact;
}

// before anything may use their forces
void FormulaReader::read_compliant_contacts() {
  ExpressionGraph& graph = reading_.graph;
  std::size_t state = state_entries_.size();  // bristles follow the model's own
  for (const auto& entry : top_.named("contacts")) {
    if (!is_compliant(entry)) continue;
    const Block block(reading_, entry, "formula.contacts.*");
    CompliantContact contact{*read_contact_law(reading_, entry, block)};
    const FormulaContact rows = read_gap_and_slip(entry, block);
    contact.gap = rows.gap;
    contact.slips = rows.slip;
    contact.gap_rate = graph.derivative(contact.gap, formulas_.t);
    for (std::size_t i = 0; i < formulas_.q.size(); ++i)
      contact.gap_rate = graph.add(contact.gap_rate, graph.mul(graph.derivative(contact.gap, formulas_.q[i]), formulas_.v[i]));
    contact.force = contact_force(graph, contact.law, contact.gap, contact.gap_rate, contact.slips, std::span(formulas_.z).subspan(state));
    const std::vector<std::string> bristles = bristle_names(entry.key, contact.force.state_rates.size());
    for (std::size_t k = 0; k < contact.force.state_rates.size(); ++k, ++state) {
      formulas_.state_rates[state] = contact.force.state_rates[k];
      reading_.states.add(bristles[k], formulas_.z[state]);
    }
    name_compliant_contact(reading_, entry, entry.key, contact);
    compliant_.emplace(entry.key, contact);
  }
}

void FormulaReader::read_contacts() {
  contact_entries_ = top_.named("contacts");
  for (const auto& entry : contact_entries_) {
    declare_row(entry, "contact", !is_compliant(entry));
    if (is_compliant(entry)) {
      push(compliant_.at(entry.key));
      continue;
    }
    const Block block(reading_, entry, "formula.contacts.*");
    read_contact_law(reading_, entry, block);  // refuses what belongs to compliant contacts
    FormulaContact contact = read_gap_and_slip(entry, block);
    contact.restitution = block.number("restitution", 0);
    contact.friction = block.number("friction", 0);
    if (!block.find("slip") && contact.friction > 0)
      reading_.fail(
          *block.find("friction")->value,
          fmt::format("the contact {} has friction but no 'slip'; add its tangential velocity", quote(entry.key)));
    formulas_.contacts.push_back(std::move(contact));
    slips_.push_back(block.find("slip"));
  }
}

// forces of a compliant contact along its gap and its slips
void FormulaReader::push(const CompliantContact& contact) {
  ExpressionGraph& graph = reading_.graph;
  for (std::size_t i = 0; i < formulas_.q.size(); ++i) {
    Expr& sum = formulas_.forces[i];
    sum = graph.add(sum, graph.mul(contact.force.normal, graph.derivative(contact.gap, formulas_.q[i])));
    for (std::size_t k = 0; k < contact.force.friction.size(); ++k)
      sum = graph.add(sum, graph.mul(contact.force.friction[k], graph.derivative(contact.slips[k], formulas_.v[i])));
  }
}

std::unique_ptr<System> FormulaReader::make_system(Model& model) {
  const YamlNode& kinetic = *top_.require("kinetic_energy").value;
  try {
    auto system = reading_.catalogue ? reading_.catalogue->make(reading_.shared_graph, formulas_)
                                     : std::make_unique<FormulaSystem>(reading_.shared_graph, formulas_);
    if (system->has_unusual_kinetic_energy())
      model.warnings.push_back(
          ModelError(reading_.source.file(), reading_.source.place(kinetic.offset),
                     "kinetic_energy has terms that are not quadratic in the rates; is a ' missing?")
              .what());
    return system;
  } catch (const FormulaError& e) {
    reading_.fail(e.part == FormulaError::Part::slip ? *slips_[static_cast<std::size_t>(e.contact)]->value : kinetic,
                  e.what());
  } catch (const ExpressionLimit& e) {
    reading_.fail(kinetic,
                  fmt::format("the model's formulas are too large to be differentiated ({}); simplify them", e.what()));
  }
}

State FormulaReader::read_start(const System& system) {
  State start = make_state(system.dim());
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const Block block(reading_, coordinates_[i], "formula.coordinates.*");
    start.q[static_cast<Eigen::Index>(i)] = block.number("start", 0);
    start.v[static_cast<Eigen::Index>(i)] = block.number("rate", 0);
  }
  for (std::size_t k = 0; k < state_start_.size(); ++k) start.z[static_cast<Eigen::Index>(k)] = state_start_[k];
  return start;
}

void FormulaReader::read_formulas() {
  make_symbols();
  read_expressions(reading_, top_);
  read_scales();
  read_energies();
  read_compliant_contacts();
  read_states();
  read_forces();
  read_constraints();
  read_contacts();
}

EnsembleFormulas FormulaReader::read_members(const std::string& on) {
  const auto refuse = [&](const YamlNode::Entry& entry, const char* what) {
    reading_.fail(entry.key_offset, fmt::format("--on {} runs no members with {}; take --on cores", on, what));
  };
  if (!state_entries_.empty()) refuse(*top_.find("states"), "states of first order");
  EnsembleFormulas members;
  for (const auto& entry : contact_entries_) {
    if (has_bristles(entry)) refuse(entry, "states of first order");
    const auto same = [&](const FormulaContact& c) { return c.name == entry.key; };
    const auto contact = std::find_if(formulas_.contacts.begin(), formulas_.contacts.end(), same);
    if (contact == formulas_.contacts.end()) continue;  // compliant: forces like others
    const Block block(reading_, entry, "formula.contacts.*");
    const YamlNode::Entry* friction = block.find("friction");
    if (friction && (contact->friction > 0 || reading_.open_numbers.contains(friction->value->offset)))
      refuse(*friction, "friction");
    members.restitution.push_back(reading_.number_or_open(block.find("restitution"), 0));
    members.forces.push_back(reading_.graph.variable("force:" + entry.key));
  }
  for (const auto& entry : coordinates_) {
    const Block block(reading_, entry, "formula.coordinates.*");
    block.number("start");
    block.number("rate");
    members.start.push_back(reading_.number_or_open(block.find("start"), 0));
    members.rate.push_back(reading_.number_or_open(block.find("rate"), 0));
  }
  for (const auto& [parameter, value] : reading_.open_parameters) formulas_.parameters.push_back(parameter);
  members.formulas = formulas_;
  return members;
}

}  // namespace

VaryingNames declare_coordinates(Reading& reading, const Block& top) {
  VaryingNames names;
  const auto& coordinates = top.require("coordinates");
  for (const auto& entry : top.named("coordinates")) {
    reading.declare(entry.key, "coordinate", entry.key_offset);
    names.emplace_back(entry.key, "a coordinate");
    names.emplace_back(entry.key + "'", "a rate");
  }
  for (const auto& entry : top.named("states")) {
    reading.declare(entry.key, "state", entry.key_offset);
    names.emplace_back(entry.key, "a state");
    names.emplace_back(entry.key + "'", "a rate");
  }
  if (top.named("coordinates").empty())
    reading.fail(coordinates.key_offset, "a model needs at least one coordinate, like {x: {start: 1}}");
  return names;
}

EnsembleFormulas read_ensemble_formulas(Reading& reading, const Block& top, const std::string& on) {
  FormulaReader reader(reading, top);
  reader.read_formulas();
  return reader.read_members(on);
}

void read_formula_system(Reading& reading, const Block& top, Model& model) {
  FormulaReader reader(reading, top);
  reader.read_formulas();
  model.system = reader.make_system(model);
  model.start = reader.read_start(*model.system);
}

}  // namespace escapement
