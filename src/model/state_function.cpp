#include "model/state_function.hpp"

#include <algorithm>

namespace escapement::inline model {

StateFunction::StateFunction(std::shared_ptr<const ExpressionGraph> graph, std::span<const Expr> inputs, std::span<const Expr> outputs,
                             std::shared_ptr<const StateInputs> source)
    : source_(std::move(source)) {
  std::vector<Expr> read(inputs.begin(), inputs.end());
  if (source_) {
    read.clear();
    source_->prepare(work_);
    std::vector<Expr> variables;
    for (Expr e : outputs) {
      const std::vector<Expr> some = graph->variables(e);
      variables.insert(variables.end(), some.begin(), some.end());
    }
    std::sort(variables.begin(), variables.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!std::binary_search(variables.begin(), variables.end(), inputs[i])) continue;
      used_.push_back(static_cast<int>(i));
      read.push_back(inputs[i]);
    }
  }
  in_.resize(read.size());
  program_ = DeferredProgram(std::move(graph), std::make_shared<const std::vector<Expr>>(std::move(read)),
                             std::vector<Expr>(outputs.begin(), outputs.end()));
}

void StateFunction::evaluate(const State& s, double* out) {
  if (size() == 0) return;
  if (source_) {
    source_->fill(s, used_, in_.data(), work_);
  } else {
    in_[0] = s.t;
    std::copy_n(s.q.data(), s.q.size(), in_.begin() + 1);
    std::copy_n(s.v.data(), s.v.size(), in_.begin() + 1 + s.q.size());
    std::copy_n(s.z.data(), s.z.size(), in_.begin() + 1 + s.q.size() + s.v.size());
  }
  scratch_.resize(std::max(scratch_.size(), program_->scratch_size()));
  program_->run(in_.data(), out, scratch_.data());
}

double StateFunction::evaluate(const State& s) {
  double value = 0;
  evaluate(s, &value);
  return value;
}

}  // namespace escapement
