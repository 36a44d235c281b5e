#include "math/expression_watch.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "math/program_lowering.hpp"
#include "math/table.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline math {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr Register no_register = ~Register(0);

// A feature may differ from its chord on a piece by this part of its range: then a step over the piece, whose stages and
// looks lie within it, sees that it is there. Half of the range leaves a sine four steps per period, and a bump two
constexpr double chord_part = 0.5;
// a feature without bound is judged by what it has been; at first it has no range but a size
constexpr double of_its_size = 0.1;
// a bump that takes up less of a feature's range over the whole run is none: nothing within a step is described more closely
constexpr double least_bump = little::touching_fit;
constexpr int narrow_power = 3;     // squares are no more narrow than what they are of
constexpr double gentle_angle = 1;  // radian: the chord of a sine is then within a tenth of its range

bool is_feature(Code code) {
  switch (code) {
    case Code::divide:
    case Code::square_root:
    case Code::sine_cosine:
    case Code::sine:
    case Code::cosine:
    case Code::tangent:
    case Code::arc_sine:
    case Code::arc_cosine:
    case Code::arc_tangent:
    case Code::hyperbolic_sine:
    case Code::hyperbolic_cosine:
    case Code::hyperbolic_tangent:
    case Code::exponential:
    case Code::logarithm:
    case Code::table:
    case Code::arc_tangent2:
    case Code::power:
      return true;
    default:
      return false;
  }
}

bool is_wave(Code code) { return code == Code::sine || code == Code::cosine || code == Code::sine_cosine; }

// Powers above 1 of what begins at 0, x = max(y, 0), begin flat and are no more narrow than squares, which are none: x^1.5, and the root
// in x*sqrt(x). A feature without bound would be judged by what it has been, which is nothing
class FlatPowers {
 public:
  explicit FlatPowers(const BasicProgram& program) : program_(program) {
    if (std::none_of(program.code.begin(), program.code.end(), [](const Instruction& i) { return i.code == Code::maximum; })) return;
    made_by_.resize(program.registers);
    uses_.resize(program.registers);
    for (const Instruction& i : program.code) {
      made_by_[i.targets[0]] = &i;
      for (int k = 0; k < i.reads; ++k) uses_[i.operands[std::size_t(k)]].push_back(&i);
    }
  }
  bool is_part(const Instruction& i) const {
    if (i.code != Code::power && i.code != Code::square_root) return false;
    const Instruction* const base = made_by_.empty() ? nullptr : made_by_[i.operands[0]];
    if (!base || base->code != Code::maximum) return false;
    if (i.code == Code::power) return i.operands[1] < program_.constants.size() && program_.constants[i.operands[1]] > 1;
    return always_with(i.targets[0], i.operands[0]);
  }

 private:
  // is a register used in products alone of which x is a factor?
  bool always_with(Register one, Register x) const {
    bool is_read = std::find(program_.outputs.begin(), program_.outputs.end(), one) == program_.outputs.end();
    for (const Instruction* i : uses_[one]) {
      if (i->code != Code::multiply) return false;
      const Register other = i->operands[0] == one ? i->operands[1] : i->operands[0];
      if (!has_factor(other, x) && !always_with(i->targets[0], x)) return false;
    }
    return is_read;
  }
  bool has_factor(Register product, Register x) const {
    if (product == x) return true;
    const Instruction* const i = made_by_[product];
    return i && i->code == Code::multiply && (has_factor(i->operands[0], x) || has_factor(i->operands[1], x));
  }

  const BasicProgram& program_;
  std::vector<const Instruction*> made_by_;            // by register
  std::vector<std::vector<const Instruction*>> uses_;
};

bool is_switch(Code code) {
  switch (code) {
    case Code::absolute:
    case Code::sign:
    case Code::minimum:
    case Code::maximum:
    case Code::less:
    case Code::less_equal:
    case Code::equal:
    case Code::not_equal:
      return true;
    default:
      return false;
  }
}

