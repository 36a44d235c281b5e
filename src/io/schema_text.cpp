#include "io/schema_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/schema.hpp"
#include "math/nearest_name.hpp"
#include "simulate/settings.hpp"

namespace escapement::inline io {

namespace {

using Json = nlohmann::ordered_json;

const char* type_name(ValueType type) {
  switch (type) {
    case ValueType::number:
      return "number";
    case ValueType::expression:
      return "expression";
    case ValueType::condition:
      return "condition";
    case ValueType::text:
      return "text";
    case ValueType::word:
      return "word";
    case ValueType::flag:
      return "true or false";
    case ValueType::map:
      return "map";
    case ValueType::list:
      return "list";
    case ValueType::any:
      break;
  }
  return "see text";
}

// "simulation.end", "joints.NAME.at": as it stands in a model, names of the user's in capitals
std::string path_of(const KeyInfo& info) {
  std::string path = fmt::format("{}.{}", info.where, info.key);
  path = path.substr(path.find('.') + 1);
  for (std::size_t star; (star = path.find('*')) != std::string::npos;) path.replace(star, 1, "NAME");
  return path;
}

std::string limits_of(const KeyInfo& info) {
  if (!info.choices.empty()) return fmt::format("one of {}", fmt::join(info.choices, ", "));
  const Range any;
  return info.range.min == any.min && info.range.max == any.max ? "" : info.range.requirement();
}

std::string default_of(const KeyInfo& info) {
  if (info.required) return "required";
  if (info.fallback.empty() || info.fallback.find("the ") == 0) return std::string(info.fallback);  // words, no value
  return fmt::format("`{}`", info.fallback);
}

std::string value_text(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("[{}]", fmt::join(std::get<std::vector<double>>(value), ", "));
}

// every option with the schemes that take it
struct NamedOption {
  OptionInfo info;
  std::vector<std::string> schemes;  // empty: all
};

std::vector<NamedOption> all_options() {
  std::vector<NamedOption> result;
  for (const OptionInfo& one : loop_options()) result.push_back({one, {}});
  for (const SchemeEntry& entry : all_schemes())
    for (const OptionInfo& one : entry.info.options) {
      const auto same = std::find_if(result.begin(), result.end(), [&](const NamedOption& other) {
        return other.info.name == one.name && other.info.description == one.description &&
               value_text(other.info.value) == value_text(one.value);
      });
      (same == result.end() ? result.emplace_back(NamedOption{one, {}}) : *same).schemes.push_back(entry.info.id);
    }
  return result;
}

Json schema_of_block(const std::vector<std::string>& wheres);

Json schema_of(const KeyInfo& info) {
  Json one = Json::object();
  const std::string block = block_of(info), items = block + ".*";
  switch (info.type) {
    case ValueType::number:
    case ValueType::expression:
      one["type"] = {"number", "string"};
      break;
    case ValueType::condition:
      one["type"] = {"string", "boolean", "number"};
      break;
    case ValueType::text:
      one["type"] = {"string", "number"};
      break;
    case ValueType::word:
      one["enum"] = std::vector<std::string>(info.choices.begin(), info.choices.end());
      break;
    case ValueType::flag:
      one["type"] = "boolean";
      break;
    case ValueType::map:
      one = schema_of_block({block});
      break;
    case ValueType::list:
      one["type"] = {"array", "null"};
      if (!keys_of(items).empty()) one["items"] = schema_of_block({items});
      break;
    case ValueType::any:
      one["type"] = {"number", "string", "boolean", "array"};
      if (!keys_of(block).empty()) one = {{"anyOf", {one, schema_of_block({block})}}};
      break;
  }
  const Range any;
  if (info.range.min != any.min) one[info.range.open ? "exclusiveMinimum" : "minimum"] = info.range.min;
  if (info.range.max != any.max) one["maximum"] = info.range.max;
  if (block == "model.simulation.scheme")
    for (const SchemeEntry& entry : all_schemes()) one["enum"].push_back(entry.info.id);
  if (block == "model.simulation.options")
    for (const NamedOption& option : all_options())
      one["properties"][option.info.name]["description"] = option.info.description;
  one["description"] = std::string(info.doc);
  return one;
}

Json schema_of_block(const std::vector<std::string>& wheres) {
  Json object{{"type", {"object", "null"}}, {"properties", Json::object()}};
  object["additionalProperties"] = false;
  for (const std::string& where : wheres)
    for (const KeyInfo* info : keys_of(where)) {
      if (info->key == "*") {
        object["additionalProperties"] = schema_of(*info);
      } else if (info->built) {
        object["properties"][std::string(info->key)] = schema_of(*info);
      }
      if (info->required) object["required"].push_back(std::string(info->key));
    }
  return object;
}

// blocks in the order in which they first appear, with the keys of each
std::vector<std::string_view> schema_blocks() {
  std::vector<std::string_view> result;
  for (const KeyInfo& info : schema())
    if (std::find(result.begin(), result.end(), info.where) == result.end()) result.push_back(info.where);
  return result;
}

std::string title_of(std::string_view where) {
  if (where == "model") return "Every model";
  if (where == "formula") return "Formula systems";
  if (where == "mechanism") return "Mechanisms";
  std::string path(where.substr(where.find('.') + 1));
  for (std::size_t star; (star = path.find('*')) != std::string::npos;) path.replace(star, 1, "NAME");
  const bool mechanism = where.starts_with("mechanism.");
  const bool both = !find_key("model", path.substr(0, path.find('.')));
  return fmt::format("`{}`{}", path, !both ? "" : mechanism ? " of a mechanism" : " of a formula system");
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) result += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return result;
}

std::string help_of(const KeyInfo& info) {
  std::string text = fmt::format("{} ({})\n  {}\n", path_of(info), type_name(info.type), info.doc);
  if (const std::string limits = limits_of(info); !limits.empty()) text += fmt::format("  {}\n", limits);
  if (info.required) text += "  required\n";
  if (!info.fallback.empty()) text += fmt::format("  default: {}\n", info.fallback);
  if (!info.built) text += "  not available in this version\n";
  std::vector<std::string> below;
  for (const KeyInfo* key : keys_of(block_of(info)))
    if (key->key == "*") {
      for (const KeyInfo* inner : keys_of(block_of(*key))) below.emplace_back(inner->key);
    } else {
      below.emplace_back(key->key);
    }
  if (!below.empty()) text += fmt::format("  keys: {}\n", fmt::join(below, ", "));
  return text;
}

}  // namespace

