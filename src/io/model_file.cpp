#include "io/model_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "io/contact_arrows.hpp"
#include "io/explicit_reader.hpp"
#include "io/expressions_reader.hpp"
#include "io/formula_reader.hpp"
#include "io/mechanism_reader.hpp"
#include "io/picture_reader.hpp"
#include "io/reaction_reader.hpp"
#include "io/readable.hpp"
#include "io/repetition.hpp"
#include "io/short_times.hpp"
#include "io/simulation_reader.hpp"
#include "io/source_text.hpp"
#include "io/start_reader.hpp"
#include "math/nearest_name.hpp"
#include "model/formula_catalogue.hpp"
#include "run/version.hpp"

namespace escapement::inline io {

namespace {

enum class Kind { formula, mechanism };

Kind kind_of(const Reading& reading, const YamlNode& root) {
  const YamlNode::Entry *formula = nullptr, *mechanism = nullptr;
  for (const char* key : {"coordinates", "kinetic_energy"})
    if (!formula) formula = root.find(key);
  for (const char* key : {"dimension", "bodies"})
    if (!mechanism) mechanism = root.find(key);
  if (formula && mechanism)
    reading.fail(mechanism->key_offset,
                 fmt::format("a model has either '{}' (formula system) or '{}' (mechanism), not both", formula->key,
                             mechanism->key));
  return mechanism ? Kind::mechanism : Kind::formula;
}

void check_version(Reading& reading, const YamlNode& root) {
  if (!root.is_map())
    reading.fail(root,
                 fmt::format("a model is a map that starts with 'escapement: 1', but this is {}", root.kind_name()));
  const YamlNode::Entry* version = root.find("escapement");
  if (!version) reading.fail(0, "the first line of a model is 'escapement: 1', the version of its format; add it");
  if (version != &root.entries.front())
    reading.fail(version->key_offset, "'escapement: 1' must be the first key of a model; move it up");
  if (!version->value->is_scalar() || version->value->text != "1")
    reading.fail(version->value->is_null() ? version->key_offset : version->value->offset,
                 "this program reads version 1 of the format; write 'escapement: 1'");
}

// some value of the model is an expression with this name
bool uses_name(const YamlNode& node, std::string_view name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\''; };
  const std::string& text = node.text;
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  for (const YamlNode::Entry& entry : node.entries)
    if (entry.key != "name" && uses_name(*entry.value, name)) return true;
  return false;
}

// what follows from a parameter: itself, and parameters and expressions that use it
std::vector<std::string> followers(const YamlNode& root, const std::string& parameter) {
  std::vector<std::string> names{parameter};
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const char* block : {"parameters", "expressions"})
      if (const YamlNode::Entry* entry = root.find(block))
        for (const YamlNode::Entry& one : entry->value->entries)
          if (uses_name(*one.value, names[i]) && std::find(names.begin(), names.end(), one.key) == names.end())
            names.push_back(one.key);
  return names;
}

// only what moves the system from outside, or is looked at, can change between steps
void need_settable(const Reading& reading, const YamlNode& root, const std::string& parameter) {
  static constexpr std::string_view open[] = {"parameters", "expressions", "forces", "outputs", "drawing", "states"};
  const auto refuse = [&](const YamlNode::Entry& where, const std::string& name) {
    reading.fail(where.key_offset,
                 fmt::format("'{}' uses {}{}, and only what forces, drives and outputs use can be set between steps",
                             where.key, quote(parameter), name == parameter ? "" : fmt::format(" by way of {}", quote(name))));
  };
  const YamlNode::Entry* parameters = root.find("parameters");
  if (!parameters || !parameters->value->find(parameter)) {
    std::vector<std::string> known;
    if (parameters)
      for (const YamlNode::Entry& one : parameters->value->entries) known.push_back(one.key);
    throw OverrideError(fmt::format("the model has no parameter {}{}", quote(parameter), did_you_mean(parameter, known)));
  }
  for (const std::string& name : followers(root, parameter))
    for (const YamlNode::Entry& block : root.entries) {
      if (std::find(std::begin(open), std::end(open), block.key) != std::end(open)) continue;
      if (block.key != "joints") {
        if (uses_name(*block.value, name)) refuse(block, name);
        continue;
      }
      for (const YamlNode::Entry& joint : block.value->entries)
        for (const YamlNode::Entry& entry : joint.value->entries)
          if (entry.key != "angle" && entry.key != "length" && uses_name(*entry.value, name)) refuse(entry, name);
    }
}

// the load factor, where the model has nothing else of this name
void read_load(const Reading& reading, const YamlNode& root, Model& model) {
  if (reading.what_is("load")) {
    model.load = Model::Load::own;
  } else if (uses_name(root, "load")) {
    model.load = Model::Load::factor;
  }
}

// what bytes come to, by the rule of Fowler, Noll and Vo
std::string sum_of(std::istream& bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::istreambuf_iterator<char> at(bytes), end; at != end; ++at)
    sum = (sum ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  return fmt::format("{:016x}", sum);
}

// so that a run that goes on can tell whether they are still the same
void note_files(const Reading& reading, Model& model) {
  for (const std::string& name : reading.named_files) {
    const auto given = std::ranges::find(reading.files, name, &std::pair<std::string, std::string>::first);
    std::istringstream text(given == reading.files.end() ? "" : given->second);
    std::ifstream beside(std::filesystem::path(model.file).parent_path() / name, std::ios::binary);
    model.tables.emplace_back(name, sum_of(given == reading.files.end() ? static_cast<std::istream&>(beside) : text));
  }
}