// a high power of something that is not itself a sum of inputs: sin(t)^400
bool is_high_power(const ExpressionGraph& graph, const Node& node) {
  if (node.op != Op::product) return false;
  for (const Term& term : node.operands()) {
    const Op of = graph.node(term.operand).op;
    if (term.weight.value().plain() >= narrow_power && of != Op::variable && of != Op::linear) return true;
  }
  return false;
}

// nodes of the graph that lower to features or switches
bool is_watched(const Node& node) {
  switch (node.op) {
    case Op::constant:
    case Op::variable:
    case Op::linear:
    case Op::select:
      return false;
    case Op::product:
      for (const Term& term : node.operands()) {
        const double exponent = term.weight.value().plain();
        if (exponent < 0 || exponent != std::trunc(exponent)) return true;
      }
      return false;
    default:
      return true;
  }
}

bool depends_on_first_alone(const ExpressionGraph& graph, Expr e, Expr first) {
  for (Expr variable : graph.variables(e))
    if (variable != first) return false;
  return true;
}

std::vector<Expr> watched_nodes(const ExpressionGraph& graph, Expr first, std::span<const Expr> expressions,
                                ExpressionWatch::Which which) {
  std::vector<Expr> nodes;
  for (Expr e : graph.reachable(expressions))
    if ((is_watched(graph.node(e)) || is_high_power(graph, graph.node(e))) &&
        depends_on_first_alone(graph, e, first) == (which == ExpressionWatch::Which::of_first_input))
      nodes.push_back(e);
  return nodes;
}

