// Bilateral rows that say nothing new wherever the system goes, unlike those that depend on others in one position only.
#pragma once

#include <functional>
#include <vector>

#include "system/system.hpp"

namespace escapement {

// A smallest set of rows without which the others hold the same positions, in the start and in positions that the rows
// allow around it; chosen so that the others stay far from depending on each other, among the rows that may go. Empty
// when nothing can move. The start must satisfy the rows
std::vector<int> always_redundant_rows(const System&, const State& start, const std::function<bool(int)>& may_go);

}  // namespace escapement
