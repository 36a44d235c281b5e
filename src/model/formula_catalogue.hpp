// Systems of formulas that differ in their numbers alone are derived and compiled once.
#pragma once

#include <memory>
#include <shared_mutex>
#include <vector>

#include "math/number_tape.hpp"
#include "model/formula_system.hpp"

namespace escapement::inline model {

// Several threads may use it at once.
class FormulaCatalogue {
 public:
  // the same, to the bit, as the system that would be derived from the formulas; throws FormulaError
  std::unique_ptr<FormulaSystem> make(const std::shared_ptr<ExpressionGraph>&, const Formulas&);
  std::size_t size() const;  // how many were derived for others to be made like them

 private:
  // what formulas are apart from their numbers
  struct Form {
    std::vector<std::uint64_t> words;
    std::vector<double> numbers;
    bool is_fixed = true;  // false: nothing can be like it
  };
  struct Known {
    std::vector<std::uint64_t> form;
    NumberTape tape;
    std::unique_ptr<FormulaSystem> system;
  };
  static Form form_of(const ExpressionGraph&, const Formulas&);
  std::unique_ptr<FormulaSystem> find(const Form&, const Formulas&, std::size_t first) const;

  mutable std::shared_mutex guard_;
  std::vector<std::unique_ptr<const Known>> known_;
};

}  // namespace escapement
