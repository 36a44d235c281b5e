// Text to expressions, with errors that say where and what to do.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "math/symbols.hpp"

namespace escapement::inline math {

// what() is one sentence without the place; offset counts bytes from the start of the text.
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t at, const std::string& message) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
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
// deg, rpm, mm, cm, kN, MPa, GPa: numbers unless a model gives the name to something else
bool is_unit_name(std::string_view name);
// letters, digits and _ with dots between parts, without the ' of rates
bool is_valid_name(std::string_view name);

// At most 60 characters of foreign text, control characters and broken UTF-8 made visible, for messages.
std::string quote(std::string_view text);

}  // namespace escapement
