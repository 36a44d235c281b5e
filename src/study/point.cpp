#include "study/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "math/expression_parser.hpp"

namespace escapement::inline study {

namespace {

// "a.b.c" -> {"a", "b.c"}
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

double value_at(const Point& point, std::string_view name) {
  if (!point.done) throw LeftOut();
  if (const auto value = names_of(point)(name)) return *value;
  throw std::runtime_error(fmt::format("there is no value '{}'", name));
}

}  // namespace

double evaluate(const std::string& expression, const Lookup& lookup) {
  ExpressionGraph graph;
  Symbols symbols;
  std::map<Expr, double> values;
  for (const UsedName& used : names_in_expression(expression)) {
    const auto value = lookup(used.name);
    if (!value)
      throw std::runtime_error(fmt::format("there is no value '{}' for the expression '{}'", used.name, expression));
    const Expr variable = graph.variable(used.name);
    symbols.add(used.name, variable);
    values[variable] = *value;
  }
  return graph.evaluate(parse_expression(graph, expression, symbols), values);
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return "unbounded";
  if (value == std::round(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string fill_in(const std::string& text, const Lookup& lookup) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      filled += text[i];
      continue;
    }
    filled += number_text(evaluate(text.substr(i + 1, end - i - 1), lookup));
    i = end;
  }
  return filled;
}

std::vector<double> column_of(const Point& point, const std::string& expression) {
  if (const auto it = point.columns.find(expression); it != point.columns.end()) return it->second;
  ExpressionGraph graph;
  Symbols symbols;
  std::map<Expr, double> values;
  std::vector<std::pair<Expr, const std::vector<double>*>> columns;
  std::size_t size = SIZE_MAX;
  for (const UsedName& used : names_in_expression(expression)) {
    const Expr variable = graph.variable(used.name);
    symbols.add(used.name, variable);
    if (const auto it = point.columns.find(used.name); it != point.columns.end()) {
      columns.emplace_back(variable, &it->second);
      size = std::min(size, it->second.size());
    } else if (const auto value = names_of(point)(used.name)) {
      values[variable] = *value;
    } else {
      throw std::runtime_error(fmt::format("there is no column or value '{}' for '{}'", used.name, expression));
    }
  }
  if (columns.empty()) throw std::runtime_error(fmt::format("'{}' uses no column", expression));
  const Expr e = parse_expression(graph, expression, symbols);
  std::vector<double> result(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (const auto& [variable, column] : columns) values[variable] = (*column)[i];
    result[i] = graph.evaluate(e, values);
  }
  return result;
}

Lookup names_of(const Point& point) {
  return [&point](std::string_view name) -> std::optional<double> {
    if (const auto it = point.values.find(name); it != point.values.end()) return it->second;
    const auto [how, rest] = split(name);
    const auto column = point.columns.find(rest);
    if (column == point.columns.end() || column->second.empty()) return std::nullopt;
    const std::vector<double>& x = column->second;
    if (how == "min") return *std::min_element(x.begin(), x.end());
    if (how == "max") return *std::max_element(x.begin(), x.end());
    if (how == "mean") return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    if (how == "last") return x.back();
    return std::nullopt;
  };
}

Lookup names_of(const CaseResults& results) { return names_of(results, -1); }

namespace {

// FAMILY.least.NAME, most, count: over the cases of a grid at the point of this number, those that came to their end
// and found what they looked for
std::optional<double> over_family(const CaseResults& results, std::string_view family, std::string_view rest,
                                  int here) {
  const std::string prefix = std::string(family) + "#";
  const auto [which, measure] = split(rest);
  double least = INFINITY, most = -INFINITY;
  int count = 0;
  const auto first = results.lower_bound(prefix);
  if (first == results.end() || !first->first.starts_with(prefix)) return std::nullopt;
  for (auto it = first; it != results.end() && it->first.starts_with(prefix); ++it) {
    if (here < 0) return std::nullopt;
    if (here >= static_cast<int>(it->second.points.size())) continue;
    const Point& point = it->second.points[here];
    if (!point.done) throw LeftOut();
    const auto failed = [&](const char* name) {
      const auto value = point.values.find(name);
      return value != point.values.end() && value->second == 0;
    };
    if (failed("completed") || failed("met")) continue;
    ++count;
    if (measure.empty()) continue;
    const double value = value_at(point, measure);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (which == "count") return count;
  if (which == "least") return count > 0 ? least : NAN;
  if (which == "most") return count > 0 ? most : NAN;
  return std::nullopt;
}

}  // namespace

Lookup names_of(const CaseResults& results, int here) {
  return [&results, here](std::string_view name) -> std::optional<double> {
    const auto [case_name, rest] = split(name);
    const auto it = results.find(case_name);
    if (rest.empty()) return std::nullopt;
    if (it == results.end()) return over_family(results, case_name, rest, here);
    const CaseResult& result = it->second;
    const auto [which, measure] = split(rest);
    if (which == "here" && here >= 0 && here < static_cast<int>(result.points.size()))
      return value_at(result.points[here], measure);
    int index = 0;
    const auto [end, error] = std::from_chars(which.data() + 1, which.data() + which.size(), index);
    if (which[0] == 'p' && error == std::errc{} && end == which.data() + which.size()) {
      if (index < 1 || index > static_cast<int>(result.points.size())) return std::nullopt;
      return value_at(result.points[index - 1], measure);
    }
    std::vector<double> y;
    for (const Point& point : result.points) y.push_back(value_at(point, measure));  // the quick version may lack one
    if (which == "first") return y.front();
    if (which == "last") return y.back();
    if (which == "min") return *std::min_element(y.begin(), y.end());
    if (which == "max") return *std::max_element(y.begin(), y.end());
    if (which == "slope") return log_slope(result.varied, y);
    return std::nullopt;
  };
}

double log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0) || !(y[i] > 0) || !std::isfinite(y[i])) continue;
    const double a = std::log(x[i]), b = std::log(y[i]);
    n += 1, sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace escapement