Interval arc_tangent2(Interval y, Interval x) {
  const bool cut = x.low < 0 && y.contains(0), origin = x.contains(0) && y.contains(0);
  if (cut || origin) return {-std::numbers::pi, std::numbers::pi};
  const double corners[] = {std::atan2(y.low, x.low), std::atan2(y.low, x.high), std::atan2(y.high, x.low),
                            std::atan2(y.high, x.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

// a choice between two by the sign of a - b
struct Choice {
  bool first, second;
};
Choice choose(Interval difference, bool all_branches) {
  if (all_branches && difference.low <= 0 && difference.high >= 0) return {true, true};
  const bool first = !(difference.centre() > 0);
  return {first, !first};
}

Interval truth(bool yes, bool no) { return {no ? 0.0 : 1.0, yes ? 1.0 : 0.0}; }

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return {escapement::hull(a.value, b.value), escapement::hull(a.rate, b.rate)};
}

}  // namespace

ExpressionWatch::ExpressionWatch(const ExpressionGraph& graph, std::span<const Expr> inputs,
                                 std::span<const Expr> expressions, Which which)
    : inputs_(inputs.size()) {
  const std::vector<Expr> nodes = watched_nodes(graph, inputs[0], expressions, which);
  if (nodes.empty()) return;
  ranges_.set(lower(graph, which == Which::of_first_input ? inputs.first(1) : inputs, nodes));
  if (which == Which::of_first_input) inputs_ = 1;

  // what each register depends on: nothing, the first input, others too
  const BasicProgram& program = ranges_.program;
  std::vector<char> depends(program.registers, 0);
  for (std::size_t i = 0; i < inputs_; ++i) depends[program.first_input() + i] = i == 0 ? 1 : 2;
  for (const Instruction& i : program.code) {
    char most = 0;
    for (int k = 0; k < i.reads; ++k) most = std::max(most, depends[i.operands[std::size_t(k)]]);
    for (int k = 0; k < i.writes; ++k) depends[i.targets[std::size_t(k)]] = most;
  }
  if (which == Which::of_others)
    for (char& d : depends) d = d == 2;
  find_features(depends, nodes, graph);
  find_gentle();
  find_readers(graph, expressions, nodes);
  if (which == Which::of_others && !switches_.empty()) find_laws(graph, inputs, expressions);
}

// nodes: what the program's outputs are
void ExpressionWatch::find_features(const std::vector<char>& depends, const std::vector<Expr>& nodes, const ExpressionGraph& graph) {
  std::vector<Expr> node_of(ranges_.program.registers, Expr{-1});
  for (std::size_t k = 0; k < nodes.size(); ++k) node_of[ranges_.program.outputs[k]] = nodes[k];
  const FlatPowers flat(ranges_.program);
  for (const Instruction& i : ranges_.program.code) {
    if (!depends[i.targets[0]]) continue;
    const Expr node = node_of[i.targets[0]];
    const bool scaled = i.code == Code::divide && i.operands[1] < ranges_.program.constants.size();
    if (is_feature(i.code) && !scaled && !flat.is_part(i))
      for (int k = 0; k < i.writes; ++k) {
        features_.push_back({i.targets[std::size_t(k)]});
        features_.back().wave = is_wave(i.code);
      }
    else if (node.id >= 0 && is_high_power(graph, graph.node(node))) {
      features_.push_back({i.targets[0]});
      features_.back().if_bounded = true;
    }
    if (is_switch(i.code)) {
      const bool alone = i.code == Code::absolute || i.code == Code::sign;
      const bool bends = i.code == Code::absolute || i.code == Code::minimum || i.code == Code::maximum;
      switches_.push_back({.a = i.operands[0], .b = alone ? 0 : i.operands[1], .against_zero = alone, .node = node, .jumps = !bends});
    }
    if (i.code == Code::table && ranges_.program.calls[i.call].order < 2) {
      const Table& table = *ranges_.program.calls[i.call].table;
      for (double corner : table.corners())
        switches_.push_back({i.operands[0], 0, false, true, corner, table.period(), node});
    }
  }
}

void ExpressionWatch::find_gentle() {
  // weights of the inputs where a register is a sum of them
  std::vector<std::vector<double>> weights(ranges_.program.registers);
  for (std::size_t i = 0; i < ranges_.program.constants.size(); ++i) weights[i].assign(inputs_, 0);
  for (std::size_t i = 0; i < inputs_; ++i) {
    weights[ranges_.program.first_input() + i].assign(inputs_, 0);
    weights[ranges_.program.first_input() + i][i] = 1;
  }
  const auto is_constant = [&](Register r) { return r < ranges_.program.constants.size(); };
  std::size_t next = 0;
  gentle_ = switches_.empty();
  for (const Instruction& i : ranges_.program.code) {
    const Register a = i.operands[0], b = i.operands[1];
    std::vector<double>& out = weights[i.targets[0]];
    const auto combine = [&](double of_a, double of_b) {
      if (weights[a].empty() || weights[b].empty()) return;
      out.resize(inputs_);
      for (std::size_t k = 0; k < inputs_; ++k) out[k] = of_a * weights[a][k] + of_b * weights[b][k];
    };
    if (i.code == Code::add) combine(1, 1);
    if (i.code == Code::subtract) combine(1, -1);
    if (i.code == Code::negate && !weights[a].empty()) combine(-1, 0);
    if (i.code == Code::multiply && is_constant(a)) combine(0, ranges_.program.constants[a]);
    if (i.code == Code::multiply && is_constant(b)) combine(ranges_.program.constants[b], 0);
    if (i.code == Code::divide && is_constant(b)) combine(1 / ranges_.program.constants[b], 0);
    while (next < features_.size() &&
           (features_[next].node == i.targets[0] || (i.writes > 1 && features_[next].node == i.targets[1]))) {
      Feature& feature = features_[next++];
      gentle_ = gentle_ && feature.wave && !weights[a].empty();
      if (!gentle_) return;
      for (std::size_t k = 0; k < inputs_; ++k)
        if (weights[a][k] != 0) feature.argument.emplace_back(int(k), weights[a][k]);
      // what moves like another one's is looked at there
      const auto same = [&](const Feature& other) { return &other != &feature && other.argument == feature.argument; };
      if (std::any_of(features_.begin(), features_.begin() + std::ptrdiff_t(next), same)) feature.argument.clear();
    }
  }
}

// which features are read by others alone?
void ExpressionWatch::find_readers(const ExpressionGraph& graph, std::span<const Expr> laws, const std::vector<Expr>& nodes) {
  // those that a register shows, other than through features
  std::vector<std::vector<int>> shows(ranges_.program.registers);
  std::vector<int> feature_at(ranges_.program.registers, -1);
  for (std::size_t k = 0; k < features_.size(); ++k) feature_at[features_[k].node] = int(k);
  for (const Instruction& i : ranges_.program.code)
    for (int w = 0; w < i.writes; ++w) {
      const Register target = i.targets[std::size_t(w)];
      const int here = feature_at[target];
      for (int k = 0; k < i.reads; ++k)
        for (int f : shows[i.operands[std::size_t(k)]]) {
          std::vector<int>& out = here >= 0 ? features_[std::size_t(f)].readers : shows[target];
          if (std::find(out.begin(), out.end(), here >= 0 ? here : f) == out.end()) out.push_back(here >= 0 ? here : f);
        }
      if (here >= 0) shows[target] = {here};
    }
  std::vector<Register> place(std::size_t(graph.size()), no_register);
  for (std::size_t k = 0; k < nodes.size(); ++k) place[std::size_t(nodes[k].id)] = ranges_.program.outputs[k];
  std::vector<char> seen(std::size_t(graph.size()), 0);
  std::vector<Expr> open(laws.begin(), laws.end());
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (std::exchange(seen[std::size_t(e.id)], 1)) continue;
    const Register at = place[std::size_t(e.id)];
    if (at != no_register)
      for (int f : shows[at]) features_[std::size_t(f)].bare = true;
    else
      for (const Term& term : graph.node(e).operands()) open.push_back(term.operand);
  }
}

