#include "io/mechanism_reader.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "io/expressions_reader.hpp"
#include "io/contact_law_reader.hpp"
#include "io/mechanism_reading.hpp"
#include "io/repetition.hpp"
#include "model/expression_contact.hpp"
#include "model/expression_force.hpp"

namespace escapement::inline io {

namespace {

int dimension_of(Reading& reading, const Block& top) {
  const YamlNode::Entry& entry = top.require("dimension");
  const double value = *top.number("dimension");
  if (value != 2 && value != 3) reading.fail(*entry.value, fmt::format("dimension is {:g} but must be 2 or 3", value));
  return static_cast<int>(value);
}

// every name that stands in the values of a model, the rates' without their '
void collect_names(const YamlNode& node, std::set<std::string>& names) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  for (auto first = node.text.begin(); first != node.text.end();) {
    const auto last = std::find_if_not(first, node.text.end(), is_part);
    if (first != last) names.emplace(first, last);
    first = last == node.text.end() ? last : std::next(last);
  }
  for (const YamlNode::Entry& entry : node.entries) collect_names(*entry.value, names);
}

// the names expressions may use, and what 'keep' may name
template <int D>
class NameMaker {
 public:
  explicit NameMaker(MechanismReading<D>& r) : r_(r), reading_(r.reading) {}

  void make() {
    if (D == 3) find_used();
    reading_.positions = reading_.states = reading_.constants;
    reading_.positions.add("t", r_.vocabulary.t);
    reading_.states.add("t", r_.vocabulary.t);
    for (std::size_t b = 0; b < r_.mechanism->bodies().size(); ++b) name_body(static_cast<int>(b));
    for (std::size_t j = 0; j < r_.mechanism->joints().size(); ++j) name_joint(static_cast<int>(j));
    for (const auto& [name, point] : r_.points) name_point(name, point);
    reading_.inputs = all_inputs(r_.vocabulary);
    reading_.state_inputs = make_state_inputs(r_.vocabulary, static_cast<int>(r_.mechanism->bodies().size()));
  }

 private:
  void find_used() {
    for (const YamlNode::Entry& entry : r_.top.node().entries)
      if (entry.key != "name") collect_names(*entry.value, used_);
    // a name that can only be a mistake: the message about it suggests angles too
    for (const std::string& name : used_) {
      const std::size_t dot = name.rfind('.');
      if (dot == std::string::npos) continue;
      const std::string owner = name.substr(0, dot), what = name.substr(dot);
      all_angles_ |= r_.joints.contains(owner) ? what != ".angle" && what != ".length" : what == ".angle";
    }
  }

  void add(const std::string& name, MeasurePtr<D> measure) {
    const Expr value = reading_.graph.variable(name), rate = reading_.graph.variable(name + "'");
    r_.vocabulary.add({std::move(measure), value, rate});
    reading_.positions.add(name, value);
    reading_.positions.refuse(name + "'", "only t and coordinates may stand here, no rates");
    reading_.states.add(name, value);
    reading_.states.add(name + "'", rate);
  }

  // only a rate
  void add_rate(const std::string& name, MeasurePtr<D> measure) {
    const Expr rate = reading_.graph.variable(name);
    r_.vocabulary.add({std::move(measure), reading_.graph.variable(name + " (no value)"), rate});
    reading_.positions.refuse(name, "only t and coordinates may stand here, no rates");
    reading_.states.add(name, rate);
  }

  void name_body(int b) {
    const std::string& name = r_.mechanism->bodies()[b].name;
    const auto keep = [&](const std::string& what, bool rate, std::vector<int> indices) {
      for (int& i : indices) i += width<D> * b;
      reading_.keepable.push_back({name + what, rate, std::move(indices)});
    };
    for (int i = 0; i < D; ++i) {
      const std::string coordinate = std::string(".") + "xyz"[i];
      add(name + coordinate, offset_along<D>(ground, Vector<D>::Unit(i), Vector<D>::Zero(), b, Vector<D>::Zero()));
      keep(coordinate, false, {i});
      keep(coordinate + "'", true, {i});
    }
    if constexpr (D == 2) {
      add(name + ".angle", relative_angle(ground, b));
      keep(".angle", false, {2});
      keep(".angle'", true, {2});
    } else {
      for (int i = 0; i < 4; ++i) {
        const std::string component = std::string(".q") + "wxyz"[i];
        add(name + component, quaternion_component(b, i));
        keep(component, false, {3, 4, 5});
      }
      keep(".orientation", false, {3, 4, 5});
      for (int i = 0; i < 3; ++i) {
        const std::string axis(1, "xyz"[i]);
        reading_.states.add(name + ".v" + axis, *reading_.states.find(name + "." + axis + "'"));
        reading_.positions.refuse(name + ".v" + axis, "only t and coordinates may stand here, no rates");
        add_rate(name + ".w" + axis, angular_velocity(b, i));
        keep(".v" + axis, true, {i});
        keep(".w" + axis, true, {3 + i});
      }
    }
  }

