// Contacts whose gap and slip are expressions of the names of a mechanism.
#pragma once

#include <stdexcept>

#include "model/row_group.hpp"
#include "model/slip_row.hpp"
#include "model/vocabulary.hpp"

namespace escapement::inline model {

// the gap may use t and values
template <int D>
std::unique_ptr<RowGroup<D>> make_gap_row(ExpressionGraph&, const Vocabulary<D>&, Expr gap);
// the slip is affine in the rates; throws std::invalid_argument when it is not
template <int D>
std::unique_ptr<SlipRow<D>> make_slip_row(ExpressionGraph&, const Vocabulary<D>&, Expr slip);

}  // namespace escapement