// what has no bound itself may be seen through what has one alone, like exp in 1/(1 + exp(-t)): that tells where it matters
bool ExpressionWatch::is_read_through_bounds(const Feature& f) const {
  return !f.bare && std::all_of(f.readers.begin(), f.readers.end(), [&](int k) {
    const Feature& reader = features_[std::size_t(k)];
    return reader.watched && reader.size < unbounded;
  });
}

bool ExpressionWatch::resolved_gently(const double* from, const double* to) const {
  for (const Feature& f : features_) {
    double moved = 0;
    for (const auto& [input, weight] : f.argument) moved += weight * (to[input] - from[input]);
    if (!(std::abs(moved) <= gentle_angle)) return false;
  }
  return true;
}

void ExpressionWatch::begin(std::span<const Enclosure> whole) {
  ranges_.run(whole, true);
  for (Feature& f : features_) {
    f.size = ranges_[f.node].value.width();
    if (std::isnan(f.size)) f.size = unbounded;
    f.watched = !f.if_bounded || f.size < unbounded;
    f.met = false;
  }
  for (Feature& f : features_)
    if (!(f.size < unbounded) && is_read_through_bounds(f)) f.watched = false;
}

// what it is measured by
double ExpressionWatch::range(const Feature& f) const {
  if (f.size < unbounded) return f.size;
  const Interval here = ranges_[f.node].value;
  return f.met ? std::max(f.seen.width(), of_its_size * f.seen.largest()) : of_its_size * std::abs(here.centre());
}

double ExpressionWatch::off_chord(const Feature& f, double duration) const {
  const Enclosure& e = ranges_[f.node];
  return std::min(0.25 * e.rate.width() * duration, e.value.width());
}

bool ExpressionWatch::resolved(double duration) const {
  for (const Feature& f : features_)
    if (f.watched && !(off_chord(f, duration) <= chord_part * range(f))) return false;
  return true;
}

