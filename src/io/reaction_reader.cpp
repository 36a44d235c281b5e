#include "io/reaction_reader.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <span>

#include "io/expressions_reader.hpp"
#include "math/saddle_solver.hpp"
#include "system/contact_search.hpp"

namespace escapement::inline io {

namespace {

constexpr std::string_view reaction_parts[] = {"force", "fx", "fy", "fz", "torque", "friction"};

// rows whose multipliers are not determined, because they depend on others: where the kernel of G^T has entries
std::vector<char> undetermined_rows(const System& system, const State& start) {
  const int rows = system.dim().bilateral;
  std::vector<char> result(static_cast<std::size_t>(rows), 0);
  if (rows == 0) return result;
  Terms T;
  system.prepare(T);
  system.evaluate(start, Need::jacobian, T);
  Matrix bilateral = T.G;
  for (int i = rows; i < system.dim().rows(); ++i) bilateral.set_row_zero(i);
  if (redundant_rows(bilateral).empty()) return result;
  Mat G = bilateral.dense().topRows(rows);
  for (int i = 0; i < rows; ++i)
    if (const double size = G.row(i).norm(); size > 0) G.row(i) /= size;
  constexpr double dependent = 1e-9;
  Eigen::FullPivLU<Mat> lu(G.transpose());
  lu.setThreshold(dependent);
  const Mat kernel = lu.kernel();
  for (int i = 0; i < rows; ++i)
    if (kernel.row(i).cwiseAbs().maxCoeff() > dependent * kernel.cwiseAbs().maxCoeff()) result[static_cast<std::size_t>(i)] = 1;
  return result;
}

// does some name of the file end like a reaction's?
bool is_asked(const std::string& text) {
  return std::any_of(std::begin(reaction_parts), std::end(reaction_parts),
                     [&](std::string_view part) { return text.find("." + std::string(part)) != std::string::npos; });
}

// of a contact with several points: floor of floor.3; empty: of one with a name of its own
std::string whole_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 == name.size()) return "";
  return name.find_first_not_of("0123456789", dot + 1) == std::string::npos ? name.substr(0, dot) : "";
}

// NAME.force of such a contact: the sum over its points
void name_sums(Reading& reading, std::span<const ContactLaw> laws) {
  std::map<std::string, std::vector<Expr>> sums;
  for (const ContactLaw& law : laws)
    if (const std::string whole = whole_of(law.name); !whole.empty()) sums[whole].push_back(reading.graph.variable(law.name + ".force"));
  for (const auto& [whole, forces] : sums) {
    reading.outcomes.add(whole + ".force", reading.graph.sum(forces));
    for (Symbols* symbols : {&reading.positions, &reading.states}) symbols->refuse(whole + ".force", reactions_stand);
    reading.outcomes.refuse(whole + ".friction", fmt::format("'{0}' touches in several points, each along a slip of its own; name one of them, "
                                                             "like {0}.1.friction", whole));
  }
}

}  // namespace

bool may_be_reaction(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && std::find(std::begin(reaction_parts), std::end(reaction_parts), name.substr(dot + 1)) != std::end(reaction_parts);
}

void name_reactions(Reading& reading, const Block& top, const Model& model) {
  const System& system = *model.system;
  const int dimension = model.kind == "mechanism" ? model.scene.dimension : 0;
  reading.outcomes = reading.states;
  for (const auto& [name, call] : reading.outcome_calls) reading.outcomes.add_call(name, call);
  for (const auto& [name, value] : reading.outcome_names) reading.outcomes.add(name, value);
  reading.outcome_inputs = reading.inputs;
  reading.outcome_source = reading.state_inputs;
  if (!is_asked(reading.source.text()) && reading.followed.empty()) return;  // thousands of joints have many names
  std::vector<Reaction> reactions;
  const auto add = [&](Reaction reaction) {
    const Expr variable = reading.graph.variable(reaction.name);
    reading.outcomes.add(reaction.name, variable);
    for (Symbols* symbols : {&reading.positions, &reading.states}) symbols->refuse(reaction.name, reactions_stand);
    reading.outcome_inputs.push_back(variable);
    reading.reaction_variables.push_back(variable);
    reactions.push_back(std::move(reaction));
  };
  std::vector<char> undetermined;
  if (!reading.joint_reactions.empty()) undetermined = undetermined_rows(system, model.start);
  for (const Reading::JointReaction& joint : reading.joint_reactions) {
    std::string rows;
    for (int i = joint.like.first; i < joint.like.first + joint.like.count; ++i)
      if (undetermined[static_cast<std::size_t>(i)])
        rows += (rows.empty() ? "" : ", ") + system.names().multipliers[static_cast<std::size_t>(i)];
    const auto name = [&](const char* part, Reaction::Kind kind, int axis) {
      Reaction one = joint.like;
      one.name = joint.name + "." + part;
      one.kind = kind;
      one.axis = axis;
      if (rows.empty()) return add(std::move(one));
      reading.outcomes.refuse(one.name, fmt::format("joint {} shares its forces with other joints in a way that is not determined "
                                                    "(redundant rows {:.60}); take a joint with fewer rows",
                                                    quote(joint.name), rows));
    };
    for (const Reading::FollowedJoint& followed : reading.followed)
      if (followed.joint == joint.name && !rows.empty())
        reading.fail(followed.offset, fmt::format("the friction {} follows the force of joint {}, which is not determined (redundant rows {:.60}); "
                                                  "take a joint with fewer rows, or give the friction's 'size'",
                                                  quote(followed.friction), quote(joint.name), rows));
    name("force", Reaction::Kind::force, 0);
    for (int i = 0; i < dimension; ++i) name(i == 0 ? "fx" : i == 1 ? "fy" : "fz", Reaction::Kind::component, i);
    name("torque", Reaction::Kind::torque, 0);
  }
  for (std::size_t i = 0; i < system.contacts().size(); ++i) {
    const ContactLaw& law = system.contacts()[i];
    Reaction one;
    one.contact = static_cast<int>(i);
    one.name = law.name + ".force";
    one.kind = law.is_brake() ? Reaction::Kind::contact_friction : Reaction::Kind::contact_force;
    add(one);
    if (law.is_brake()) continue;
    one.name = law.name + ".friction";
    one.kind = Reaction::Kind::contact_friction;
    add(one);
  }
  name_sums(reading, system.contacts());
  const auto* touching = dynamic_cast<const TouchingSystem*>(&system);
  for (std::size_t i = 0; touching && touching->touching() && i < touching->touching()->contacts.size(); ++i) {
    Reaction one;
    one.contact = static_cast<int>(i);
    one.name = touching->touching()->contacts[i] + ".force";
    one.kind = Reaction::Kind::found_force;
    add(one);
  }
  if (!reactions.empty())
    reading.outcome_source = std::make_shared<ReactionInputs>(system, dimension, reading.state_inputs,
                                                              static_cast<int>(reading.inputs.size()), std::move(reactions));
  read_reaction_expressions(reading, top);
}

}  // namespace escapement
