#include "math/deferred_program.hpp"

namespace escapement::inline math {

DeferredProgram::DeferredProgram(Program program) : part_(std::make_shared<Part>()) {
  part_->output_count = program.output_count();
  part_->program = std::move(program);
  part_->compiled = true;
}

DeferredProgram::DeferredProgram(std::shared_ptr<const ExpressionGraph> graph, std::shared_ptr<const std::vector<Expr>> inputs,
                                 std::vector<Expr> outputs)
    : part_(std::make_shared<Part>()) {
  part_->output_count = outputs.size();
  part_->graph = std::move(graph);
  part_->inputs = std::move(inputs);
  part_->outputs = std::move(outputs);
}

const Program& DeferredProgram::compile() const {
  const std::lock_guard lock(part_->one_compiles);
  if (part_->compiled) return part_->program;
  part_->program = Program(*part_->graph, *part_->inputs, part_->outputs);
  part_->graph = nullptr;
  part_->outputs.clear();
  part_->compiled.store(true, std::memory_order_release);
  return part_->program;
}

}  // namespace escapement