bool ExpressionWatch::needs_parts(double duration) {
  bool any = false;
  for (Feature& f : features_) {
    f.in_parts = false;
    if (!f.watched || f.wave) continue;
    const double off = off_chord(f, duration);
    if (off <= least_bump * range(f)) continue;
    // it rises or falls, and never much slower than elsewhere on the piece
    const Interval rate = ranges_[f.node].rate;
    const double least = rate.low > 0 ? rate.low : rate.high < 0 ? -rate.high : 0;
    f.in_parts = !(off <= chord_part * least * duration);
    any = any || f.in_parts;
  }
  return any;
}

void ExpressionWatch::enclose_part(int k, std::span<const Enclosure> part, double duration) {
  enclose(part);
  for (Feature& f : features_) {
    if (!f.in_parts) continue;
    const double off = off_chord(f, duration);
    f.off = k > 0 ? std::max(f.off, off) : off;
    f.here = k > 0 ? escapement::hull(f.here, ranges_[f.node].value) : ranges_[f.node].value;
  }
}

bool ExpressionWatch::parts_resolved() const {
  return std::all_of(features_.begin(), features_.end(), [&](const Feature& f) {
    return !f.in_parts || f.off <= std::max(chord_part * f.here.width(), least_bump * range(f));
  });
}

void ExpressionWatch::remember() {
  for (Feature& f : features_) {
    if (!f.watched || f.size < unbounded) continue;
    const Interval& now = ranges_[f.node].value;
    if (!std::isfinite(now.low) || !std::isfinite(now.high)) continue;
    f.seen = f.met ? escapement::hull(f.seen, now) : now;
    f.met = true;
  }
}

Enclosure ExpressionWatch::switching(int k) const {
  const Switch& s = switches_[std::size_t(k)];
  const Enclosure& a = ranges_[s.a];
  if (s.against_zero) return a;
  if (s.at_corner) {
    const Interval corner{s.corner, s.corner}, off = a.value - corner;
    if (s.period == 0) return {off, a.rate};
    const double turn = std::numbers::pi / s.period;  // a wave that vanishes at the corner of every period
    const Interval angle = Interval{turn, turn} * off;
    return {sine(angle), Interval{turn, turn} * (cosine(angle) * a.rate)};
  }
  const Enclosure& b = ranges_[s.b];
  return {a.value - b.value, a.rate - b.rate};
}

bool ExpressionWatch::unsettled(int k) const {
  const Interval value = switching(k).value;
  return !(value.low > 0 || value.high < 0);
}

void ExpressionWatch::find_laws(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> laws) {
  std::vector<Expr> outputs;
  for (const Switch& one : switches_) outputs.push_back(one.node);
  outputs.insert(outputs.end(), laws.begin(), laws.end());
  laws_.set(lower(graph, inputs, outputs));
  for (std::size_t k = 0; k < switches_.size(); ++k) switches_[k].in_laws = laws_.program.outputs[k];
  law_at_.assign(laws_.program.outputs.begin() + std::ptrdiff_t(switches_.size()), laws_.program.outputs.end());
}

bool ExpressionWatch::matters(int k) {
  if (law_at_.empty()) return true;  // of the time alone
  if (!looked_) look_at_laws();
  looked_ = true;
  return matters_[switches_[std::size_t(k)].in_laws];
}

