#include "io/reading.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "io/reaction_reader.hpp"
#include "math/nearest_name.hpp"
#include "math/table.hpp"

namespace escapement::inline io {

namespace {

// where a block stands, for messages: "the simulation block"
std::string block_name(std::string_view where) {
  const std::size_t dot = where.find('.');
  if (dot == std::string_view::npos) return where == "study" ? "a study" : "a model";
  std::string_view path = where.substr(dot + 1);
  if (path.size() > 2 && path.substr(path.size() - 2) == ".*")
    return fmt::format("an entry of {}", path.substr(0, path.size() - 2));
  return fmt::format("the {} block", path);
}

bool is_not_finite_word(std::string_view text) {
  for (std::string_view word :
       {".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF", "+.inf", ".nan", ".NaN", ".NAN", "inf", "nan", "-inf"})
    if (text == word) return true;
  return false;
}

std::string name_at(const std::string& text, std::size_t offset) {
  std::size_t end = offset;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '.')) ++end;
  return text.substr(std::min(offset, text.size()), end - offset);
}

// outputs and reactions have names that other expressions do not know: why; empty for names that nothing has
std::string known_elsewhere(const YamlNode& root, const std::string& name) {
  const auto has = [&](const char* block, const std::string& key) {
    const YamlNode::Entry* entry = root.find(block);
    return entry && entry->value->is_map() && entry->value->find(key);
  };
  if (has("outputs", name)) return "it is an output, which no expression can use; give it a name under 'expressions'";
  if (!may_be_reaction(name)) return {};
  const std::string owner = name.substr(0, name.rfind('.'));
  return has("joints", owner) || has("contacts", owner) ? reactions_stand : "";
}

}  // namespace

Expr Reading::expression(const YamlNode::Entry& entry, const Symbols& symbols) {
  said.push_back({parse(entry, symbols), entry.value->offset});
  return said.back().e;
}

Expr Reading::smooth_expression(const YamlNode::Entry& entry, const Symbols& symbols, const char* what) {
  const Expr e = expression(entry, symbols);
  refuse_linear_tables(entry, e, what);
  return e;
}

void Reading::refuse_linear_tables(const YamlNode::Entry& entry, Expr e, const char* what) const {
  const Expr roots[] = {e};
  for (Expr part : graph.reachable(roots))
    if (graph.node(part).op == Op::table && graph.table(graph.node(part).symbol)->is_linear())
      fail(*entry.value, fmt::format("a linear table has corners and no second derivative, which {} needs; make it "
                                     "'interpolation: cubic'",
                                     what));
}

Expr Reading::parse(const YamlNode::Entry& entry, const Symbols& symbols) {
  const YamlNode& node = *entry.value;
  if (node.is_null()) fail(entry.key_offset, "an expression is missing here; write a number or a formula");
  if (!node.is_scalar())
    fail(node, fmt::format("a number or an expression is expected here, but this is {}", node.kind_name()));
  if (is_not_finite_word(node.text))
    fail(node, fmt::format("{} is not a finite number; use one between -1e308 and 1e308", quote(node.text)));
  try {
    return parse_expression(graph, node.text, symbols);
  } catch (const ExpressionError& e) {
    const std::string name = name_at(node.text, e.offset);
    const bool knows_reactions = &symbols == &outcomes && may_be_reaction(name);  // the parser tells which ones there are
    const std::string known =
        symbols.find(name) || symbols.find_refusal(name) || knows_reactions ? "" : known_elsewhere(tree.root(), name);
    fail(tree.offset_in(node, e.offset), known.empty() ? e.what() : fmt::format("{} cannot stand here: {}", quote(name), known));
  }
}