Model read(const SourceText& source, const YamlTree& tree, const Overrides& overrides, FormulaCatalogue* catalogue) {
  Reading reading(source, tree);
  reading.catalogue = catalogue;
  reading.within_folder = overrides.within_folder;
  reading.files = overrides.files;
  const YamlNode& root = tree.root();
  check_version(reading, root);
  const Kind kind = kind_of(reading, root);
  const std::vector<std::string_view> wheres{"model", kind == Kind::formula ? "formula" : "mechanism"};
  const Block as_written(reading, root, wheres);
  for (const auto& [name, value] : overrides.live) need_settable(reading, root, name);

  Model model;
  model.file = source.file();
  model.text = source.text();
  model.overrides = overrides;
  model.name = as_written.text("name").value_or(std::filesystem::path(source.file()).stem().string());
  const bool mechanism = kind == Kind::mechanism;
  model.kind = mechanism ? "mechanism" : "formula system";
  VaryingNames varying = mechanism ? declare_mechanism(reading, as_written) : declare_coordinates(reading, as_written);
  const VaryingNames expressions = declare_expressions(reading, as_written);
  varying.insert(varying.end(), expressions.begin(), expressions.end());
  if (!reading.what_is("load")) reading.constants.add("load", reading.graph.constant(overrides.load));
  model.parameters = read_definitions(reading, as_written, varying, overrides);
  read_time_expressions(reading, as_written);
  read_load(reading, root, model);
  Repetition repetition(reading);
  const Block top(reading, mechanism ? repetition.expand(root) : root, wheres);
  if (mechanism) {
    read_mechanism(reading, top, model);
  } else {
    read_formula_system(reading, top, model);
  }
  std::vector<Said> laws = reading.said;
  name_reactions(reading, top, model);
  read_outputs(reading, top, model);
  read_drawing(reading, top, model);
  const std::size_t before = reading.said.size();
  read_simulation(reading, top, overrides, model);
  for (std::size_t i = before; i < reading.said.size(); ++i)
    if (!reading.uses_reactions(reading.said[i].e)) laws.push_back(reading.said[i]);
  read_explicit_terms(reading, laws, model);
  warn_of_short_times(reading, laws, model);
  read_start(reading, top, model);
  add_contact_arrows(reading, top, model);
  note_files(reading, model);
  return model;
}

Model read(const SourceText& source, const Overrides& overrides) { return read(source, YamlTree(source), overrides, nullptr); }

}  // namespace

Model load_model(const std::string& path, const Overrides& overrides) {
  return read(SourceText::read(path), overrides);
}

Model read_model(const std::string& file, const std::string& text, const Overrides& overrides) {
  return read(SourceText(file, text), overrides);
}

struct ModelText::Parts {
  SourceText source;
  YamlTree tree;
  mutable FormulaCatalogue catalogue;
  Parts(const std::string& file, const std::string& text) : source(file, text), tree(source) {}
};

ModelText::ModelText(const std::string& file, const std::string& text) : parts_(std::make_unique<Parts>(file, text)) {}
ModelText::~ModelText() = default;
Model ModelText::read(const Overrides& overrides) const {
  return escapement::read(parts_->source, parts_->tree, overrides, &parts_->catalogue);
}
std::size_t ModelText::derived() const { return parts_->catalogue.size(); }

std::vector<std::pair<std::string, std::string>> table_files(const std::string& model_file, const Overrides& overrides,
                                                             const std::vector<std::pair<std::string, std::string>>& tables) {
  std::vector<std::pair<std::string, std::string>> files = overrides.files;
  for (const auto& [name, sum] : tables) {
    if (std::ranges::find(files, name, &std::pair<std::string, std::string>::first) != files.end()) continue;
    std::ifstream file(std::filesystem::path(model_file).parent_path() / name, std::ios::binary);
    files.emplace_back(name, std::string(std::istreambuf_iterator<char>(file), {}));
  }
  return files;
}

Model read_model_of(const Result& result, const std::string& file) {
  return read_model(file, result.origin.model_text, result.origin.command);
}

namespace {

// the number of the first line that is not the same in both
std::size_t first_difference(std::string_view a, std::string_view b) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return 1 + static_cast<std::size_t>(std::count(a.begin(), at, '\n'));
}

}  // namespace

std::vector<std::string> changes_since(const Result& so_far, const Model& model, const std::string& file) {
  std::vector<std::string> found;
  const Origin& origin = so_far.origin;
  if (origin.version != version()) found.push_back(fmt::format("it was written by version {}, and this is {}", origin.version, version()));
  if (why_unreadable(file).empty()) {
    const std::string text = SourceText::read(file).text();
    if (text != origin.model_text) found.push_back(fmt::format("the model {} has changed, first in line {}", file, first_difference(origin.model_text, text)));
  }
  for (const auto& [table, sum] : origin.tables) {
    const auto now = std::find_if(model.tables.begin(), model.tables.end(), [&named = table](const auto& known) { return known.first == named; });
    if (now == model.tables.end() || now->second != sum) found.push_back(fmt::format("the table {} has changed", table));
  }
  return found;
}

}  // namespace escapement