  void name_point(const std::string& name, const BodyPoint<D>& point) {
    for (int i = 0; i < D; ++i) {
      const std::string coordinate = name + "." + "xyz"[i];
      if (point.body == ground) {
        reading_.positions.add(coordinate, reading_.graph.constant(point.at[i]));
        reading_.states.add(coordinate, reading_.graph.constant(point.at[i]));
        reading_.states.add(coordinate + "'", reading_.graph.constant(0));
      } else {
        add(coordinate, offset_along<D>(ground, Vector<D>::Unit(i), Vector<D>::Zero(), point.body, point.at));
      }
    }
  }

  void name_joint(int j) {
    const Joint<D>& joint = r_.mechanism->joint(j);
    // counting the turns of a spatial angle costs a state: only when somebody asks
    const std::string angle = joint.name + ".angle";
    if (joint.has_angle && (D == 2 || all_angles_ || used_.contains(angle))) add(angle, r_.mechanism->angle(j));
    if (joint.length) add(joint.name + ".length", joint.length);
  }

  MechanismReading<D>& r_;
  Reading& reading_;
  std::set<std::string> used_;
  bool all_angles_ = false;
};

// the rows of the joints whose reactions have names
template <int D>
void place_reactions(MechanismReading<D>& r) {
  std::map<std::string, std::pair<int, int>> rows;  // first, count
  int row = 0;
  for (const Joint<D>& joint : r.mechanism->joints()) {
    rows[joint.name] = {row, joint.row_count()};
    row += joint.row_count();
  }
  for (Reading::JointReaction& one : r.reading.joint_reactions)
    std::tie(one.like.first, one.like.count) = rows.at(one.name);
}

template <int D>
void set_places(MechanismReading<D>& r) {
  Reading& reading = r.reading;
  const Mechanism<D>& m = *r.mechanism;
  reading.places.mass = reading.places.force = (r.top.find("bodies") ? r.top.find("bodies") : r.top.find("beams"))->key_offset;
  const int bad = m.find_infinite_force(m.start());
  if (bad >= 0) reading.places.force = r.force_places[static_cast<std::size_t>(bad)];
  for (int row = 0; row < m.dim().rows(); ++row) {
    if (row < m.dim().bilateral) {
      reading.places.rows.push_back(r.joint_places[m.joint_of(row)]);
      continue;
    }
    const std::string& name = m.contacts()[static_cast<std::size_t>(row - m.dim().bilateral)].name;
    if (const auto found = r.contact_places.find(name); found != r.contact_places.end()) {
      reading.places.rows.push_back(found->second);
    } else {  // a limit
      reading.places.rows.push_back(r.joint_places[r.joints.find(name.substr(0, name.find('.')))->second]);
    }
  }
}

// slips follow from positions and velocities
template <int D>
void refuse_states(MechanismReading<D>& r, Expr e) {
  for (Expr state : r.vocabulary.states())
    if (r.reading.graph.depends_on(e, state)) throw std::invalid_argument("depends on a state");
}

// forces along the measures that the gap and the slips are made of
template <int D>
void add_compliant_contact(MechanismReading<D>& r, const YamlNode::Entry& entry, const CompliantContact& contact) {
  ExpressionGraph& graph = r.reading.graph;
  std::vector<Push<D>> pushes;
  const auto push = [&](const VocabularyUse<D>& use, int k, Expr size) {
    for (const NamedMeasure<D>& one : r.vocabulary.measures())
      if (one.measure.get() == &use.measure(k)) pushes.push_back({one.measure, size});
  };
  const VocabularyUse<D> of_gap(graph, r.vocabulary, {&contact.gap, 1});
  for (int k = 0; k < of_gap.count(); ++k)
    push(of_gap, k, graph.mul(contact.force.normal, graph.derivative(contact.gap, of_gap.value(k))));
  for (std::size_t i = 0; i < contact.force.friction.size(); ++i) {
    const Expr slip = contact.slips[i];
    const VocabularyUse<D> of_slip(graph, r.vocabulary, {&slip, 1});
    for (int k = 0; k < of_slip.count(); ++k)
      push(of_slip, k, graph.mul(contact.force.friction[i], graph.derivative(slip, of_slip.rate(k))));
  }
  r.mechanism->add(make_generalized_force<D>(graph, r.vocabulary, std::move(pushes)));
  r.force_places.resize(static_cast<std::size_t>(r.mechanism->force_count()), entry.key_offset);
}

template <int D>
struct GapAndSlip {
  Expr gap{};
  std::vector<Expr> along{};
  std::vector<std::unique_ptr<SlipRow<D>>> slips;
};

template <int D>
GapAndSlip<D> read_gap_and_slip(MechanismReading<D>& r, const YamlNode::Entry& entry, const Block& block) {
  GapAndSlip<D> out;
  const double friction = block.number("friction", 0);
  const auto& gap = block.require("gap");
  out.gap = r.reading.smooth_expression(gap, r.reading.positions, "a gap");
  if (r.reading.graph.is_constant(out.gap))
    r.reading.fail(*gap.value, fmt::format("the gap of {} depends on no coordinate; write a distance", quote(entry.key)));
  const auto* given = block.find("slip");
  if (!given && friction > 0)
    r.reading.fail(*block.find("friction")->value,
                   fmt::format("the contact {} has friction but no 'slip'; add its tangential velocity", quote(entry.key)));
  if (!given) return out;
  const std::vector<Expr> along = r.reading.slips(*given, D == 3);
  if (D == 3 && friction > 0 && along.size() == 1)
    r.warn(given->value->offset,
           fmt::format("the friction of {} knows one direction alone: across this slip nothing holds or brakes; give two, slip: "
                       "[one, other], for a disc",
                       quote(entry.key)));
  try {
    for (const Expr slip : along) {
      refuse_states(r, slip);
      out.slips.push_back(make_slip_row<D>(r.reading.graph, r.vocabulary, slip));
    }
    out.along = along;
  } catch (const std::invalid_argument& error) {
    r.reading.fail(*given->value, fmt::format("the slip of {} {}; it is a velocity, like {}", quote(entry.key), error.what(),
                                              D == 2 ? "body.x' - r*body.angle'" : "body.vx"));
  }
  return out;
}

// the rest of `simulation` is read when the model is complete
double start_time(Reading& reading, const Block& top) {
  const YamlNode::Entry* simulation = top.find("simulation");
  return simulation && simulation->value->is_map() ? Block(reading, *simulation, "model.simulation").number("start", 0) : 0;
}

template <int D>
void read(Reading& reading, const Block& top, Model& model) {
  Vector<D> gravity = Vector<D>::Zero();
  MechanismReading<D> r{reading, top, model, std::make_unique<Mechanism<D>>(), {}, {}, {}, {}, {}};
  if (const auto* entry = top.find("gravity")) gravity = r.vector(*entry);
  r.mechanism = std::make_unique<Mechanism<D>>(gravity);
  if (top.find("length_scale")) r.mechanism->set_length_scale(top.number("length_scale", 1));
  r.vocabulary.t = reading.graph.variable("t");
  model.scene.dimension = D;
  if (D == 3 && gravity.norm() > 0)
    for (int i = 0; i < D; ++i) model.scene.up.push_back(-gravity[i] / gravity.norm());
  read_bodies(r);
  read_beams(r);
  make_soft_points(r);
  make_states(r);
  read_joints(r);
  NameMaker<D>(r).make();
  name_beams(r);
  name_states(r);
  read_expressions(reading, top);
  read_compliant_contacts(r);
  read_states(r);
  read_loads(r);
  read_forces(r);
  read_contacts(r);
  observe_beams(r);
  show_beams(r);
  if (!r.state_rates.empty())
    r.mechanism->set_states(std::make_unique<StateRates<D>>(reading.graph, r.vocabulary, r.state_rates), r.state_start);
  r.mechanism->finish();
  r.mechanism->find_redundant_rows();
  set_places(r);
  place_reactions(r);
  model.start = r.mechanism->start();
  for (const auto& turn : r.mechanism->driven_turns(start_time(reading, top)))
    reading.turns.drives.push_back({turn.row, turn.counter, turn.angle});
  reading.turns.count = [m = r.mechanism.get()](State& s) { m->count_turns(s); };
  model.system = std::move(r.mechanism);
}

}  // namespace