std::vector<Expr> Reading::slips(const YamlNode::Entry& entry, bool in_space) {
  if (!entry.value->is_sequence()) return {smooth_expression(entry, states, "a slip")};
  if (!in_space) fail(*entry.value, "in the plane a contact slips in one direction; write one expression");
  if (entry.value->entries.size() != 2)
    fail(*entry.value, fmt::format("a slip has one direction or two, [one, other], but this list has {}; give two", entry.value->entries.size()));
  return {smooth_expression(entry.value->entries[0], states, "a slip"), smooth_expression(entry.value->entries[1], states, "a slip")};
}

double Reading::constant(const YamlNode::Entry& entry) {
  const double value = number(entry);
  if (has_live && may_change(said.back().e))
    fail(*entry.value, fmt::format("{} is a fixed number here, so that nothing in it can be set between steps", quote(entry.value->text)));
  return value;
}

bool Reading::may_change(Expr e) const {
  const Expr roots[] = {e};
  for (Expr part : graph.reachable(roots))
    if (graph.node(part).op == Op::table && graph.table(graph.node(part).symbol)->is_live()) return true;
  return false;
}

double Reading::number(const YamlNode::Entry& entry) {
  const Expr e = expression(entry, constants);
  // numbers and parameters are known when they are read
  const double value = graph.is_constant(e) ? graph.value(e) : graph.evaluate(e, open_parameters);
  if (is_open(e)) open_numbers[entry.value->offset] = {entry.key, e};
  if (!std::isfinite(value))
    fail(*entry.value, fmt::format("the value of {} is not a finite number; check it", quote(entry.value->text)));
  return value;
}

bool Reading::is_open(Expr e) const {
  for (const auto& [parameter, value] : open_parameters)
    if (graph.depends_on(e, parameter)) return true;
  return false;
}

Expr Reading::number_or_open(const YamlNode::Entry* entry, double fallback) {
  if (!entry) return graph.constant(fallback);
  const auto open = open_numbers.find(entry->value->offset);
  if (open == open_numbers.end()) return parse(*entry, constants);
  const Expr e = open->second.e;
  open_numbers.erase(open);
  return e;
}

void Reading::check_name(const std::string& name, const char* what, std::size_t offset) const {
  if (name == "t" || is_reserved_name(name))
    fail(offset, fmt::format("{} already has a meaning in expressions and cannot name a {}; choose another name",
                             quote(name), what));
  if (name.find('{') != std::string::npos)
    fail(offset, fmt::format("{} has braces, which stand for numbers only in entries with 'repeat: {{k: [1, n]}}'; add that, "
                             "or name the {} without braces",
                             quote(name), what));
  if (!is_valid_name(name) || name.find('.') != std::string::npos)
    fail(offset,
         fmt::format("{} cannot name a {}; use letters, digits and _, and start with a letter", quote(name), what));
}

void Reading::declare(const std::string& name, const char* what, std::size_t offset) {
  check_name(name, what, offset);
  const auto [it, fresh] = owners_.emplace(name, Owner{what, offset});
  if (!fresh)
    fail(offset, fmt::format("the {} {} has the name of a {} (line {}); rename one of them", what, quote(name),
                             it->second.what, source.place(it->second.offset).line));
}

const char* Reading::what_is(const std::string& name) const {
  const auto it = owners_.find(name);
  return it == owners_.end() ? nullptr : it->second.what;
}

Block::Block(Reading& reading, const YamlNode& map, std::vector<std::string_view> wheres)
    : reading_(reading), node_(map), offset_(map.offset), wheres_(std::move(wheres)) {
  check_keys();
}

Block::Block(Reading& reading, const YamlNode::Entry& entry, std::string_view where)
    : reading_(reading), node_(*entry.value), offset_(entry.key_offset), wheres_{where} {
  if (!node_.is_map() && !node_.is_null())
    reading_.fail(node_,
                  fmt::format("{} must be a map, like {{key: value}}, but is {}", quote(entry.key), node_.kind_name()));
  check_keys();
}

const KeyInfo* Block::info(std::string_view key) const {
  for (std::string_view where : wheres_)
    if (const KeyInfo* found = find_key(where, key)) return found;
  return nullptr;
}

