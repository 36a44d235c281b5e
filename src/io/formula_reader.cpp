#include "io/formula_reader.hpp"

#include <cmath>

#include "io/expressions_reader.hpp"
#include "math/nearest_name.hpp"
#include "model/formula_system.hpp"

namespace escapement {

namespace {

class FormulaReader {
 public:
  FormulaReader(Reading& reading, const Block& top)
      : reading_(reading), top_(top), coordinates_(top.named("coordinates")) {}

  void make_symbols();
  void read_scales();
  void read_energies();
  void read_forces();
  void read_constraints();
  void read_contacts();
  std::unique_ptr<System> make_system(Model&);
  State read_start(const System&);

 private:
  void declare_row(const YamlNode::Entry&, const char* what);

  Reading& reading_;
  const Block& top_;
  std::vector<YamlNode::Entry> coordinates_;
  std::vector<const YamlNode::Entry*> slips_;
  std::map<std::string, std::pair<const char*, std::size_t>> rows_;  // constraints and contacts share /lambda
  std::vector<YamlNode::Entry> contact_entries_;
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

void FormulaReader::read_energies() {
  formulas_.kinetic = reading_.smooth_expression(top_.require("kinetic_energy"), reading_.states, "an energy");
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

void FormulaReader::declare_row(const YamlNode::Entry& entry, const char* what) {
  reading_.check_name(entry.key, what, entry.key_offset);
  reading_.places.rows.push_back(entry.key_offset);
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

void FormulaReader::read_contacts() {
  contact_entries_ = top_.named("contacts");
  for (const auto& entry : contact_entries_) {
    declare_row(entry, "contact");
    const Block block(reading_, entry, "formula.contacts.*");
    FormulaContact contact;
    contact.name = entry.key;
    contact.gap = reading_.smooth_expression(block.require("gap"), reading_.positions, "a gap");
    contact.restitution = block.number("restitution", 0);
    contact.friction = block.number("friction", 0);
    if (const auto* slip = block.find("slip"))
      contact.slip = reading_.slips(*slip, true);
    else if (contact.friction > 0)
      reading_.fail(
          *block.find("friction")->value,
          fmt::format("the contact {} has friction but no 'slip'; add its tangential velocity", quote(entry.key)));
    formulas_.contacts.push_back(std::move(contact));
    slips_.push_back(block.find("slip"));
  }
}

std::unique_ptr<System> FormulaReader::make_system(Model& model) {
  const YamlNode& kinetic = *top_.require("kinetic_energy").value;
  try {
    auto system = std::make_unique<FormulaSystem>(reading_.graph, formulas_);
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
  return start;
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
  if (names.empty())
    reading.fail(coordinates.key_offset, "a model needs at least one coordinate, like {x: {start: 1}}");
  return names;
}

void read_formula_system(Reading& reading, const Block& top, Model& model) {
  FormulaReader reader(reading, top);
  reader.make_symbols();
  read_expressions(reading, top);
  reader.read_scales();
  reader.read_energies();
  reader.read_forces();
  reader.read_constraints();
  reader.read_contacts();
  model.system = reader.make_system(model);
  model.start = reader.read_start(*model.system);
}

}  // namespace escapement