std::string schema_reference() {
  std::string page =
      "# Reference of the model file\n\n"
      "Every key of the format, made from the table by which the reader checks models (`escapement schema "
      "--markdown`).\n"
      "[The model file](model-format.md) explains the format by example and [mechanisms](mechanisms.md) the bodies, "
      "joints and\n"
      "forces; `escapement help KEY` prints one entry, also of a scheme's options, which `escapement schemes` lists. "
      "NAME stands\n"
      "for a name of yours. A number may always be an expression of parameters; an expression may vary with t, "
      "coordinates and\n"
      "rates.\n\n"
      "Editors complete and check models with a JSON schema: `escapement schema > model.schema.json`, and in the "
      "model's first\n"
      "line `# yaml-language-server: $schema=model.schema.json`.\n";
  for (std::string_view where : schema_blocks()) {
    page += fmt::format("\n## {}\n\n| key | takes | meaning | default |\n| --- | --- | --- | --- |\n", title_of(where));
    for (const KeyInfo* info : keys_of(where)) {
      const std::string limits = limits_of(*info);
      page += fmt::format("| {} | {}{} | {}{} | {} |\n", info->key == "*" ? "NAME" : fmt::format("`{}`", info->key),
                          type_name(info->type), limits.empty() ? "" : ", " + limits, escaped(info->doc),
                          info->built ? "" : " Not available in this version.", default_of(*info));
    }
  }
  return page;
}

Json json_schema() {
  Json formula = schema_of_block({"model", "formula"}), mechanism = schema_of_block({"model", "mechanism"});
  formula["title"] = "formula system";
  mechanism["title"] = "mechanism";
  formula["type"] = mechanism["type"] = "object";
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "Escapement model"},
          {"description", "A formula system or a mechanism, version 1 of the format."},
          {"anyOf", {formula, mechanism}}};
}

std::string help_overview() {
  std::string text = "The keys of a model; 'escapement help KEY' says more about one.\n";
  for (const char* where : {"model", "formula", "mechanism"}) {
    text += fmt::format("\n{}\n", title_of(where));
    for (const KeyInfo* info : keys_of(where)) text += fmt::format("  {:<18} {}\n", info->key, info->doc);
  }
  return text;
}

std::string key_help(const std::string& key) {
  std::vector<std::string> parts;
  for (const KeyInfo& info : schema()) {
    const std::string path = path_of(info);
    const bool whole = path == key || path.ends_with("." + key);
    // "joints.at" for "joints.NAME.at"
    std::string without = path;
    for (std::size_t name; (name = without.find("NAME.")) != std::string::npos;) without.erase(name, 5);
    if ((whole || without == key) && info.key != "*") parts.push_back(help_of(info));
  }
  for (const NamedOption& option : all_options())
    if (option.info.name == key || "options." + option.info.name == key)
      parts.push_back(
          fmt::format("simulation.options.{} ({})\n  {}\n  default: {}\n", option.info.name,
                      option.schemes.empty() ? "every scheme" : fmt::format("{}", fmt::join(option.schemes, ", ")),
                      option.info.description, value_text(option.info.value)));
  for (const SchemeEntry& entry : all_schemes())
    if (entry.info.id == key)
      parts.push_back(fmt::format("{} (scheme)\n  {}\n  'escapement schemes' has its order, levels and options\n",
                                  entry.info.id, entry.info.description));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string key_suggestion(const std::string& key) {
  std::vector<std::string> known;
  for (const KeyInfo& info : schema())
    if (info.key != "*") known.emplace_back(info.key);
  for (const NamedOption& option : all_options()) known.push_back(option.info.name);
  for (const SchemeEntry& entry : all_schemes()) known.push_back(entry.info.id);
  return did_you_mean(key, known);
}

}  // namespace escapement