void Block::check_keys() const {
  for (const auto& entry : node_.entries) {
    const KeyInfo* known = info(entry.key);
    if (!known && !info("*")) fail_unknown(entry);
    if (known && !known->built)
      reading_.fail(entry.key_offset, fmt::format("{} {} not available in this version", known->key,
                                                  known->key.ends_with('s') ? "are" : "is"));
  }
}

void Block::fail_unknown(const YamlNode::Entry& entry) const {
  std::vector<std::string> known;
  for (std::string_view where : wheres_)
    for (const KeyInfo* key : keys_of(where)) known.emplace_back(key->key);
  std::string advice = did_you_mean(entry.key, known);
  if (advice.empty()) {
    for (const KeyInfo& other : schema())
      if (other.key == entry.key && other.where.find('*') == std::string_view::npos) {
        advice = fmt::format("; it belongs into {}", block_name(other.where));
        break;
      }
  }
  if (advice.empty()) advice = fmt::format("; the keys there are {}", fmt::join(known, ", "));
  reading_.fail(entry.key_offset,
                fmt::format("{} has no key {}{}", block_name(wheres_.back()), quote(entry.key), advice));
}

const YamlNode::Entry& Block::require(std::string_view key) const {
  const YamlNode::Entry* entry = find(key);
  if (!entry)
    reading_.fail(offset_, fmt::format("the key '{}' is missing in {}; add it", key, block_name(wheres_.back())));
  return *entry;
}

std::optional<double> Block::number(std::string_view key) const {
  const YamlNode::Entry* entry = find(key);
  if (!entry) return std::nullopt;
  const double value = reading_.constant(*entry);
  if (const KeyInfo* known = info(key))
    check_range(*known, value, [&](const std::string& message) { reading_.fail(*entry->value, message); });
  return value;
}

void check_range(const KeyInfo& info, double value, const std::function<void(const std::string&)>& fail) {
  if (!info.range.contains(value)) fail(fmt::format("{} is {:g} but {}", info.key, value, info.range.requirement()));
}

std::optional<std::string> Block::text(std::string_view key) const {
  const YamlNode::Entry* entry = find(key);
  if (!entry) return std::nullopt;
  if (!entry->value->is_scalar())
    reading_.fail(entry->key_offset, fmt::format("'{}' must be a text, but is {}", key, entry->value->kind_name()));
  return entry->value->text;
}

std::optional<std::string> Block::word(std::string_view key) const {
  const std::optional<std::string> given = text(key);
  if (!given) return std::nullopt;
  std::vector<std::string> choices;
  for (std::string_view choice : info(key)->choices) choices.emplace_back(choice);
  for (const auto& choice : choices)
    if (*given == choice) return given;
  const std::string near = did_you_mean(*given, choices);
  reading_.fail(*find(key)->value,
                fmt::format("'{}' cannot be {}{}", key, quote(*given),
                            near.empty() ? fmt::format("; choose one of: {}", fmt::join(choices, ", ")) : near));
}

bool Block::flag(std::string_view key, bool fallback) const {
  const std::optional<std::string> given = text(key);
  if (!given) return fallback;
  for (const char* yes : {"true", "True", "yes", "on"})
    if (*given == yes) return true;
  for (const char* no : {"false", "False", "no", "off"})
    if (*given == no) return false;
  reading_.fail(*find(key)->value, fmt::format("'{}' is true or false, not {}", key, quote(*given)));
}

std::vector<YamlNode::Entry> Block::named(std::string_view key) const {
  const YamlNode::Entry* entry = find(key);
  if (!entry || entry->value->is_null()) return {};
  if (!entry->value->is_map())
    reading_.fail(*entry->value, fmt::format("'{}' must be a map of names, like {{a: ...}}, but is {}", key,
                                             entry->value->kind_name()));
  return entry->value->entries;
}

}  // namespace escapement
