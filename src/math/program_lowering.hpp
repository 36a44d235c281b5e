// From an expression graph to basic operations.
#pragma once

#include <span>

#include "math/expression.hpp"
#include "math/program_code.hpp"

namespace escapement::inline math {

BasicProgram lower(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs);

}  // namespace escapement
