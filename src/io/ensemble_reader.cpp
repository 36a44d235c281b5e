#include "io/ensemble_reader.hpp"

#include <algorithm>

#include "io/expressions_reader.hpp"
#include "io/formula_reader.hpp"
#include "math/expression_parser.hpp"
#include "run/recorder.hpp"

namespace escapement::inline io {

namespace {

struct KnownScheme {
  const char* id;
  EnsembleScheme scheme;
};
constexpr KnownScheme known_schemes[] = {{"moreau-midpoint", EnsembleScheme::moreau_midpoint}, {"moreau-midpoint-ggl", EnsembleScheme::moreau_midpoint_ggl},
                                         {"moreau-jean", EnsembleScheme::moreau_jean}, {"rk4", EnsembleScheme::rk4}, {"hem5", EnsembleScheme::hem5}};

class EnsembleReader {
 public:
  EnsembleReader(const Study& study, const std::string& on)
      : study_(study), on_(on), source_(SourceText::read(study.model_file)), tree_(source_), reading_(source_, tree_), model_(load_model(study.model_file, study.base)) {}

  EnsembleStudy read();

 private:
  // at the entry, or where the command line gave it
  [[noreturn]] void refuse(const YamlNode::Entry* entry, const std::optional<std::string>& option, const std::string& why) const {
    if (option) throw OverrideError(fmt::format("{}: {}", *option, why));
    const YamlNode::Entry* block = tree_.root().find("simulation");
    reading_.fail(entry ? entry->key_offset : block ? block->key_offset : 0, why);
  }
  std::string runs_no(const std::string& what) const { return fmt::format("--on {} runs no {}; take --on cores", on_, what); }
  const YamlNode::Entry* simulation(std::string_view key) const {
    const YamlNode::Entry* block = tree_.root().find("simulation");
    return block && block->value->is_map() ? block->value->find(key) : nullptr;
  }
  EnsembleSettings settings() const;
  void check_options() const;
  void check_closed();  // nothing else depends on what is varied
  void add_columns(const Block& top);
  void read_measures(EnsembleStudy&);

