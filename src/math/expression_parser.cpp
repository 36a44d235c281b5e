#include "math/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "math/expression_lexer.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline math {
namespace {

constexpr std::size_t longest_text = 100'000;
constexpr int deepest_nesting = 200;

struct Function {
  std::string_view name;
  Op op;
  std::size_t least, most;  // number of arguments
  std::string_view usage;
};

// clang-format off
constexpr Function functions[] = {
    {"sin", Op::sin, 1, 1, "sin(x)"},       {"cos", Op::cos, 1, 1, "cos(x)"},       {"tan", Op::tan, 1, 1, "tan(x)"},
    {"asin", Op::asin, 1, 1, "asin(x)"},    {"acos", Op::acos, 1, 1, "acos(x)"},    {"atan", Op::atan, 1, 1, "atan(x), or atan2(y, x)"},
    {"atan2", Op::atan2, 2, 2, "atan2(y, x)"},
    {"sinh", Op::sinh, 1, 1, "sinh(x)"},    {"cosh", Op::cosh, 1, 1, "cosh(x)"},    {"tanh", Op::tanh, 1, 1, "tanh(x)"},
    {"exp", Op::exp, 1, 1, "exp(x)"},       {"log", Op::log, 1, 1, "log(x), the natural logarithm"},
    {"sqrt", Op::power, 1, 1, "sqrt(x)"},   {"abs", Op::abs, 1, 1, "abs(x)"},       {"sign", Op::sign, 1, 1, "sign(x)"},
    {"min", Op::min, 2, longest_text, "min(a, b, ...)"},                            {"max", Op::max, 2, longest_text, "max(a, b, ...)"},
    {"if", Op::select, 3, 3, "if(condition, a, b)"},
};
constexpr std::string_view words[] = {"pi", "and", "or", "not"};
// clang-format on

// units in those of the model format, for names that a model does not define itself
struct Unit {
  std::string_view name;
  double value;
};
constexpr Unit units[] = {{"deg", std::numbers::pi / 180}, {"rpm", std::numbers::pi / 30}, {"mm", 0.001}, {"cm", 0.01},
                          {"kN", 1e3},                     {"MPa", 1e6},                   {"GPa", 1e9}};

const Unit* find_unit(std::string_view name) {
  const auto place = std::ranges::find(units, name, &Unit::name);
  return place == std::end(units) ? nullptr : place;
}

const Function* find_function(std::string_view name) {
  const auto place = std::ranges::find(functions, name, &Function::name);
  return place == std::end(functions) ? nullptr : place;
}

class Parser {
 public:
  Parser(ExpressionGraph& graph, std::string_view text, const Symbols& symbols)
      : graph_(graph), text_(text), symbols_(symbols), lexer_(text) {
    advance();
  }

  Expr parse_all() {
    if (token_.kind == TokenKind::end) throw ExpressionError(0, "an expression is expected, but the text is empty");
    const Expr result = parse_or();
    if (is(")")) fail("a ')' without its '('; remove it or add the '('");
    if (is(",")) fail("a ',' has a meaning only between the arguments of a function; write decimals with a point");
    if (token_.kind != TokenKind::end)
      fail(fmt::format("an operator is expected before {}{}", quote(token_.text),
                       token_.kind == TokenKind::name ? "; write * to multiply; units of SI are left out" : ""));
    return result;
  }

