// Expressions along a piece of a motion: is each of them resolved by the piece, and where do its branches change? Answered
// with ranges instead of samples, so that a pulse between two samples cannot hide.
//
// Features are nodes that may be narrow against the motion of their arguments: exp, sin, tables, quotients, high powers and
// the like. A feature is resolved by a piece when it stays near its chord there, within a part of the range that it has over the
// whole run; and when its parts do so within a part of the range that it has over the piece, because what is little beside the
// largest bump of a table may be all that happens. Switches are where abs, sign, min, max and comparisons change their branch,
// and corners of linear tables.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "math/expression.hpp"
#include "math/program_code.hpp"
#include "math/interval.hpp"

namespace escapement::inline math {

class ExpressionWatch {
 public:
  // whose features and switches: of nodes that depend on the first input alone (the time), or of those that depend on
  // others too
  enum class Which { of_first_input, of_others };

  ExpressionWatch() = default;
  ExpressionWatch(const ExpressionGraph&, std::span<const Expr> inputs, std::span<const Expr> expressions, Which);

  bool empty() const { return features_.empty() && switches_.empty(); }
  int inputs() const { return static_cast<int>(inputs_); }
  int switches() const { return static_cast<int>(switches_.size()); }
  bool has_features() const { return !features_.empty(); }
  // every feature is a sine or cosine of a sum of inputs, so that how far it moves says all
  bool is_gentle() const { return gentle_; }
  // is each of them resolved where the inputs lead from one set of values to another?
  bool resolved_gently(const double* from, const double* to) const;

  // how large features are, given all that the inputs may be
  void begin(std::span<const Enclosure> whole);

  // the nodes on a piece; then what is known of them. Branches are those in its middle
  void enclose(std::span<const Enclosure> piece) {
    ranges_.run(piece, false);
    looked_ = false;
  }
  bool resolved(double duration) const;
  // after resolved() and enclose() of the same piece: may what some feature does there hide beside the rest of its range? Then
  // the parts of the piece are to be enclosed one after the other
  static constexpr int parts = 4;
  bool needs_parts(double duration);
  void enclose_part(int k, std::span<const Enclosure> part, double duration);
  bool parts_resolved() const;  // after the last of them
  void remember();  // the piece was accepted: features without bound are judged by what they have been
  Enclosure switching(int k) const;  // changes its sign where the branch changes
  bool unsettled(int k) const;       // its sign may change within the piece
  // may its branch make a difference to an expression on the piece? Not where it stands in a branch that is not taken itself, or with a
  // factor that is zero
  bool matters(int k);
  bool jumps(int k) const { return switches_[static_cast<std::size_t>(k)].jumps; }  // the value itself, not its slope alone
  Expr switch_node(int k) const { return switches_[static_cast<std::size_t>(k)].node; }  // where it stands in the graph

  // for checkpoints
  template <class Exchange>
  void exchange(Exchange& x) {
    for (Feature& f : features_) x(f.size, f.seen.low, f.seen.high, f.met, f.watched);
  }

 private:
  struct Feature {
    Register node;
    double size = 0;  // range over the whole run; infinite: not known before
    Interval seen{};     // values on the pieces accepted so far
    bool met = false;
    std::vector<std::pair<int, double>> argument{};  // where gentle: weights of the inputs
    bool wave = false;     // all its bumps are alike
    bool if_bounded = false;  // watched only if it has a range
    bool watched = true;
    bool bare = false;          // laws read it, other than through features
    std::vector<int> readers{};  // features that do
    bool in_parts = false;       // of the present piece
    double off = 0;              // of its parts, the largest
    Interval here{};             // what its parts span
  };
  // a program that is run on ranges
  struct Ranges {
    BasicProgram program;
    std::vector<Enclosure> registers;
    void set(BasicProgram);
    void run(std::span<const Enclosure> in, bool all_branches);
    Enclosure operate(const Instruction&, bool all_branches, Enclosure& second) const;
    const Enclosure& operator[](Register r) const { return registers[r]; }
  };
  struct Switch {
    Register a, b;
    bool against_zero;  // b is none
    bool at_corner = false;        // of a table: a against a number
    double corner = 0, period = 0;  // 0: the table does not repeat
    Expr node{-1};
    bool jumps = false;
    Register in_laws = 0;  // of the node, in the program of the laws
  };

  void find_features(const std::vector<char>& depends, const std::vector<Expr>& nodes, const ExpressionGraph& graph);
  void find_readers(const ExpressionGraph& graph, std::span<const Expr> laws, const std::vector<Expr>& nodes);
  bool is_read_through_bounds(const Feature&) const;
  void find_gentle();
  void find_laws(const ExpressionGraph&, std::span<const Expr> inputs, std::span<const Expr> laws);
  void look_at_laws();
  double range(const Feature&) const;
  double off_chord(const Feature&, double duration) const;

  std::size_t inputs_ = 0;
  Ranges ranges_;
  // the expressions whole, where some branch depends on the motion
  Ranges laws_;
  std::vector<Register> law_at_;
  std::vector<char> matters_;  // of the registers
  bool looked_ = false;        // at the present piece
  std::vector<Feature> features_;
  std::vector<Switch> switches_;
  bool gentle_ = false;
};

}  // namespace escapement
