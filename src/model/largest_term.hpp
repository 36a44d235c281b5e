// The largest magnitude among the terms that an expression sums, sums of sums written out: what its rounding is relative to.
#pragma once

#include "math/expression.hpp"

namespace escapement::inline model {

Expr largest_term(ExpressionGraph&, Expr sum);

}  // namespace escapement