// from the laws back to what they are made of, but not to what cannot reach them with the ranges that all branches have together
void ExpressionWatch::look_at_laws() {
  laws_.run({ranges_.registers.data() + ranges_.program.first_input(), inputs_}, true);
  matters_.assign(laws_.program.registers, 0);
  for (const Register r : law_at_) matters_[r] = 1;
  const auto is_zero = [&](Register r) { return laws_[r].value.low == 0 && laws_[r].value.high == 0; };
  const std::vector<Instruction>& code = laws_.program.code;
  for (auto i = code.rbegin(); i != code.rend(); ++i) {
    if (!matters_[i->targets[0]] && !(i->writes > 1 && matters_[i->targets[1]])) continue;
    const auto [a, b, c] = i->operands;
    std::array<bool, 3> reaches{true, true, true};
    if (i->code == Code::multiply && a != b) reaches = {!is_zero(b), !is_zero(a), true};
    if (i->code == Code::select && laws_[a].value.is_point()) reaches = {true, laws_[a].value.low != 0, laws_[a].value.low == 0};
    if (i->code == Code::minimum || i->code == Code::maximum) {
      const Interval difference = laws_[a].value - laws_[b].value;
      const bool least = i->code == Code::minimum;
      if (difference.high < 0) reaches = {least, !least, true};
      if (difference.low > 0) reaches = {!least, least, true};
    }
    for (std::size_t k = 0; k < i->reads; ++k)
      if (reaches[k]) matters_[i->operands[k]] = 1;
  }
}

void ExpressionWatch::Ranges::set(BasicProgram all) {
  program = std::move(all);
  registers.resize(program.registers);
  for (std::size_t i = 0; i < program.constants.size(); ++i) registers[i] = {{program.constants[i], program.constants[i]}, {0, 0}};
}

void ExpressionWatch::Ranges::run(std::span<const Enclosure> in, bool all_branches) {
  std::copy(in.begin(), in.begin() + std::ptrdiff_t(program.inputs), registers.begin() + program.first_input());
  for (const Instruction& i : program.code) {
    Enclosure second;
    registers[i.targets[0]] = operate(i, all_branches, second);
    if (i.writes > 1) registers[i.targets[1]] = second;
  }
}

