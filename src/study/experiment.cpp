#include "study/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>

#include "io/yaml_tree.hpp"
#include "math/expression_parser.hpp"
#include "study/experiment_files.hpp"

namespace escapement::inline study {

namespace {

std::string flow_text(const YamlNode& node);

// a scalar as it stands; a list as [a, b], which is how options take lists
std::string text_of(const YamlNode& node) { return node.is_sequence() ? flow_text(node) : node.text; }

std::string flow_text(const YamlNode& node) {
  std::string text = "[";
  for (const auto& entry : node.entries) text += (text.size() > 1 ? ", " : "") + text_of(*entry.value);
  return text + "]";
}

std::vector<std::string> texts(const YamlNode& node) {
  if (!node.is_sequence()) return {node.text};
  std::vector<std::string> list;
  for (const auto& entry : node.entries) list.push_back(text_of(*entry.value));
  return list;
}

std::vector<double> numbers(const YamlNode& node) {
  std::vector<double> list;
  for (const std::string& text : texts(node)) list.push_back(std::stod(text));
  return list;
}

TextPairs pairs(const YamlNode& node) {
  TextPairs list;
  for (const auto& entry : node.entries) list.emplace_back(entry.key, text_of(*entry.value));
  return list;
}

bool truth(const YamlNode& node) { return node.text == "true"; }

class ExperimentReader {
 public:
  explicit ExperimentReader(const SourceText& source) : source_(source) {}

  using Setter = std::function<void(const YamlNode&)>;
  // every key has its setter; others go to `rest`, or are errors
  void read(const YamlNode& map, const std::map<std::string, Setter>& setters, TextPairs* rest = nullptr) const {
    if (!map.is_map()) source_.fail(map.offset, "a map was expected here");
    for (const auto& entry : map.entries) {
      const auto it = setters.find(entry.key);
      if (it != setters.end())
        it->second(*entry.value);
      else if (rest)
        rest->emplace_back(entry.key, text_of(*entry.value));
      else
        source_.fail(entry.key_offset, fmt::format("the key '{}' is not known here", entry.key));
    }
  }

  Case read_case(const std::string& name, const YamlNode& node, const Experiment& experiment) {
    Case c;
    c.name = name;
    c.model = default_model_;
    c.measures = default_measures_;
    auto vary = [&](const YamlNode& lists) {
      for (const auto& entry : lists.entries) c.vary.emplace_back(entry.key, texts(*entry.value));
      for (const auto& [key, values] : c.vary)
        if (values.size() != c.vary.front().second.size())
          source_.fail(lists.offset, "the lists that vary differ in length");
    };
    auto reference = [&](const YamlNode& n) {
      if (!n.is_map()) return void(c.reference = n.text);
      read(n, {{"q", [&](const YamlNode& v) { c.reference_q = pairs(v); }},
               {"v", [&](const YamlNode& v) { c.reference_v = pairs(v); }}});
    };
    read(node,
         {{"kind", [&](const YamlNode& n) { c.kind = n.text; }},
          {"title", [&](const YamlNode& n) { c.title = n.text; }},
          {"fitted", [&](const YamlNode& n) { c.fitted = n.text; }},
          {"model", [&](const YamlNode& n) { c.model = n.text; }},
          {"set", [&](const YamlNode& n) { c.set = pairs(n); }},
          {"options", [&](const YamlNode& n) { c.options = pairs(n); }},
          {"vary", vary},
          {"grid", [&](const YamlNode& n) { grid_ = &n; }},
          {"columns", [&](const YamlNode& n) { c.columns = pairs(n); }},
          {"measures",
           [&](const YamlNode& n) {
             for (auto& p : pairs(n)) c.measures.push_back(p);
           }},
          {"reference", reference},
          {"quick", [&](const YamlNode& n) { c.quick = std::stoi(n.text); }},
          {"keep", [&](const YamlNode& n) { c.keep = std::stoi(n.text); }}},
         &c.settings);
    if (!c.reference.empty() && !experiment.find(c.reference))
      source_.fail(node.offset, fmt::format("the case '{}' refers to '{}', which is not above it", name, c.reference));
    return c;
  }

