// First-order states of a mechanism: their rates are expressions of names, rates and states.
#pragma once

#include "model/expression_numbers.hpp"
#include "model/row_group.hpp"
#include "system/terms.hpp"

namespace escapement::inline model {

template <int D>
class StateRates {
 public:
  StateRates(ExpressionGraph&, const Vocabulary<D>&, const std::vector<Expr>& rates);

  int count() const { return rates_.count(); }
  std::size_t scratch_size() const { return rates_.scratch_size(); }
  void rates(const Motion<D>&, double* zdot) const;
  void tangent(const Motion<D>&, Tangent&) const;  // the first rows of zdot_q, zdot_v, zdot_z, which are zero before

 private:
  ExpressionNumbers<D> rates_;
};

}  // namespace escapement