Enclosure ExpressionWatch::Ranges::operate(const Instruction& i, bool all_branches, Enclosure& second) const {
  const Enclosure &a = registers[i.operands[0]], &b = registers[i.operands[1]];
  const Interval x = a.value, y = b.value;
  const auto chain = [&](Interval value, Interval slope) { return Enclosure{value, slope * a.rate}; };
  const auto decide = [&](bool when_less, bool when_equal) {
    const Choice c = choose(x - y, all_branches);
    const bool may_be_equal = all_branches ? c.first && c.second : (x - y).is_point() && x.low == y.low;
    if (may_be_equal && !all_branches) return Enclosure{truth(when_equal, !when_equal), {0, 0}};
    const bool yes = (c.first && when_less) || (c.second && !when_less);
    const bool no = (c.first && !when_less) || (c.second && when_less);
    return Enclosure{truth(yes, no), {0, 0}};
  };
  switch (i.code) {
    case Code::copy:
      return a;
    case Code::add:
      return {x + y, a.rate + b.rate};
    case Code::subtract:
      return {x - y, a.rate - b.rate};
    case Code::negate:
      return {-x, -a.rate};
    case Code::multiply:
      if (i.operands[0] == i.operands[1]) return {square(x), Interval{2, 2} * (x * a.rate)};
      return {x * y, a.rate * y + x * b.rate};
    case Code::divide: {
      const Interval value = x / y;
      return {value, (a.rate - value * b.rate) / y};
    }
    case Code::square_root: {
      const Interval value = square_root(x);
      return {value, a.rate / (Interval{2, 2} * value)};
    }
    case Code::sine_cosine:
      second = chain(cosine(x), -sine(x));
      return chain(sine(x), cosine(x));
    case Code::sine:
      return chain(sine(x), cosine(x));
    case Code::cosine:
      return chain(cosine(x), -sine(x));
    case Code::tangent: {
      const Interval c = cosine(x);
      const Interval value = c.contains(0) ? Interval::everything() : rising(x, [](double u) { return std::tan(u); });
      return chain(value, Interval{1, 1} + square(value));
    }
    case Code::arc_sine:
    case Code::arc_cosine: {
      const Interval inside{std::clamp(x.low, -1.0, 1.0), std::clamp(x.high, -1.0, 1.0)};
      const Interval slope = Interval{1, 1} / square_root(Interval{1, 1} - square(inside));
      const Interval value = rising(inside, [](double u) { return std::asin(u); });
      if (i.code == Code::arc_sine) return chain(value, slope);
      return chain(Interval{0.5 * std::numbers::pi, 0.5 * std::numbers::pi} - value, -slope);
    }
    case Code::arc_tangent:
      return chain(rising(x, [](double u) { return std::atan(u); }), Interval{1, 1} / (Interval{1, 1} + square(x)));
    case Code::hyperbolic_sine:
    case Code::hyperbolic_cosine: {
      const Interval s = rising(x, [](double u) { return std::sinh(u); });
      const Interval c = square_root(Interval{1, 1} + square(s));
      return i.code == Code::hyperbolic_sine ? chain(s, c) : chain(c, s);
    }
    case Code::hyperbolic_tangent: {
      const Interval value = rising(x, [](double u) { return std::tanh(u); });
      return chain(value, Interval{1, 1} - square(value));
    }
    case Code::exponential: {
      const Interval value = rising(x, [](double u) { return std::exp(u); });
      return chain(value, value);
    }
    case Code::logarithm:
      return chain(rising(x, [](double u) { return u > 0 ? std::log(u) : -unbounded; }),
                   Interval{1, 1} / Interval{std::max(x.low, 0.0), std::max(x.high, 0.0)});
    case Code::absolute: {
      const Choice c = choose(x, all_branches);  // first: not above zero
      if (c.first && c.second) return {{0, x.largest()}, escapement::hull(a.rate, -a.rate)};
      return c.first ? Enclosure{-x, -a.rate} : a;
    }
    case Code::sign: {
      const Choice c = choose(x, all_branches);
      if (!all_branches && x.is_point() && x.low == 0) return {{0, 0}, {0, 0}};
      return {{c.first ? -1.0 : 1.0, c.second ? 1.0 : -1.0}, {0, 0}};
    }
    case Code::table: {
      const TableCall& call = program.calls[i.call];
      return chain(call.table->range(x, call.order), call.table->range(x, call.order + 1));
    }
    case Code::arc_tangent2:
      return {arc_tangent2(x, y), (y * a.rate - x * b.rate) / (square(x) + square(y))};
    case Code::power:
      if (y.is_point()) return chain(power(x, y.low), y * power(x, y.low - 1));
      {
        const Interval u{std::max(x.low, 0.0), std::max(x.high, 0.0)};
        const Interval log = rising(u, [](double v) { return std::log(v); });
        const Interval value = rising(y * log, [](double v) { return std::exp(v); });
        return {value, value * (b.rate * log + y * (a.rate / u))};
      }
    case Code::minimum: {
      const Choice c = choose(x - y, all_branches);
      if (c.first && c.second)
        return {{std::min(x.low, y.low), std::min(x.high, y.high)}, escapement::hull(a.rate, b.rate)};
      return c.first ? a : b;
    }
    case Code::maximum: {
      const Choice c = choose(x - y, all_branches);
      if (c.first && c.second)
        return {{std::max(x.low, y.low), std::max(x.high, y.high)}, escapement::hull(a.rate, b.rate)};
      return c.first ? b : a;
    }
    case Code::less:
      return decide(true, false);
    case Code::less_equal:
      return decide(true, true);
    case Code::equal:
    case Code::not_equal: {
      if (all_branches) return {{0, 1}, {0, 0}};
      const bool same = x.is_point() && y.is_point() && x.low == y.low, yes = same == (i.code == Code::equal);
      return {truth(yes, !yes), {0, 0}};
    }
    case Code::select: {
      const Enclosure& c = registers[i.operands[2]];
      if (x.is_point()) return x.low != 0 ? b : c;
      return hull(b, c);
    }
  }
  return {Interval::everything(), Interval::everything()};
}

}  // namespace escapement
