#include "model/formula_catalogue.hpp"

#include <bit>
#include <mutex>

namespace escapement::inline model {

namespace {

// numbers that decide by their values (integers that cancel, say) make systems that are like no other: one does not collect them
constexpr std::size_t most_known = 32;

void add_text(const std::string& text, std::vector<std::uint64_t>& words) {
  words.push_back(text.size());
  words.insert(words.end(), text.begin(), text.end());
}

void add_list(const std::vector<Expr>& list, std::vector<std::uint64_t>& words) {
  words.push_back(list.size());
  for (Expr e : list) words.push_back(static_cast<std::uint64_t>(e.id));
}

}  // namespace

FormulaCatalogue::Form FormulaCatalogue::form_of(const ExpressionGraph& graph, const Formulas& f) {
  Form form;
  form.is_fixed = graph.describe(form.words, form.numbers);
  std::vector<std::uint64_t>& words = form.words;
  for (const auto& list : {f.names, f.state_names}) {
    words.push_back(list.size());
    for (const std::string& name : list) add_text(name, words);
  }
  for (const auto& list : {f.q, f.v, f.forces, f.z, f.state_rates, std::vector<Expr>{f.t, f.kinetic, f.potential}}) add_list(list, words);
  words.push_back(f.scale.size());
  for (const double scale : f.scale) words.push_back(std::bit_cast<std::uint64_t>(scale));
  words.push_back(f.constraints.size());
  for (const FormulaConstraint& constraint : f.constraints) {
    add_text(constraint.name, words);
    words.push_back(static_cast<std::uint64_t>(constraint.g.id));
  }
  for (const FormulaContact& contact : f.contacts) {
    add_text(contact.name, words);
    words.push_back(static_cast<std::uint64_t>(contact.gap.id) << 1 | static_cast<std::uint64_t>(contact.friction > 0));
    add_list(contact.slip, words);
  }
  return form;
}

std::size_t FormulaCatalogue::size() const {
  const std::shared_lock lock(guard_);
  return known_.size();
}

std::unique_ptr<FormulaSystem> FormulaCatalogue::find(const Form& form, const Formulas& formulas, std::size_t first) const {
  for (std::size_t i = first; i < known_.size(); ++i) {
    if (known_[i]->form != form.words) continue;
    if (const auto values = known_[i]->tape.replay(form.numbers))
      return std::make_unique<FormulaSystem>(*known_[i]->system, formulas, *values);
  }
  return nullptr;
}

std::unique_ptr<FormulaSystem> FormulaCatalogue::make(const std::shared_ptr<ExpressionGraph>& graph, const Formulas& formulas) {
  const Form form = form_of(*graph, formulas);
  if (!form.is_fixed) return std::make_unique<FormulaSystem>(graph, formulas);
  std::size_t seen = 0;
  {
    const std::shared_lock lock(guard_);
    if (auto system = find(form, formulas, 0)) return system;
    seen = known_.size();
  }
  const std::unique_lock lock(guard_);
  if (auto system = find(form, formulas, seen)) return system;  // of another thread, meanwhile
  if (known_.size() >= most_known) return std::make_unique<FormulaSystem>(graph, formulas);
  auto known = std::make_unique<Known>();
  known->form = form.words;
  graph->trace(known->tape);
  {
    const NumberTape::Recording recording(known->tape);
    known->system = std::make_unique<FormulaSystem>(*graph, formulas);
  }
  auto system = std::make_unique<FormulaSystem>(*known->system);
  known_.push_back(std::move(known));
  return system;
}

}  // namespace escapement
