// Expressions as straight-line code for many members at once: what depends on a member's parameters alone is computed once.
#pragma once

#include <span>

#include "math/expression.hpp"
#include "math/program_code.hpp"

namespace escapement::inline ensemble {

struct StraightCode {
  BasicProgram once;   // parameters -> the values kept of them
  BasicProgram every;  // state, then the values kept -> outputs
  std::size_t kept() const { return once.outputs.size(); }
  std::size_t outputs() const { return every.outputs.size(); }
  bool is_zero(std::size_t output) const;  // whatever the state and the parameters
  bool uses_tables() const { return !every.calls.empty() || !once.calls.empty(); }
};

StraightCode make_straight_code(const ExpressionGraph&, std::span<const Expr> state, std::span<const Expr> parameters,
                                std::span<const Expr> outputs);

}  // namespace escapement