template <int D>
void read_contacts(MechanismReading<D>& r) {
  const std::string why = why_found(r);
  const bool found = !why.empty();
  if (found) read_touching(r, why);
  for (const auto& entry : r.top.named("contacts")) {
    r.reading.declare(entry.key, "contact", entry.key_offset);
    const Block block(r.reading, entry, "mechanism.contacts.*");
    if (const auto soft = r.compliant.find(entry.key); soft != r.compliant.end()) {
      for (const CompliantContact& point : soft->second) add_compliant_contact(r, entry, point);
      continue;
    }
    if constexpr (D == 3)
      if (const auto touch = r.soft_touch.find(entry.key); touch != r.soft_touch.end()) {
        r.mechanism->add(make_soft_touch_force(touch->second));
        r.force_places.resize(static_cast<std::size_t>(r.mechanism->force_count()), entry.key_offset);
        continue;
      }
    if (block.find("between") || block.find("among")) {
      if (!found) read_shape_contact(r, entry, block);
      continue;
    }
    read_contact_law(r.reading, entry, block);  // refuses what belongs to compliant contacts
    const ContactLaw law{entry.key, block.number("restitution", 0), block.number("friction", 0)};
    GapAndSlip<D> rows = read_gap_and_slip(r, entry, block);
    r.contact_places[entry.key] = entry.key_offset;
    r.mechanism->add_contact(make_gap_row<D>(r.reading.graph, r.vocabulary, rows.gap), law, std::move(rows.slips));
  }
}

