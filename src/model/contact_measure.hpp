// Gaps and slips of contacts as measures, for forces along them.
#pragma once

#include "model/row_group.hpp"
#include "model/slip_row.hpp"

namespace escapement::inline model {

// of a group of one row without explicit time, on one or two bodies
template <int D>
MeasurePtr<D> gap_measure(std::unique_ptr<RowGroup<D>> row);
// the same of a slip. Only a rate: it has no value
template <int D>
MeasurePtr<D> slip_measure(std::unique_ptr<SlipRow<D>> row);

}  // namespace escapement