  // one case per combination of the grid's values, which make its title
  void expand(const Case& base, const YamlNode& grid, std::vector<Case>& cases) const {
    std::vector<Case> list{base};
    for (const auto& entry : grid.entries) {
      std::vector<Case> longer;
      for (const Case& c : list)
        for (const std::string& value : texts(*entry.value)) {
          Case other = c;
          const std::size_t dot = entry.key.find('.');
          const std::string key = dot == std::string::npos ? entry.key : entry.key.substr(dot + 1);
          TextPairs& where = entry.key.starts_with("option.") ? other.options
                             : entry.key.starts_with("set.")  ? other.set
                                                              : other.settings;
          where.emplace_back(key, value);
          other.title += (other.title.empty() ? "" : ", ") + key + " " + value;
          longer.push_back(std::move(other));
        }
      list = std::move(longer);
    }
    for (Case& c : list) {
      c.family = base.name;
      c.name = fmt::format("{}#{}", base.name, &c - list.data() + 1);
      cases.push_back(std::move(c));
    }
  }

  Reason read_reason(const YamlNode& node) const {
    Reason reason;
    read(node, {{"because", [&](const YamlNode& n) { reason.because = n.text; }},
                {"proof", [&](const YamlNode& n) { reason.proof = n.text; }}});
    if (reason.because.empty()) source_.fail(node.offset, "a reason needs 'because'");
    return reason;
  }

  // the cases whose numbers an expression names, one entry each
  std::vector<const Case*> cases_of(const std::string& expression, const Experiment& experiment) const {
    std::vector<const Case*> list;
    for (const UsedName& used : names_in_expression(expression)) {
      const std::string_view name = std::string_view(used.name).substr(0, used.name.find('.'));
      for (const Case* c : experiment.readings(name))
        if (std::find(list.begin(), list.end(), c) == list.end()) list.push_back(c);
    }
    return list;
  }

  // a name that a run gave: not a printed number, which stands among the values that vary, nor the row's own two
  bool is_measured(const std::string& name, const Case* own, const Experiment& experiment) const {
    if (name == "published" || name == "ours") return false;
    const std::size_t dot = name.find('.');
    const std::vector<const Case*> named = experiment.readings(name.substr(0, dot));
    const Case* c = !named.empty() && dot != std::string::npos ? named.front() : own;
    const std::string last = named.empty() || dot == std::string::npos ? name : name.substr(name.find('.', dot + 1) + 1);
    return !c || std::none_of(c->vary.begin(), c->vary.end(), [&](const auto& vary) { return vary.first == last; });
  }

  // a reason counts by its proof alone: what the proof stands on, and whether it was picked to stand
  void weigh(Reason& reason, const RowSpec& row, const YamlNode& node, const Experiment& experiment) const {
    if (reason.proof.empty())
      source_.fail(node.offset, "'because' needs 'proof', a comparison that could fail; what is only thought is a 'remark'");
    const auto names = names_in_expression(reason.proof);
    const Case* own = experiment.find(row.case_name);
    const auto names_only = [&](auto... known) {
      return std::all_of(names.begin(), names.end(), [&](const UsedName& used) { return ((used.name == known) || ...); });
    };
    if (names.empty() || (names_only("published", "ours") && !names_only("published")))
      source_.fail(node.offset, "this proof says no more than that the two numbers differ");
    reason.print_only = std::none_of(names.begin(), names.end(),
                                     [&](const UsedName& used) { return is_measured(used.name, own, experiment); });
    for (const UsedName& used : names)
      if (used.name.ends_with(".meets")) reason.fitted = "some of the readings meet it";
    for (const Case* c : cases_of(reason.proof, experiment))
      if (!c->fitted.empty()) reason.fitted = c->fitted;
  }