template <int D>
void read_compliant_contacts(MechanismReading<D>& r) {
  ExpressionGraph& graph = r.reading.graph;
  Symbols& names = r.reading.states;
  std::size_t state = r.top.named("states").size();  // bristles follow the model's own
  const auto finish = [&](const YamlNode::Entry& entry, const std::string& name, CompliantContact contact) {
    contact.force = contact_force(graph, contact.law, contact.gap, contact.gap_rate, contact.slips, std::span(r.vocabulary.states()).subspan(state));
    const std::vector<std::string> bristles = bristle_names(name, contact.force.state_rates.size());
    for (std::size_t k = 0; k < contact.force.state_rates.size(); ++k, ++state) {
      r.state_rates[state] = contact.force.state_rates[k];
      names.add(bristles[k], r.vocabulary.states()[state]);
    }
    name_compliant_contact(r.reading, entry, name, contact);
    r.compliant[entry.key].push_back(std::move(contact));
  };
  for (const auto& entry : r.top.named("contacts")) {
    if (!is_compliant(entry)) continue;
    const Block block(r.reading, entry, "mechanism.contacts.*");
    if (block.find("among")) continue;  // refused where they are read
    if (r.soft_touch.contains(entry.key)) {
      for (const char* part : {".gap", ".gap'", ".force"})
        for (Symbols* symbols : {&r.reading.positions, &names})
          symbols->refuse(entry.key + part, "what is told of a contact whose points come and go is for outputs and 'stop' alone");
      continue;
    }
    const ContactForceLaw law = *read_contact_law(r.reading, entry, block);
    if (!block.find("between")) {
      const GapAndSlip<D> rows = read_gap_and_slip(r, entry, block);
      const Expr gap_rate = VocabularyUse<D>(graph, r.vocabulary, {&rows.gap, 1}).rate_of(graph, rows.gap);
      finish(entry, entry.key, {law, rows.gap, gap_rate, rows.along});
      continue;
    }
    const std::vector<SoftPoint>& points = r.soft.find(entry.key)->second;
    for (const SoftPoint& point : points) finish(entry, point.name, {law, point.gap, point.gap_rate, point.slips});
    if (points.size() == 1) continue;
    Expr least = points.front().gap, sum = graph.constant(0);
    for (const CompliantContact& point : r.compliant[entry.key]) {
      least = graph.function(Op::min, least, point.gap);
      sum = graph.add(sum, point.force.normal);
    }
    names.add(entry.key + ".gap", least);
    names.add(entry.key + ".force", sum);
  }
}

