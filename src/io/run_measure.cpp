#include "io/run_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "math/expression_parser.hpp"

namespace escapement::inline io {

namespace {

constexpr std::string_view reductions[] = {"max", "min", "mean", "final", "initial", "first", "count"};  // as Reduction
constexpr const char* summary_names[] = {"impacts",     "steps",        "rejected_steps", "work",
                                         "penetration", "energy_error", "end_time"};

std::vector<double> summary_values(const Summary& s) {
  return {static_cast<double>(s.impacts), static_cast<double>(s.steps), static_cast<double>(s.rejected_steps),
          static_cast<double>(s.work),    s.max_penetration,            s.energy.max_error,
          s.t};
}

struct Call {
  std::size_t begin, inner, end;  // of the name, of the text between the brackets, after them
  int kind;
};

// the first max(...), mean(...) of one argument; max and min of several are functions like any other
bool find_call(const std::string& text, std::size_t from, Call& call) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (!std::isalpha(static_cast<unsigned char>(text[i]))) continue;
    std::size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' ||
                                 text[end] == '.' || text[end] == '\''))
      ++end;
    const std::string_view word(text.data() + i, end - i);
    const auto* kind = std::find(std::begin(reductions), std::end(reductions), word);
    std::size_t open = end;
    while (open < text.size() && text[open] == ' ') ++open;
    if (kind == std::end(reductions) || open >= text.size() || text[open] != '(') {
      i = end - 1;
      continue;
    }
    int depth = 0;
    bool several = false;
    std::size_t close = open;
    for (; close < text.size(); ++close) {
      depth += (text[close] == '(') - (text[close] == ')');
      several = several || (text[close] == ',' && depth == 1);
      if (depth == 0) break;
    }
    if (close == text.size() || several) {
      i = end - 1;
      continue;
    }
    call = {i, open + 1, close + 1, static_cast<int>(kind - std::begin(reductions))};
    return true;
  }
  return false;
}

}  // namespace

std::vector<std::pair<std::string, Column>> measured_columns(const Result& r) {
  std::vector<std::pair<std::string, Column>> list{{"t", r.time}};
  for (std::size_t k = 0; k < r.q.columns(); ++k) list.emplace_back(r.q.names()[k], r.q[k]);
  const std::set<std::string> coordinates(r.q.names().begin(), r.q.names().end());
  for (std::size_t k = 0; k < r.v.columns(); ++k) {
    const std::string& name = r.v.names()[k];
    list.emplace_back(name + "'", r.v[k]);
    if (coordinates.contains(name)) continue;
    // velocities of bodies in space have names of their own, body.vx also that of the rate of body.x
    list.emplace_back(name, r.v[k]);
    const std::size_t dot = name.rfind('.');
    if (dot != std::string::npos && name[dot + 1] == 'v')
      list.emplace_back(name.substr(0, dot + 1) + name.substr(dot + 2) + "'", r.v[k]);
  }
  for (std::size_t k = 0; k < r.states.columns(); ++k) list.emplace_back(r.states.names()[k], r.states[k]);
  const std::size_t others = 1 + r.q.columns() + r.v.columns() + r.states.columns();  // named as in CSV files
  const std::vector<std::pair<std::string, Column>> named = named_columns(r);
  list.insert(list.end(), named.begin() + static_cast<std::ptrdiff_t>(others), named.end());
  for (std::size_t k = 0; k < r.contacts.force.columns(); ++k)
    list.emplace_back(r.contacts.force.names()[k] + ".force", r.contacts.force[k]);
  return list;
}

