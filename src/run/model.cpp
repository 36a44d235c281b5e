#include "run/model.hpp"

#include "math/saddle_solver.hpp"
#include "system/row_selection.hpp"

namespace escapement::inline run {

std::vector<std::string> redundant_constraints(const System& system, const State& s) {
  Terms terms;
  system.prepare(terms);
  RowSelection rows = system.first_rows();
  system.select_rows(s, rows, rows);
  SelectedRows(system, rows).evaluate(s, Need::jacobian, terms);
  for (int i = system.dim().bilateral; i < system.dim().rows(); ++i) terms.G.set_row_zero(i);
  std::vector<std::string> names;
  for (int row : redundant_rows(terms.G))
    if (row < system.dim().bilateral) names.push_back(system.names().multipliers[row]);
  return names;
}

}  // namespace escapement