std::vector<std::string> node_names(int dimension) {
  std::vector<std::string> names{".x", ".x'", ".y", ".y'"};
  if (dimension == 2) {
    names.insert(names.end(), {".angle", ".angle'"});
  } else {
    for (const char* more : {".z", ".z'", ".qw", ".qw'", ".qx", ".qx'", ".qy", ".qy'", ".qz", ".qz'", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"})
      names.emplace_back(more);
  }
  return names;
}

template <int D>
void make_states(MechanismReading<D>& r) {
  std::vector<std::string> names;
  for (const auto& entry : r.top.named("states")) names.push_back(entry.key);
  for (const auto& entry : r.top.named("contacts")) {
    if (!has_bristles(entry)) continue;
    const auto add = [&](const std::string& point, std::size_t slips) {
      for (std::string& name : bristle_names(point, slips)) names.push_back(std::move(name));
    };
    if (const auto soft = r.soft.find(entry.key); soft == r.soft.end()) add(entry.key, slip_count(entry));
    else
      for (const SoftPoint& point : soft->second) add(point.name, point.slips.size());
  }
  for (const std::string& name : names) r.vocabulary.add_state(r.reading.graph.variable(name));
  r.state_rates.assign(names.size(), Expr{});
  r.state_start.assign(names.size(), 0);
  r.mechanism->add_states(std::move(names));
}

template <int D>
void name_states(MechanismReading<D>& r) {
  Reading& reading = r.reading;
  const auto entries = r.top.named("states");
  for (std::size_t k = 0; k < entries.size(); ++k) {
    reading.states.add(entries[k].key, r.vocabulary.states()[k]);
    for (const char* rate : {"", "'"})
      reading.positions.refuse(entries[k].key + rate, "only t and coordinates may stand here, no states");
    reading.states.refuse(entries[k].key + "'", state_rates_stand);
  }
}

template <int D>
void read_states(MechanismReading<D>& r) {
  Reading& reading = r.reading;
  const auto entries = r.top.named("states");
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Block block(reading, entries[k], "model.states.*");
    r.state_rates[k] = reading.expression(block.require("rate"), reading.states);
    r.state_start[k] = block.number("start", 0);
  }
  for (std::size_t k = 0; k < entries.size(); ++k) reading.states.add(entries[k].key + "'", r.state_rates[k]);
}

VaryingNames declare_mechanism(Reading& reading, const Block& top) {
  const int dimension = dimension_of(reading, top);
  VaryingNames names;
  for (const auto& entry : top.named("bodies")) {
    if (is_repeated(entry)) continue;  // declared when it is repeated
    if (entry.key == "ground") continue;
    reading.declare(entry.key, "body", entry.key_offset);
    for (const char* coordinate : {".x", ".y", dimension == 2 ? ".angle" : ".z"}) {
      names.emplace_back(entry.key + coordinate, "a coordinate");
      names.emplace_back(entry.key + coordinate + "'", "a rate");
    }
  }
  for (const auto& entry : top.named("states")) {
    reading.declare(entry.key, "state", entry.key_offset);
    names.emplace_back(entry.key, "a state");
    names.emplace_back(entry.key + "'", "a rate");
  }
  for (const auto& entry : top.named("beams"))
    if (!is_repeated(entry)) reading.declare(entry.key, "beam", entry.key_offset);
  for (const auto& entry : top.named("joints")) {
    if (is_repeated(entry)) continue;
    reading.declare(entry.key, "joint", entry.key_offset);
    for (const char* coordinate : {".angle", ".length"}) {
      names.emplace_back(entry.key + coordinate, "a coordinate");
      names.emplace_back(entry.key + coordinate + "'", "a rate");
    }
  }
  return names;
}

void read_mechanism(Reading& reading, const Block& top, Model& model) {
  if (*top.number("dimension") == 2) {
    read<2>(reading, top, model);
  } else {
    read<3>(reading, top, model);
  }
}

}  // namespace escapement
