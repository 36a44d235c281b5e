// A program that is compiled when it is first used.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "math/program.hpp"

namespace escapement::inline math {

// Copies share what is compiled. Several threads may ask for it at once; nobody may change the graph from the first use on.
class DeferredProgram {
 public:
  DeferredProgram() = default;
  DeferredProgram(Program);  // compiled already
  DeferredProgram(std::shared_ptr<const ExpressionGraph>, std::shared_ptr<const std::vector<Expr>> inputs, std::vector<Expr> outputs);

  const Program& operator*() const { return part_->compiled.load(std::memory_order_acquire) ? part_->program : compile(); }
  const Program* operator->() const { return &**this; }
  explicit operator bool() const { return part_ != nullptr; }
  std::size_t output_count() const { return part_ ? part_->output_count : 0; }

 private:
  struct Part {
    std::atomic<bool> compiled = false;
    std::mutex one_compiles;
    Program program;
    std::size_t output_count = 0;
    std::shared_ptr<const ExpressionGraph> graph;
    std::shared_ptr<const std::vector<Expr>> inputs;
    std::vector<Expr> outputs;
  };
  const Program& compile() const;

  std::shared_ptr<Part> part_;
};

}  // namespace escapement