  // readings other than the row's own: those it lists, and those its reasons speak of
  int count_readings(const RowSpec& row, const Experiment& experiment) const {
    std::vector<std::string> families = row.tried;
    for (const Reason& reason : row.reasons)
      for (const Case* c : cases_of(reason.proof, experiment)) {
        const std::string& name = c->family.empty() ? c->name : c->family;
        const bool counts = !c->family.empty() || (!c->title.empty() && c->name != row.case_name);
        if (counts && std::find(families.begin(), families.end(), name) == families.end()) families.push_back(name);
      }
    int count = 0;
    for (const std::string& name : families) count += static_cast<int>(experiment.readings(name).size());
    return count;
  }

  void check_sources(const RowSpec& row, const YamlNode& node, const Experiment& experiment) const {
    const bool is_printed = !row.published.empty() || (!row.claim.empty() && !row.holds.empty());
    if (is_printed && experiment.place.starts_with("And now"))
      source_.fail(node.offset, "nothing is printed under 'And now': use 'expected' for numbers, 'statement' for claims");
    if (!row.published.empty() && !row.expected.empty())
      source_.fail(node.offset, "a number is either 'published' or 'expected'");
    if (!row.claim.empty() && !row.statement.empty())
      source_.fail(node.offset, "a row has either a 'claim' of the paper or a 'statement' of ours");
    if (!row.holds.empty() && row.claim.empty() && row.statement.empty())
      source_.fail(node.offset, "'holds' needs a 'claim' of the paper or a 'statement' of ours");
    for (const std::string& number : row.published)
      if (number != "-" && std::stod(number) == 0)
        source_.fail(node.offset, "nobody publishes a 0: use 'expected', or 'claim' with 'holds'");
  }

  RowSpec read_row(const YamlNode& node, const Experiment& experiment) const {
    RowSpec row;
    Reason only;
    read(node, {{"what", [&](const YamlNode& n) { row.what = n.text; }},
                {"unit", [&](const YamlNode& n) { row.unit = n.text; }},
                {"case", [&](const YamlNode& n) { row.case_name = n.text; }},
                {"value", [&](const YamlNode& n) { row.value = n.text; }},
                {"against", [&](const YamlNode& n) { row.against = n.text; }},
                {"published", [&](const YamlNode& n) { row.published = texts(n); }},
                {"expected", [&](const YamlNode& n) { row.expected = texts(n); }},
                {"statement", [&](const YamlNode& n) { row.statement = n.text; }},
                {"remark", [&](const YamlNode& n) { row.remark = n.text; }},
                {"fitted", [&](const YamlNode& n) { row.fitted = n.text; }},
                {"same_within", [&](const YamlNode& n) { row.same_within = std::stod(n.text); }},
                {"rounding", [&](const YamlNode& n) { row.rounding = std::stod(n.text); }},
                {"claim", [&](const YamlNode& n) { row.claim = n.text; }},
                {"holds", [&](const YamlNode& n) { row.holds = n.text; }},
                {"because", [&](const YamlNode& n) { only.because = n.text; }},
                {"proof", [&](const YamlNode& n) { only.proof = n.text; }},
                {"reasons",
                 [&](const YamlNode& n) {
                   for (const auto& entry : n.entries) row.reasons.push_back(read_reason(*entry.value));
                 }},
                {"tried", [&](const YamlNode& n) { row.tried = texts(n); }},
                {"also", [&](const YamlNode& n) { row.also = pairs(n); }},
                {"absent", [&](const YamlNode& n) { row.absent = n.text; }},
                {"timing", [&](const YamlNode& n) { row.timing = truth(n); }}});
    if (!only.because.empty()) row.reasons.insert(row.reasons.begin(), only);
    const Case* c = experiment.find(row.case_name);
    if (!row.case_name.empty() && !c) source_.fail(node.offset, fmt::format("there is no case '{}'", row.case_name));
    const std::size_t rows = c ? static_cast<std::size_t>(c->points()) : 1;
    for (const auto* values : {&row.published, &row.expected})
      if (!values->empty() && values->size() != rows)
        source_.fail(node.offset, fmt::format("{} values for {} rows", values->size(), rows));
    for (Reason& reason : row.reasons) weigh(reason, row, node, experiment);
    if (row.fitted.empty() && c) row.fitted = c->fitted;
    if (row.fitted.empty() && row.holds.empty() && row.absent.empty())
      for (const Case* used : cases_of(row.value, experiment))
        if (!used->fitted.empty()) row.fitted = used->fitted;
    row.readings = count_readings(row, experiment);
    check_sources(row, node, experiment);
    for (const std::string& reading : row.tried) {
      const auto others = experiment.readings(reading);
      const bool fit = std::all_of(others.begin(), others.end(), [&](const Case* other) {
        return !other->title.empty() && other->points() <= static_cast<int>(rows);
      });
      if (others.empty() || !fit)
        source_.fail(node.offset,
                     fmt::format("'{}' is not a case with a title and no more points than the row's", reading));
    }
    if (row.value.empty() && row.holds.empty() && row.absent.empty())
      source_.fail(node.offset, "a row needs 'value', 'holds' or 'absent'");
    return row;
  }

