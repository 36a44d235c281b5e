// Numbers that are expressions of t, names, rates and states, with their slopes, in the scratch of a motion.
#pragma once

#include <algorithm>
#include <vector>

#include "model/vocabulary.hpp"

namespace escapement::inline model {

template <int D>
class ExpressionNumbers {
 public:
  ExpressionNumbers() = default;
  ExpressionNumbers(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, const std::vector<Expr>& numbers)
      : use_(graph, vocabulary, numbers) {
    const std::vector<Expr> inputs = use_.inputs();
    values_ = Program(graph, inputs, numbers);
    std::vector<Expr> slopes;
    for (Expr e : numbers) use_.append_slopes(graph, e, 1, slopes_of_one(), slopes);
    slopes_ = Program(graph, inputs, slopes);
  }

  const VocabularyUse<D>& use() const { return use_; }
  int count() const { return static_cast<int>(values_.output_count()); }
  // of each number: by every measure, then by every rate of one, then by every state
  int slopes_of_one() const { return static_cast<int>(use_.input_size()) - 1; }
  std::size_t scratch_size() const {
    return use_.input_size() + values_.output_count() + slopes_.output_count() + std::max(values_.scratch_size(), slopes_.scratch_size());
  }

  // they stand behind the inputs; what they need is behind them
  double* values(const Motion<D>& m) const {
    use_.fill(m, m.scratch);
    double* value = m.scratch + use_.input_size();
    values_.run(m.scratch, value, value + values_.output_count());
    return value;
  }
  // behind the values, which have been found for this motion; the rest of the scratch is free from free_behind()
  double* slopes(const Motion<D>& m) const {
    double* slope = m.scratch + use_.input_size() + values_.output_count();
    slopes_.run(m.scratch, slope, slope + slopes_.output_count());
    return slope;
  }
  double* free_behind(double* slopes) const { return slopes + slopes_.output_count(); }

 private:
  VocabularyUse<D> use_;
  Program values_, slopes_;
};

}  // namespace escapement
