#include "io/explicit_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "math/copy_numbers.hpp"

namespace escapement::inline io {

namespace {

// those of the inputs that the laws use, the time first
std::vector<int> used_inputs(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> laws) {
  std::vector<Expr> variables;
  for (Expr e : laws) {
    const std::vector<Expr> some = graph.variables(e);
    variables.insert(variables.end(), some.begin(), some.end());
  }
  std::sort(variables.begin(), variables.end());
  std::vector<int> used{0};
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (std::binary_search(variables.begin(), variables.end(), inputs[i])) used.push_back(static_cast<int>(i));
  return used;
}

// ascending numbers: of the time, then of positions, velocities and states
void fill_coordinates(const State& s, const std::vector<int>& used, double* in) {
  const int n = static_cast<int>(s.q.size());
  if (used.back() == 2 * n && used.size() == static_cast<std::size_t>(1 + 2 * n)) {  // all but states
    *in = s.t;
    copy_numbers(s.v.data(), static_cast<std::size_t>(n), copy_numbers(s.q.data(), static_cast<std::size_t>(n), in + 1));
    return;
  }
  const int *k = used.data(), *const end = k + used.size();
  if (k != end && *k == 0) ++k, *in++ = s.t;
  for (const double* const q = s.q.data() - 1; k != end && *k <= n; ++k) *in++ = q[*k];
  for (const double* const v = s.v.data() - 1 - n; k != end && *k <= 2 * n; ++k) *in++ = v[*k];
  for (; k != end; ++k) *in++ = s.z[*k - 1 - 2 * n];
}

// the expression's own text, and where the file has it
std::string text_of(const Reading& reading, std::span<const Said> laws, Expr node) {
  constexpr std::size_t longest = 80;
  for (const Said& law : laws) {
    const std::vector<Expr> parts = reading.graph.reachable({&law.e, 1});
    if (std::find(parts.begin(), parts.end(), node) == parts.end()) continue;
    const Place place = reading.source.place(law.offset);
    return fmt::format("{} ({}:{}:{})", reading.graph.to_string(node, longest), reading.source.file(), place.line,
                       place.column);
  }
  return "";
}

}  // namespace

ExplicitTerms explicit_terms(const ExpressionGraph& graph, std::span<const Expr> inputs, std::shared_ptr<const StateInputs> source,
                             std::span<const Expr> laws) {
  const std::vector<int> used = used_inputs(graph, inputs, laws);
  std::vector<Expr> read;
  for (int k : used) read.push_back(inputs[static_cast<std::size_t>(k)]);
  ExplicitTerms terms;
  terms.of_time = ExpressionWatch(graph, read, laws, ExpressionWatch::Which::of_first_input);
  terms.of_motion = ExpressionWatch(graph, read, laws, ExpressionWatch::Which::of_others);
  if (source) {
    StateInputs::Work work;
    source->prepare(work);
    terms.fill = [used, source, work](const State& s, double* in) mutable { source->fill(s, used, in, work); };
  } else {
    terms.fill = [used](const State& s, double* in) { fill_coordinates(s, used, in); };
  }
  return terms;
}

void read_explicit_terms(const Reading& reading, std::span<const Said> said, Model& model) {
  std::vector<Expr> laws;
  for (const Said& law : said) laws.push_back(law.e);
  ExplicitTerms& terms = model.explicit_terms;
  terms = explicit_terms(reading.graph, reading.inputs, reading.state_inputs, laws);
  for (int k = 0; k < terms.of_motion.switches(); ++k)
    terms.branches.push_back(text_of(reading, said, terms.of_motion.switch_node(k)));
}

}  // namespace escapement