 private:
  // every nested parse holds one: the depth of recursion is bounded
  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > deepest_nesting)
        parser.fail(fmt::format("the expression is nested deeper than {} levels; split it up", deepest_nesting));
    }
    ~Nesting() { --depth; }
    int& depth;
  };

  [[noreturn]] void fail(const std::string& message) const { throw ExpressionError(token_.offset, message); }
  void advance() { token_ = lexer_.next(); }
  bool is(std::string_view symbol) const { return token_.kind == TokenKind::symbol && token_.text == symbol; }
  bool is_word(std::string_view word) const { return token_.kind == TokenKind::name && token_.text == word; }
  bool take(std::string_view symbol) { return is(symbol) ? (advance(), true) : false; }
  bool take_word(std::string_view word) { return is_word(word) ? (advance(), true) : false; }

  // 1/0, x/0 and sqrt(-1) are found where they stand
  Expr finite(Expr e, std::size_t offset) const {
    const Node& node = graph_.node(e);
    const auto is_finite = [](const Term& term) { return isfinite(term.weight.num); };
    if (isfinite(node.value) && std::ranges::all_of(node.operands(), is_finite)) return e;
    throw ExpressionError(offset, fmt::format("the value of {} is not a finite number", quote(text_from(offset))));
  }
  std::string_view text_from(std::size_t offset) const {
    const std::size_t end = token_.offset;
    std::string_view part = text_.substr(offset, end > offset ? end - offset : text_.npos);
    while (!part.empty() && (part.back() == ' ' || part.back() == '\n')) part.remove_suffix(1);
    return part;
  }

  Expr parse_or() {
    const Nesting nesting(*this);
    Expr result = parse_and();
    while (take_word("or")) result = graph_.logical_or(result, parse_and());
    return result;
  }

  Expr parse_and() {
    Expr result = parse_not();
    while (take_word("and")) result = graph_.logical_and(result, parse_not());
    return result;
  }

  Expr parse_not() {
    bool negated = false, any = false;
    while (take_word("not")) negated = !negated, any = true;
    const Expr result = parse_comparison();
    if (!any) return result;
    const Expr opposite = graph_.logical_not(result);
    return negated ? opposite : graph_.logical_not(opposite);
  }

  Expr parse_comparison() {
    const Expr left = parse_sum();
    const std::string_view sign = token_.text;
    if (!is_comparison()) return left;
    advance();
    const Expr right = parse_sum();
    if (is_comparison()) fail("comparisons cannot be chained; write a < b and b < c");
    if (sign == "<") return graph_.function(Op::less, left, right);
    if (sign == "<=") return graph_.function(Op::less_equal, left, right);
    if (sign == ">") return graph_.function(Op::less, right, left);
    if (sign == ">=") return graph_.function(Op::less_equal, right, left);
    return graph_.function(sign == "==" ? Op::equal : Op::not_equal, left, right);
  }

  bool is_comparison() const { return is("<") || is("<=") || is(">") || is(">=") || is("==") || is("!="); }

  // all terms are collected first: a long sum becomes one node
  Expr parse_sum() {
    const std::size_t start = token_.offset;
    const Expr first = parse_product();
    if (!is("+") && !is("-")) return first;
    std::vector<Term> terms{{first, {}}};
    while (is("+") || is("-")) {
      const double sign = is("+") ? 1 : -1;
      advance();
      terms.push_back({parse_product(), {sign, 1}});
    }
    return finite(graph_.combination(0, terms), start);
  }

  Expr parse_product() {
    const std::size_t start = token_.offset;
    Expr result = parse_sign();
    std::vector<Expr> factors{result};
    while (is("*") || is("/")) {
      const bool divide = is("/");
      advance();
      const Expr next = parse_sign();
      if (!divide && factors.size() < longest_run) {
        factors.push_back(next);
        continue;
      }
      result = graph_.product(factors);
      factors.assign({finite(divide ? graph_.div(result, next) : graph_.mul(result, next), start)});
    }
    return factors.size() == 1 ? factors[0] : finite(graph_.product(factors), start);
  }

  Expr parse_sign() {
    bool negative = false;
    while (is("-") || is("+")) negative ^= is("-"), advance();
    const Expr result = parse_power();
    return negative ? graph_.neg(result) : result;
  }

  Expr parse_power() {
    const std::size_t start = token_.offset;
    const Expr base = parse_atom();
    if (!take("^")) return base;
    const Nesting nesting(*this);
    const Expr exponent = parse_sign();
    return finite(graph_.pow(base, exponent), start);
  }

  Expr parse_atom() {
    const Token token = token_;
    if (token.kind == TokenKind::number) return advance(), graph_.constant(token.value);
    if (token.kind == TokenKind::name) return parse_name();
    if (take("(")) {
      const Expr result = parse_or();
      if (!take(")")) fail(missing_parenthesis(token.offset));
      return result;
    }
    if (token.kind == TokenKind::end) fail("the expression ends where a value is expected");
    fail(fmt::format("a value is expected before {}", quote(token.text)));
  }

  std::string missing_parenthesis(std::size_t opened) const {
    const auto found = token_.kind == TokenKind::end ? std::string("the end") : quote(token_.text);
    return fmt::format("a ')' is expected before {} to close the '(' at character {}", found, opened + 1);
  }

  Expr parse_name() {
    const Token name = token_;
    advance();
    if (is("(")) return parse_call(name);
    if (name.text == "pi") return graph_.constant(std::numbers::pi);
    if (const Expr* value = symbols_.find(name.text)) return *value;
    const Unit* unit = find_unit(name.text);
    if (unit && !symbols_.find_refusal(name.text) && !symbols_.find_table(name.text)) return graph_.constant(unit->value);
    fail_name(name);
  }

  [[noreturn]] void fail_name(const Token& name) const { throw ExpressionError(name.offset, name_error(name)); }

  // the sentence about a name that has no value
  std::string name_error(const Token& name) const {
    const std::string word = quote(name.text);
    if (const std::string* reason = symbols_.find_refusal(name.text))
      return fmt::format("{} cannot stand here: {}", word, *reason);
    if (const Function* function = find_function(name.text))
      return fmt::format("{} is a function; write {}", word, function->usage);
    if (symbols_.find_table(name.text)) return fmt::format("{} is a table; write it with an argument", word);
    if (is_reserved_name(name.text)) return fmt::format("a value is expected before {}", word);
    if (name.text.ends_with("''"))
      return fmt::format("{} has more than one rate mark; only first rates like x' can be used", word);
    std::vector<std::string> known = symbols_.known();
    known.push_back("pi");
    const std::string suggestion = did_you_mean(name.text, known);
    if (const std::string owned = names_of_owner(name.text, known); suggestion.empty() && !owned.empty())
      return fmt::format("the name {} is not known here; {}", word, owned);
    return fmt::format("the name {} is not known here{}", word,
                       suggestion.empty() ? "; check its spelling or define it" : suggestion);
  }

  // of box.theta: "box has x, y, angle"; empty when nothing is known of it
  static std::string names_of_owner(std::string_view name, const std::vector<std::string>& known) {
    constexpr std::size_t most = 12;
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos) return {};
    std::vector<std::string> parts;
    for (const std::string& one : known)
      if (one.starts_with(name.substr(0, dot + 1)) && !one.ends_with('\'')) parts.push_back(one.substr(dot + 1));
    if (parts.empty()) return {};
    const bool more = parts.size() > most;
    parts.resize(std::min(parts.size(), most));
    return fmt::format("'{}' has {}{}", name.substr(0, dot), fmt::join(parts, ", "), more ? " ..." : "");
  }

  Expr parse_call(const Token& name) {
    if (const auto* named = symbols_.find_call(name.text)) return call(name, *named);
    if (const auto* selector = symbols_.find_selector(name.text)) return select(name, *selector);
    const Function* function = find_function(name.text);
    const auto* table = symbols_.find_table(name.text);
    if (!function && !table) fail_call(name);
    const std::vector<Expr> arguments = parse_arguments();
    const std::size_t n = arguments.size(), least = function ? function->least : 1,
                      most = function ? function->most : 1;
    if (n < least || n > most)
      throw ExpressionError(
          name.offset, fmt::format("{} takes {}{} argument{}, but {} {} given; write {}", quote(name.text),
                                   most > least ? "at least " : "", least, least == 1 ? "" : "s", n,
                                   n == 1 ? "is" : "are", function ? function->usage : "one value between ( and )"));
    return finite(function ? call(*function, arguments) : graph_.table(*table, arguments[0]), name.offset);
  }

  Expr call(const Token& name, const Symbols::Call& named) {
    const std::vector<Expr> arguments = parse_arguments();
    try {
      return named(arguments);
    } catch (const std::invalid_argument& error) {
      throw ExpressionError(name.offset, error.what());
    }
  }

  // the name of what was selected, and what of it is meant
  Expr select(const Token& name, const Symbols::Selector& selector) {
    const std::vector<Expr> arguments = parse_arguments();
    std::string selected;
    try {
      selected = selector(arguments);
    } catch (const std::invalid_argument& error) {
      throw ExpressionError(name.offset, error.what());
    }
    if (token_.kind != TokenKind::name || !token_.text.starts_with('.'))
      throw ExpressionError(name.offset, fmt::format("{} is no number; write which of its coordinates is meant, like {}.x",
                                                     quote(text_from(name.offset)), selected));
    selected += token_.text;
    advance();
    if (const Expr* value = symbols_.find(selected)) return *value;
    throw ExpressionError(name.offset, name_error({TokenKind::name, name.offset, selected, 0}));
  }

  std::vector<Expr> parse_arguments() {
    const std::size_t opened = token_.offset;
    advance();
    std::vector<Expr> arguments;
    if (take(")")) return arguments;
    do arguments.push_back(parse_or());
    while (take(","));
    if (!take(")")) fail(missing_parenthesis(opened));
    return arguments;
  }

  [[noreturn]] void fail_call(const Token& name) const {
    std::string message;
    if (const std::string* reason = symbols_.find_refusal(name.text)) {
      message = fmt::format("{} cannot stand here: {}", quote(name.text), *reason);
    } else if (symbols_.find(name.text) || name.text == "pi") {
      message = fmt::format("{} is not a function; write * to multiply", quote(name.text));
    } else {
      std::vector<std::string> known = symbols_.known_tables();
      for (const Function& function : functions) known.emplace_back(function.name);
      const std::string suggestion = did_you_mean(name.text, known);
      message = fmt::format("the function {} is not known{}", quote(name.text),
                            suggestion.empty() ? fmt::format("; there are {}, and tables that the model defines", fmt::join(known, ", ")) : suggestion);
    }
    throw ExpressionError(name.offset, message);
  }

  Expr call(const Function& function, const std::vector<Expr>& arguments) {
    switch (function.op) {
      case Op::power:
        return graph_.sqrt(arguments[0]);
      case Op::atan2:
        return graph_.function(Op::atan2, arguments[0], arguments[1]);
      case Op::select:
        return graph_.select(arguments[0], arguments[1], arguments[2]);
      case Op::min:
      case Op::max: {
        Expr result = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i) result = graph_.function(function.op, result, arguments[i]);
        return result;
      }
      default:
        return graph_.function(function.op, arguments[0]);
    }
  }

  static constexpr std::size_t longest_run = 64;  // of factors made one product

  ExpressionGraph& graph_;
  std::string_view text_;
  const Symbols& symbols_;
  Lexer lexer_;
  Token token_;
  int depth_ = 0;
};

void check_length(std::string_view text) {
  if (text.size() > longest_text)
    throw ExpressionError(longest_text,
                          fmt::format("the expression is longer than {} characters; split it up", longest_text));
}

}  // namespace

Expr parse_expression(ExpressionGraph& graph, std::string_view text, const Symbols& symbols) {
  check_length(text);
  try {
    return Parser(graph, text, symbols).parse_all();
  } catch (const ExpressionLimit& limit) {
    throw ExpressionError(0, limit.what());
  }
}

std::vector<UsedName> names_in_expression(std::string_view text) {
  check_length(text);
  std::vector<UsedName> result;
  std::set<std::string_view> seen;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.kind != TokenKind::name || is_reserved_name(token.text)) continue;
    if (token.text.starts_with('.') && !token.text.ends_with('\'')) continue;  // of what was selected
    if (seen.insert(token.text).second) result.push_back({std::string(token.text), token.offset});
  }
  return result;
}

bool is_unit_name(std::string_view name) { return find_unit(name) != nullptr; }

bool is_reserved_name(std::string_view name) {
  return find_function(name) || std::ranges::find(words, name) != std::end(words);
}

}  // namespace escapement
