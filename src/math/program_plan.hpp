// What has to be computed for a set of expressions, before any instruction exists: which nodes need values, how sums
// and products are put together, and which partial products are shared.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "math/expression.hpp"
#include "math/product_sharing.hpp"

namespace escapement::inline math {

// A factor of products: the value of a node or of a derived quantity.
struct Factor {
  enum Kind { node, number, root, power, core } kind;  // core: a sum without the factor its terms have in common
  int id;                                              // of the node
  TracedNumber value;                                  // of the number, or the exponent
  friend bool operator<(const Factor& a, const Factor& b) {
    return std::tuple(a.kind, a.id, a.value.plain()) < std::tuple(b.kind, b.id, b.value.plain());
  }
};

// sign * above / below, where below is the number divisor or a product
struct TermPlan {
  bool negative = false;
  std::size_t above = 0;  // product
  std::size_t below = 0;  // product, if has_below
  bool has_below = false;
  TracedNumber divisor = 1;
};

// How a node's value is made. A sum: common * (constant + terms); a product: its only term.
struct Plan {
  TracedNumber constant = 0;
  TracedNumber common = 1;
  std::vector<TermPlan> terms;
  std::vector<int> needs;  // nodes whose values come first
};

class ProgramPlan {
 public:
  // throws std::invalid_argument when an output depends on a variable that is no input
  ProgramPlan(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs);

  const Plan& node(int id) const { return plans_.at(id); }
  const std::vector<int>& factors(std::size_t product) const { return sharing_.factors(product); }
  const Factor& factor(int f) const { return factors_[std::size_t(f)]; }
  bool is_pair(int f) const { return sharing_.is_pair(f); }
  std::pair<int, int> pair(int f) const { return sharing_.pair(f); }
  std::pair<int, int> angle(int id) const { return angles_.at(id); }  // its sine and cosine, 0 when not needed

 private:
  Plan make_plan(const Node& node, int id);
  void plan_sum(const Node& node, bool negative, Plan& result);
  void plan_term(Expr operand, Ratio weight, bool is_whole, Plan& result);
  void add_factor(Expr operand, double exponent, std::vector<int>& to, TracedNumber& number, Plan& result);
  Plan core_plan(const Node& node, Plan& user);
  int index_of(const Factor& key);

  const ExpressionGraph& graph_;
  std::unordered_map<int, int> uses_;                    // node -> number of users
  std::unordered_map<int, Plan> plans_;                  // node -> how to make it
  std::unordered_map<int, std::pair<int, int>> angles_;  // angle -> its sine and cosine
  std::map<Factor, int> factor_index_;
  std::vector<Factor> factors_;
  ProductSharing sharing_;
  int core_depth_ = 0;
};

}  // namespace escapement
