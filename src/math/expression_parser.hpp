// Text to expressions, with errors that say where and what to do.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "math/expression.hpp"

namespace escapement {

// what() is one sentence without the place; offset counts bytes from the start of the text.
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t at, const std::string& message) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

// What the identifiers of a text mean. Functions and pi are known without being listed; `t` is a name like any other.
class Symbols {
 public:
  void add(const std::string& name, Expr value);  // a variable, or a parameter already made an expression
  void add_table(const std::string& name, std::shared_ptr<const Table> table);
  // a name that exists but may not stand here, with the reason: "a parameter may not depend on the time"
  void refuse(const std::string& name, const std::string& reason);

  const Expr* find(std::string_view name) const;
  const std::shared_ptr<const Table>* find_table(std::string_view name) const;
  const std::string* find_refusal(std::string_view name) const;
  std::vector<std::string> known() const;         // names that stand for values
  std::vector<std::string> known_tables() const;  // names that are called

 private:
  std::map<std::string, Expr, std::less<>> values_;
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables_;
  std::map<std::string, std::string, std::less<>> refusals_;
};

// Numbers, + - * / ^ (to the right; -x^2 is -(x^2)), comparisons and `and`, `or`, `not` (1 or 0), functions, tables,
// names.
Expr parse_expression(ExpressionGraph& graph, std::string_view text, const Symbols& symbols);

// Every name a text uses, functions left out, each once, in order: to find which parameters depend on which.
struct UsedName {
  std::string name;
  std::size_t offset;
};
std::vector<UsedName> names_in_expression(std::string_view text);

// sin, cos, ..., pi, and, or, not: names a model may not give to anything else (nor `t`)
bool is_reserved_name(std::string_view name);
// letters, digits and _ with dots between parts, without the ' of rates
bool is_valid_name(std::string_view name);

// At most 60 characters of foreign text, control characters and broken UTF-8 made visible, for messages.
std::string quoted(std::string_view text);

}  // namespace escapement