  SeriesSpec read_series(const YamlNode& node, const Experiment& experiment) const {
    SeriesSpec series;
    read(node,
         {{"name", [&](const YamlNode& n) { series.name = n.text; }},
          {"case", [&](const YamlNode& n) { series.case_name = n.text; }},
          {"point", [&](const YamlNode& n) { series.point = std::stoi(n.text) - 1; }},
          {"x", [&](const YamlNode& n) { n.is_sequence() ? void(series.xs = numbers(n)) : void(series.x = n.text); }},
          {"y", [&](const YamlNode& n) { n.is_sequence() ? void(series.ys = numbers(n)) : void(series.y = n.text); }},
          {"style", [&](const YamlNode& n) { series.style = n.text; }},
          {"faint", [&](const YamlNode& n) { series.faint = truth(n); }}});
    if (!series.case_name.empty() && !experiment.find(series.case_name))
      source_.fail(node.offset, fmt::format("there is no case '{}'", series.case_name));
    return series;
  }

  FigureSpec read_figure(const YamlNode& node, const Experiment& experiment) const {
    FigureSpec figure;
    auto axis = [&](const YamlNode& n, std::string& label, std::string& unit, bool& log) {
      read(n, {{"label", [&](const YamlNode& v) { label = v.text; }},
               {"unit", [&](const YamlNode& v) { unit = v.text; }},
               {"log", [&](const YamlNode& v) { log = truth(v); }}});
    };
    read(node, {{"title", [&](const YamlNode& n) { figure.title = n.text; }},
                {"caption", [&](const YamlNode& n) { figure.caption = n.text; }},
                {"x", [&](const YamlNode& n) { axis(n, figure.x_label, figure.x_unit, figure.x_log); }},
                {"y", [&](const YamlNode& n) { axis(n, figure.y_label, figure.y_unit, figure.y_log); }},
                {"slopes", [&](const YamlNode& n) { figure.slopes = truth(n); }},
                {"equal", [&](const YamlNode& n) { figure.equal = truth(n); }},
                {"orders", [&](const YamlNode& n) { figure.orders = numbers(n); }},
                {"series", [&](const YamlNode& n) {
                   for (const auto& entry : n.entries) figure.series.push_back(read_series(*entry.value, experiment));
                 }}});
    return figure;
  }

