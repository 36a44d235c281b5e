// What the readers of one model share: its text, its names, and how a value becomes a number or an expression.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/schema.hpp"
#include "io/yaml_tree.hpp"
#include "math/expression_parser.hpp"
#include "model/reaction.hpp"
#include "model/state_function.hpp"
#include "simulate/assembly.hpp"

namespace escapement::inline model {
class FormulaCatalogue;
}

namespace escapement::inline io {

// an expression of the file, and where it stands there
struct Said {
  Expr e;
  std::size_t offset;
};

class Reading {
 public:
  Reading(const SourceText& source_, const YamlTree& tree_) : source(source_), tree(tree_) {}

  const SourceText& source;
  const YamlTree& tree;
  std::vector<std::string> named_files{};           // those read so far, as the model calls them
  bool within_folder = false;                       // files that the model names must lie in its folder
  // texts of files, in place of those there
  std::span<const std::pair<std::string, std::string>> files;
  // what is compiled when it is first used keeps it
  const std::shared_ptr<ExpressionGraph> shared_graph = std::make_shared<ExpressionGraph>();
  ExpressionGraph& graph = *shared_graph;
  FormulaCatalogue* catalogue = nullptr;  // systems that were derived before, of models of the same text
  Symbols constants;                                // what a fixed number may use: parameters, tables
  Symbols times;                                    // and t, with expressions of it alone
  Symbols positions;                                // and t and coordinates
  Symbols states;                                   // and rates
  std::vector<Expr> inputs;                         // variables of a state, by default in the order t, q, v
  std::shared_ptr<const StateInputs> state_inputs;  // how they follow from a state when the order is another
  // what 'keep' may name when it is not q and v: indices of increments and of velocities
  struct Keepable {
    std::string name;
    bool rate;
    std::vector<int> indices;
  };
  std::vector<Keepable> keepable;

  DrivenTurns turns;  // that assembly has to follow

  // points of bodies that joints were given in the world: assembling may show that they lie beside the bodies' shapes
  struct WorldPoint {
    std::string joint;
    int body;
    std::vector<double> at;  // in the body's frame
    std::size_t offset;      // of the joint's 'at'
  };
  std::vector<WorldPoint> world_points;

  // what outputs and the stop condition may use: states and reactions, with the inputs of their functions
  Symbols outcomes;
  std::vector<Expr> outcome_inputs, reaction_variables;
  std::vector<std::pair<std::string, Symbols::Call>> outcome_calls;  // names that they call
  std::vector<std::pair<std::string, Expr>> outcome_names;           // and read alone
  std::shared_ptr<const StateInputs> outcome_source;
  struct JointReaction {
    std::string name;
    Reaction like;  // its rows, body and point
  };
  std::vector<JointReaction> joint_reactions;
  struct FollowedJoint {
    std::string friction, joint;
    std::size_t offset;  // of the joint's name
  };
  std::vector<FollowedJoint> followed;  // by friction
  bool uses_reactions(Expr e) const {
    for (Expr variable : reaction_variables)
      if (graph.depends_on(e, variable)) return true;
    return false;
  }

  // Where many members are run at once, parameters that differ between them stay variables, with the values they have in
  // the file; numbers that depend on them wait here, by their place, for whoever can take an expression for a number
  std::map<Expr, double> open_parameters;
  struct OpenNumber {
    std::string key;
    Expr e;
  };
  std::map<std::size_t, OpenNumber> open_numbers;
  bool is_open(Expr e) const;
  Expr number_or_open(const YamlNode::Entry*, double fallback);  // of a number that has been read

  // where messages about the start point to
  struct {
    std::size_t mass = 0, force = 0;
    std::vector<std::size_t> rows;  // one per row of G
  } places;

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const { source.fail(offset, message); }
  [[noreturn]] void fail(const YamlNode& node, const std::string& message) const { source.fail(node.offset, message); }

  Expr expression(const YamlNode::Entry&, const Symbols&);
  // the slip of a contact: one expression, or in space a list of two
  std::vector<Expr> slips(const YamlNode::Entry&, bool in_space);
  // the same without a linear table, where second derivatives are needed; what: "a gap", "a constraint" ...
  Expr smooth_expression(const YamlNode::Entry&, const Symbols&, const char* what);
  void refuse_linear_tables(const YamlNode::Entry&, Expr, const char* what) const;
  Expr parse(const YamlNode::Entry&, const Symbols&);  // an expression that is not said by itself
  std::vector<Said> said;                              // every expression read so far
  double constant(const YamlNode::Entry&);  // a finite number, which does not change
  double number(const YamlNode::Entry&);    // the same as it is now
  bool has_live = false;                    // some parameters may change while the model runs
  bool may_change(Expr) const;              // with one of them

  // a name the model gives: valid, not reserved, not given before; what: "parameter", "coordinate" ...
  void declare(const std::string& name, const char* what, std::size_t offset);
  const char* what_is(const std::string& name) const;  // nullptr: nothing
  void check_name(const std::string& name, const char* what, std::size_t offset) const;

 private:
  struct Owner {
    const char* what;
    std::size_t offset;
  };
  std::map<std::string, Owner> owners_;
};

// A map of the model file whose keys the schema knows.
class Block {
 public:
  // entry: the key and its map; wheres: the schema's blocks whose keys it may have
  Block(Reading&, const YamlNode& map, std::vector<std::string_view> wheres);
  Block(Reading&, const YamlNode::Entry& entry, std::string_view where);

  const YamlNode& node() const { return node_; }
  const std::vector<YamlNode::Entry>& entries() const { return node_.entries; }
  const YamlNode::Entry* find(std::string_view key) const { return node_.find(key); }
  const YamlNode::Entry& require(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  // checked against the schema's range
  double number(std::string_view key, double fallback) const { return number(key).value_or(fallback); }
  std::optional<std::string> text(std::string_view key) const;
  std::optional<std::string> word(std::string_view key) const;  // one of the schema's choices
  bool flag(std::string_view key, bool fallback) const;
  // the map under a key with names of the user's, empty when absent
  std::vector<YamlNode::Entry> named(std::string_view key) const;

 private:
  void check_keys() const;
  const KeyInfo* info(std::string_view key) const;
  [[noreturn]] void fail_unknown(const YamlNode::Entry&) const;

  Reading& reading_;
  const YamlNode& node_;
  std::size_t offset_;
  std::vector<std::string_view> wheres_;
};

// checks a number against a key's range; the message says what the value must be
void check_range(const KeyInfo&, double value, const std::function<void(const std::string&)>& fail);

}  // namespace escapement
