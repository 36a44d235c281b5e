// What a model says in expressions, for steps that resolve it.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// laws: the expressions that the motion or its end follows
// of laws of these inputs, t first; source: how they follow from a state, null: t, q, v, z
ExplicitTerms explicit_terms(const ExpressionGraph&, std::span<const Expr> inputs, std::shared_ptr<const StateInputs> source,
                             std::span<const Expr> laws);
void read_explicit_terms(const Reading&, std::span<const Said> laws, Model&);

}  // namespace escapement
