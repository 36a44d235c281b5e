#include "model/vocabulary.hpp"

#include <algorithm>
#include <set>

namespace escapement::inline model {

namespace {

template <int D>
class MechanismInputs : public StateInputs {
 public:
  MechanismInputs(const Vocabulary<D>& vocabulary, int bodies) : bodies_(bodies) {
    for (const NamedMeasure<D>& one : vocabulary.measures()) measures_.push_back(one.measure);
  }
  std::size_t work_size() const override { return (bodies_ + 1) * sizeof(Frame<D>) / sizeof(double); }
  void fill(const State& s, std::span<const int> used, double* in, Work& work) const override {
    Frame<D>* frames = reinterpret_cast<Frame<D>*>(work.numbers.data());
    set_frames(s, bodies_, frames);
    const Motion<D> m{frames, s.t, s.z.data(), nullptr};
    const int n = static_cast<int>(measures_.size());
    for (int i : used) {
      if (i == 0) {
        *in++ = s.t;
      } else if (i <= 2 * n) {
        *in++ = i <= n ? measures_[i - 1]->value(m) : measures_[i - 1 - n]->rate(m);
      } else {
        *in++ = s.z[i - 1 - 2 * n];
      }
    }
  }

 private:
  int bodies_;
  std::vector<MeasurePtr<D>> measures_;
};

}  // namespace

template <int D>
void Vocabulary<D>::add(NamedMeasure<D> one) {
  for (const Expr variable : {one.value, one.rate}) places_[variable.id] = static_cast<int>(measures_.size());
  measures_.push_back(std::move(one));
}

template <int D>
void Vocabulary<D>::add_state(Expr variable) {
  states_.push_back(variable);
}

template <int D>
int Vocabulary<D>::find(Expr variable) const {
  const auto found = places_.find(variable.id);
  return found == places_.end() ? -1 : found->second;
}

template <int D>
std::vector<Expr> all_inputs(const Vocabulary<D>& vocabulary) {
  std::vector<Expr> result{vocabulary.t};
  for (const NamedMeasure<D>& one : vocabulary.measures()) result.push_back(one.value);
  for (const NamedMeasure<D>& one : vocabulary.measures()) result.push_back(one.rate);
  result.insert(result.end(), vocabulary.states().begin(), vocabulary.states().end());
  return result;
}

template <int D>
std::shared_ptr<const StateInputs> make_state_inputs(const Vocabulary<D>& vocabulary, int bodies) {
  return std::make_shared<MechanismInputs<D>>(vocabulary, bodies);
}

template class Vocabulary<2>;
template class Vocabulary<3>;
template std::vector<Expr> all_inputs<2>(const Vocabulary<2>&);
template std::vector<Expr> all_inputs<3>(const Vocabulary<3>&);
template std::shared_ptr<const StateInputs> make_state_inputs<2>(const Vocabulary<2>&, int);
template std::shared_ptr<const StateInputs> make_state_inputs<3>(const Vocabulary<3>&, int);

template <int D>
VocabularyUse<D>::VocabularyUse(const ExpressionGraph& graph, const Vocabulary<D>& all,
                                std::span<const Expr> expressions)
    : t_(all.t) {
  std::set<int> used;
  for (Expr e : expressions) {
    for (Expr variable : graph.variables(e))
      if (const int place = all.find(variable); place >= 0) used.insert(place);
    for (std::size_t k = 0; all.implicit && k < all.implicit->variables.size(); ++k)
      if (graph.depends_on(e, all.implicit->variables[k])) implicit_ = all.implicit;
  }
  for (int k = 0; implicit_ && k < implicit_->values; ++k) used.insert(k);
  for (const int place : used) {
    const NamedMeasure<D>& one = all.measures()[static_cast<std::size_t>(place)];
    measures_.push_back(one.measure);
    values_.push_back(one.value);
    rates_.push_back(one.rate);
  }
  for (std::size_t k = 0; k < all.states().size(); ++k) {
    bool any = false;
    for (Expr e : expressions) any = any || graph.depends_on(e, all.states()[k]);
    if (!any) continue;
    states_.push_back(static_cast<int>(k));
    state_variables_.push_back(all.states()[k]);
  }
}

template <int D>
std::vector<int> VocabularyUse<D>::bodies() const {
  std::vector<int> result;
  for (const MeasurePtr<D>& one : measures_) result.insert(result.end(), {one->a(), one->b()});
  return result;
}

template <int D>
std::vector<Expr> VocabularyUse<D>::inputs() const {
  std::vector<Expr> result{t_};
  result.insert(result.end(), values_.begin(), values_.end());
  result.insert(result.end(), rates_.begin(), rates_.end());
  result.insert(result.end(), state_variables_.begin(), state_variables_.end());
  if (implicit_) result.insert(result.end(), implicit_->variables.begin(), implicit_->variables.end());
  return result;
}

template <int D>
void VocabularyUse<D>::fill(const Motion<D>& m, double* inputs) const {
  double* const behind = inputs + input_size();
  *inputs++ = m.t;
  const std::size_t n = measures_.size();
  for (std::size_t k = 0; k < n; ++k) {
    inputs[k] = measures_[k]->value(m);
    inputs[n + k] = measures_[k]->rate(m);
  }
  for (std::size_t k = 0; k < states_.size(); ++k) inputs[2 * n + k] = m.z[states_[k]];
  if (implicit_) implicit_->solve(inputs, behind - implicit_->variables.size(), behind);
}

template <int D>
Expr VocabularyUse<D>::rate_of(ExpressionGraph& graph, Expr e) const {
  std::vector<Expr> terms{graph.derivative(e, t_)};
  for (int k = 0; k < count(); ++k) terms.push_back(graph.mul(slope(graph, e, values_[k]), rates_[k]));
  return graph.sum(terms);
}

template <int D>
Expr VocabularyUse<D>::slope(ExpressionGraph& graph, Expr e, Expr input) const {
  const Expr direct = graph.derivative(e, input);
  if (!implicit_) return direct;
  const std::vector<Expr>&u = implicit_->variables, &f = implicit_->conditions;
  if (std::find(u.begin(), u.end(), input) != u.end()) return direct;
  const auto by = [&](std::size_t i, Expr x) { return graph.derivative(f[i], x); };
  if (u.size() == 1) return graph.sub(direct, graph.mul(graph.derivative(e, u[0]), graph.div(by(0, input), by(0, u[0]))));
  // f_u change = f_x, by Cramer's rule
  const auto cross = [&](Expr a, Expr b, Expr c, Expr d) { return graph.sub(graph.mul(a, d), graph.mul(b, c)); };
  const Expr det = cross(by(0, u[0]), by(0, u[1]), by(1, u[0]), by(1, u[1]));
  const Expr first = graph.div(cross(by(0, input), by(0, u[1]), by(1, input), by(1, u[1])), det);
  const Expr second = graph.div(cross(by(0, u[0]), by(0, input), by(1, u[0]), by(1, input)), det);
  return graph.sub(direct, graph.add(graph.mul(graph.derivative(e, u[0]), first), graph.mul(graph.derivative(e, u[1]), second)));
}

template <int D>
void VocabularyUse<D>::append_slopes(ExpressionGraph& graph, Expr e, int from, int count, std::vector<Expr>& out) const {
  const std::vector<Expr> all = inputs();
  for (int i = 0; i < count; ++i) out.push_back(slope(graph, e, all[static_cast<std::size_t>(from + i)]));
}

template class VocabularyUse<2>;
template class VocabularyUse<3>;

}  // namespace escapement