  const Study& study_;
  const std::string& on_;
  const SourceText source_;
  const YamlTree tree_;
  Reading reading_;
  Model model_;  // with the parameters of the file
  EnsembleFormulas members_;
  Symbols columns_;  // what is sampled may use
};

EnsembleSettings EnsembleReader::settings() const {
  const Overrides& given = study_.base;
  EnsembleSettings s;
  const auto* scheme = std::find_if(std::begin(known_schemes), std::end(known_schemes), [&](const KnownScheme& k) { return model_.settings.scheme == k.id; });
  if (scheme == std::end(known_schemes)) {
    std::string ids;
    for (const KnownScheme& k : known_schemes) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", k.id);
    refuse(simulation("scheme"), given.scheme ? std::optional<std::string>("--scheme " + *given.scheme) : std::nullopt,
           fmt::format("--on {} runs {}, but not {}; give one of these, or take --on cores", on_, ids, model_.settings.scheme));
  }
  s.scheme = scheme->scheme;
  if (!model_.settings.step)
    refuse(simulation("tolerance"), given.tolerance ? std::optional<std::string>("--tolerance " + *given.tolerance) : std::nullopt,
           fmt::format("--on {} takes fixed steps; give 'step' in place of a tolerance, or --step", on_));
  if (model_.settings.then) refuse(simulation("then"), std::nullopt, runs_no("members whose steps change at a time"));
  s.step = *model_.settings.step;
  s.start = model_.settings.start;
  s.end = model_.settings.end;
  s.save_every = model_.settings.save_every < 0 ? model_.settings.duration() / 1000 : model_.settings.save_every;
  if ((s.end - s.start) / s.step > 2e9) refuse(simulation("step"), std::nullopt, runs_no("more than 2e9 steps"));
  return s;
}

// options that leave the scheme as members run it
void EnsembleReader::check_options() const {
  constexpr std::pair<const char*, const char*> same[] = {{"contact_solver", "lemke"}, {"impact_law", "newton"}};
  const YamlNode::Entry* block = simulation("options");
  for (const auto& [name, value] : model_.settings.options) {
    const std::string* word = std::get_if<std::string>(&value);
    const bool usual = word && std::any_of(std::begin(same), std::end(same), [&, &key = name](const auto& one) { return key == one.first && *word == one.second; });
    if (usual) continue;
    std::optional<std::string> typed;
    for (const auto& [key, text] : study_.base.options)
      if (key == name) typed = fmt::format("--option {}={}", key, text);
    const YamlNode::Entry* entry = block && block->value->is_map() ? block->value->find(name) : nullptr;
    refuse(entry, typed, fmt::format("--on {} runs its schemes without the option '{}'; leave it out, or take --on cores", on_, name));
  }
}

void EnsembleReader::check_closed() {
  const auto varies = [&](const std::string& key) {
    return fmt::format("{} depends on what the study varies, and with --on {} all members have the same; take --on cores", quote(key), on_);
  };
  for (const auto& [offset, number] : reading_.open_numbers) reading_.fail(offset, varies(number.key));
  const YamlNode::Entry* block = tree_.root().find("simulation");
  if (!block || !block->value->is_map()) return;
  for (const auto& entry : block->value->entries) {
    if (!entry.value->is_scalar() || entry.key == "scheme" || entry.key == "error") continue;
    try {
      if (reading_.is_open(parse_expression(reading_.graph, entry.value->text, reading_.constants))) refuse(&entry, std::nullopt, varies(entry.key));
    } catch (const ExpressionError&) {
      continue;  // a word
    }
  }
}

// the columns of a run as expressions of a member's state
void EnsembleReader::add_columns(const Block& top) {
  ExpressionGraph& graph = reading_.graph;
  const Formulas& f = members_.formulas;
  const auto rate = [&](Expr e) {
    Expr sum = graph.derivative(e, f.t);
    for (std::size_t j = 0; j < f.q.size(); ++j) sum = graph.add(sum, graph.mul(graph.derivative(e, f.q[j]), f.v[j]));
    return sum;
  };
  columns_.add("t", f.t);
  for (std::size_t j = 0; j < f.q.size(); ++j) {
    columns_.add(f.names[j], f.q[j]);
    columns_.add(f.names[j] + "'", f.v[j]);
  }
  for (std::size_t i = 0; i < f.contacts.size(); ++i) {
    const std::string& name = f.contacts[i].name;
    columns_.add("contacts." + name + ".gap", f.contacts[i].gap);
    columns_.add("contacts." + name + ".gap_rate", rate(f.contacts[i].gap));
    for (const std::string& force : {"contacts." + name + ".force", name + ".force"}) columns_.add(force, members_.forces[i]);
  }
  columns_.add("energy.kinetic", f.kinetic);
  columns_.add("energy.potential", f.potential);
  columns_.add("energy.total", graph.add(f.kinetic, f.potential));
  Expr position{}, velocity{};
  for (const FormulaConstraint& c : f.constraints) {
    position = graph.function(Op::max, position, graph.function(Op::abs, c.g));
    velocity = graph.function(Op::max, velocity, graph.function(Op::abs, rate(c.g)));
  }
  columns_.add("drift.position", position);
  columns_.add("drift.velocity", velocity);
  for (const auto& entry : top.named("outputs")) {
    const std::string name = "outputs." + entry.key;
    try {
      const YamlNode& text = entry.value->is_map() ? *entry.value->find("value")->value : *entry.value;
      columns_.add(name, parse_expression(graph, text.text, reading_.states));
    } catch (const ExpressionError&) {
      columns_.refuse(name, fmt::format("it uses reactions, which members of --on {} do not give", on_));
    }
  }
}

void EnsembleReader::read_measures(EnsembleStudy& study) {
  std::vector<std::string> names;
  for (const auto& [name, value] : model_.parameters) names.push_back(name);
  Recorder recorder(*model_.system, model_.output_names, {});
  for (const Study::Wanted& wanted : study_.measures) {
    const auto fail = [&](const std::string& why) { throw ModelError(study_.file, wanted.place, why); };
    RunMeasure measure(wanted.text, recorder.result(), names);
    for (const char* unknown : {"work", "penetration", "energy_error"})
      if (measure.uses(unknown)) fail(fmt::format("'{}' is not taken with --on {}; leave it out, or take --on cores", unknown, on_));
    for (const RunMeasure::Aggregate& one : measure.aggregates()) {
      try {
        members_.sampled.push_back({one.kind, parse_expression(reading_.graph, one.text, columns_)});
      } catch (const ExpressionError& error) {
        fail(fmt::format("{} is not taken with --on {}: {}", quote(one.text), on_, error.what()));
      }
    }
    study.measures.push_back(std::move(measure));
  }
}

EnsembleStudy EnsembleReader::read() {
  const YamlNode& root = tree_.root();
  if (model_.kind != "formula system") refuse(root.find("bodies"), std::nullopt, runs_no("mechanisms: a formula model has coordinates and energies"));
  const EnsembleSettings set = settings();
  check_options();
  if (model_.stop) refuse(simulation("stop"), std::nullopt, runs_no("members with a stop condition"));
  if (model_.assembled) refuse(root.find("assemble"), std::nullopt, runs_no("members whose start is assembled"));
  const Block top(reading_, root, {"model", "formula"});
  VaryingNames varying = declare_coordinates(reading_, top);
  const VaryingNames expressions = declare_expressions(reading_, top);
  varying.insert(varying.end(), expressions.begin(), expressions.end());
  if (!reading_.what_is("load")) reading_.constants.add("load", reading_.graph.constant(study_.base.load));
  EnsembleStudy result;
  const auto parameters = read_definitions(reading_, top, varying, study_.base, study_.varied);
  read_time_expressions(reading_, top);
  members_ = read_ensemble_formulas(reading_, top, on_);
  // in the study's order
  members_.formulas.parameters.clear();
  for (const std::string& name : study_.varied) members_.formulas.parameters.push_back(reading_.graph.variable("parameter:" + name));
  const auto need_none = [&](const char* key, bool none) {
    if (!none) refuse(root.find(key), std::nullopt, fmt::format("--on {} runs {} without {}; take moreau-midpoint, or --on cores", on_, model_.settings.scheme, key));
  };
  if (set.scheme == EnsembleScheme::rk4 || set.scheme == EnsembleScheme::hem5) {
    need_none("contacts", members_.formulas.contacts.empty());
    need_none("constraints", members_.formulas.constraints.empty());
  }
  check_closed();
  add_columns(top);
  read_measures(result);
  result.verdict = MemberVerdict(reading_.graph, members_, set);
  result.ensemble = std::make_unique<Ensemble>(reading_.graph, members_, set);
  std::vector<Expr> values;
  for (const auto& [name, value] : parameters) values.push_back(*reading_.constants.find(name));
  result.parameters = Program(reading_.graph, members_.formulas.parameters, values);
  result.end = set.end;
  return result;
}

}  // namespace

EnsembleStudy read_ensemble(const Study& study, const std::string& on) { return EnsembleReader(study, on).read(); }

}  // namespace escapement