RunMeasure::RunMeasure(const std::string& text, const Result& like, const std::vector<std::string>& parameters) {
  ExpressionGraph graph;
  Symbols columns, outside;
  std::vector<Expr> column_inputs, inputs;
  for (const auto& [name, values] : measured_columns(like)) {
    column_inputs.push_back(graph.variable(name));
    columns.add(name, column_inputs.back());
    outside.refuse(
        name, fmt::format("'{0}' is a column of a run, not a number; write max({0}), min({0}), mean({0}) or final({0})",
                          name));
  }
  for (const char* name : summary_names) {
    inputs.push_back(graph.variable(std::string("summary ") + name));
    outside.add(name, inputs.back());
  }
  for (const std::string& name : parameters) {
    inputs.push_back(graph.variable("parameter " + name));
    outside.add(name, inputs.back());
    if (!columns.find(name)) columns.refuse(name, "parameters belong outside of the brackets");
  }

  // each aggregate becomes a name, padded to the length of what it stands for so that places in messages stay right
  std::string rest = text;
  Call call{};
  for (std::size_t from = 0; find_call(rest, from, call); from = call.end) {
    const std::string inner = rest.substr(call.inner, call.end - 1 - call.inner);
    Expr e;
    try {
      e = parse_expression(graph, inner, columns);
    } catch (const ExpressionError& error) {
      throw ExpressionError(call.inner + error.offset, error.what());
    }
    Aggregate a{static_cast<Reduction>(call.kind), inner, call.inner, {}, {}};
    std::vector<Expr> used;
    for (std::size_t k = 0; k < column_inputs.size(); ++k)
      if (graph.depends_on(e, column_inputs[k])) {
        a.columns.push_back(static_cast<int>(k));
        used.push_back(column_inputs[k]);
      }
    const std::vector<Expr> outputs{e};
    a.program = Program(graph, used, outputs);
    std::string name = "a" + std::to_string(aggregates_.size());
    name.resize(std::max(name.size(), call.end - call.begin), '_');
    inputs.push_back(graph.variable(name));
    outside.add(name, inputs.back());
    rest.replace(call.begin, call.end - call.begin, name);
    aggregates_.push_back(std::move(a));
  }
  const std::vector<Expr> outputs{parse_expression(graph, rest, outside)};
  program_ = Program(graph, inputs, outputs);
  for (std::size_t i = 0; i < std::size(summary_names); ++i) used_.push_back(graph.depends_on(outputs[0], inputs[i]));
}

bool RunMeasure::uses(std::string_view summary_name) const {
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (summary_name == summary_names[i]) return used_[i];
  return false;
}

double RunMeasure::aggregate(const Aggregate& a, const std::vector<std::pair<std::string, Column>>& columns) const {
  const Column& time = columns.front().second;
  const std::size_t n = time.size();
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> in(a.columns.size()), scratch(a.program.scratch_size());
  auto value = [&](std::size_t i) {
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = columns[static_cast<std::size_t>(a.columns[k])].second[i];
    double out = 0;
    a.program.run(in.data(), &out, scratch.data());
    return out;
  };
  if (a.kind == Reduction::final) return value(n - 1);
  if (a.kind == Reduction::initial) return value(0);
  if (a.kind == Reduction::first) {  // time at which it holds
    for (std::size_t i = 0; i < n; ++i)
      if (value(i) != 0) return time[i];
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (a.kind == Reduction::count) {  // how often it becomes true
    double times = 0, last = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = value(i);
      times += x != 0 && last == 0;
      last = x;
    }
    return times;
  }
  double best = value(0), before = best, integral = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const double x = value(i);
    if (a.kind == Reduction::max ? x > best : x < best) best = x;
    integral += 0.5 * (x + before) * (time[i] - time[i - 1]);
    before = x;
  }
  if (a.kind != Reduction::mean) return best;
  const double span = time.back() - time.front();
  return span > 0 ? integral / span : before;  // over time, by the trapezoidal rule
}

double RunMeasure::operator()(const std::vector<std::pair<std::string, Column>>& columns, const Summary& summary,
                              const std::vector<double>& parameters) const {
  std::vector<double> values;
  for (const Aggregate& a : aggregates_) values.push_back(aggregate(a, columns));
  return combine(summary, parameters, values);
}

double RunMeasure::combine(const Summary& summary, const std::vector<double>& parameters, std::span<const double> aggregates) const {
  std::vector<double> in = summary_values(summary);
  in.insert(in.end(), parameters.begin(), parameters.end());
  in.insert(in.end(), aggregates.begin(), aggregates.end());
  std::vector<double> scratch(program_.scratch_size());
  double out = 0;
  program_.run(in.data(), &out, scratch.data());
  return out;
}

}  // namespace escapement