  Experiment read_all(const YamlNode& root) {
    Experiment e;
    e.id = std::filesystem::path(source_.file()).stem().string();
    auto sentences = [&](const YamlNode& n) {
      std::vector<std::string> list = texts(n);
      for (const std::string& text : list)
        if (text.empty()) source_.fail(n.offset, "an entry is not a text: quote a sentence that holds ': '");
      return list;
    };
    read(root, {{"paper", [&](const YamlNode& n) { e.paper = n.text; }},
                {"place", [&](const YamlNode& n) { e.place = n.text; }},
                {"title", [&](const YamlNode& n) { e.title = n.text; }},
                {"order", [&](const YamlNode& n) { e.order = std::stoi(n.text); }},
                {"reading", [&](const YamlNode& n) { e.reading = sentences(n); }},
                {"alternatives", [&](const YamlNode& n) { e.alternatives = sentences(n); }},
                {"model", [&](const YamlNode& n) { default_model_ = n.text; }},
                {"models",
                 [&](const YamlNode& n) {
                   for (const auto& [name, text] : pairs(n)) e.models[name] = text;
                 }},
                {"measures", [&](const YamlNode& n) { default_measures_ = pairs(n); }},
                {"quick", [&](const YamlNode& n) { e.quick = truth(n); }},
                {"timing", [&](const YamlNode& n) { e.timing = truth(n); }},
                {"cases",
                 [&](const YamlNode& n) {
                   for (const auto& entry : n.entries) {
                     grid_ = nullptr;
                     const Case c = read_case(entry.key, *entry.value, e);
                     grid_ ? expand(c, *grid_, e.cases) : e.cases.push_back(c);
                   }
                 }},
                {"rows",
                 [&](const YamlNode& n) {
                   for (const auto& entry : n.entries) e.rows.push_back(read_row(*entry.value, e));
                 }},
                {"figures", [&](const YamlNode& n) {
                   for (const auto& entry : n.entries) e.figures.push_back(read_figure(*entry.value, e));
                 }}});
    if (e.paper.empty() || e.place.empty() || e.rows.empty())
      source_.fail(0, "an experiment needs 'paper', 'place' and 'rows'");
    return e;
  }

 private:
  const SourceText& source_;
  std::string default_model_;
  TextPairs default_measures_;
  const YamlNode* grid_ = nullptr;  // of the case just read
};

}  // namespace

const std::string* Case::setting(std::string_view key) const {
  for (const auto& [known, value] : settings)
    if (known == key) return &value;
  return nullptr;
}

const Case* Experiment::find(std::string_view name) const {
  for (const Case& c : cases)
    if (c.name == name) return &c;
  return nullptr;
}

std::vector<const Case*> Experiment::readings(std::string_view name) const {
  std::vector<const Case*> list;
  for (const Case& c : cases)
    if (c.name == name || c.family == name) list.push_back(&c);
  return list;
}

const std::vector<Paper>& papers() {
  static const std::vector<Paper> all{
      {"000",
       "Comparison of index-3, index-2 and index-1 DAE solvers for nonsmooth multibody systems with unilateral and "
       "bilateral constraints",
       {"haddouni", "acary", "beley"},
       "M. Haddouni, V. Acary, J.-D. Beley; Multibody Dynamics 2013, Zagreb, 2013"},
      {"001",
       "The nonsmooth generalized-alpha scheme with a simultaneous enforcement of constraints at position and velocity "
       "levels",
       {"bruls"},
       "O. Br\u00fcls, V. Acary, A. Cardona; ENOC 2014, Vienna, 2014"},
      {"002",
       "A new approach to formulate structural methods for multibody dynamics",
       {"fernandez", "bustos", "uriarte", "coria", "urkullu"},
       "I. Fern\u00e1ndez de Bustos, H. Uriarte, I. Coria, G. Urkullu; our copy has no year, it cites work of 2022"},
      {"003",
       "Time-step-size-independent conditioning and sensitivity to perturbations in the numerical solution of index "
       "three differential algebraic equations",
       {"bottasso", "bauchau", "cardona"},
       "C. L. Bottasso, O. A. Bauchau, A. Cardona; SIAM Journal on Scientific Computing, 2007"},
      // our copy names neither its title nor its authors: a description, and those of the publication we take it for
      {"004",
       "Moreau's midpoint rule with the method of Gear, Gupta and Leimkuhler for impacting mechanical systems",
       {"schoeder", "ulbrich", "schindler"},
       "our copy has neither title nor authors nor year; we take it for S. Schoeder, H. Ulbrich, T. Schindler, 2014"},
  };
  return all;
}

Experiment read_experiment(const std::string& file, const std::string& text) {
  const SourceText source(file, text);
  const YamlTree tree(source);
  return ExperimentReader(source).read_all(tree.root());
}

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> list;
    for (const ExampleFile& file : experiment_files())
      list.push_back(read_experiment(file.name, std::string(file.text)));
    std::stable_sort(list.begin(), list.end(), [](const Experiment& a, const Experiment& b) {
      return std::tie(a.paper, a.order) < std::tie(b.paper, b.order);
    });
    return list;
  }();
  return all;
}

}  // namespace escapement
