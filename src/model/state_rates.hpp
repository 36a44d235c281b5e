// First-order states of a mechanism: their rates are expressions of names, rates and states.
#pragma once

#include "model/row_group.hpp"
#include "model/vocabulary.hpp"
#include "system/terms.hpp"

namespace escapement {

template <int D>
class StateRates {
 public:
  StateRates(ExpressionGraph&, const Vocabulary<D>&, const std::vector<Expr>& rates);

  int count() const { return static_cast<int>(values_.output_count()); }
  std::size_t scratch_size() const;
  void rates(const Motion<D>&, double* zdot) const;
  void tangent(const Motion<D>&, Tangent&) const;  // the first rows of zdot_q, zdot_v, zdot_z, which are zero before

 private:
  void run(const Motion<D>&, const Program&, double* out) const;

  VocabularyUse<D> use_;
  Program values_, slopes_;  // slopes: per rate, by every measure, then by every rate of one, then by every state
};

}  // namespace escapement
