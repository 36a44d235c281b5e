#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "math/nearest_name.hpp"
#include "simulate/settings.hpp"

namespace escapement::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("[{}]", fmt::join(std::get<std::vector<double>>(value), ", "));
}

std::string levels_of(const SchemeInfo& info) {
  if (info.keeps_position && info.keeps_velocity) return "both";
  if (info.keeps_position) return "position";
  if (info.keeps_velocity) return "velocity";
  return "by projection";
}

Json json_of(const std::vector<OptionInfo>& options) {
  Json list = Json::array();
  for (const OptionInfo& o : options) {
    Json item{{"name", o.name}, {"default", text_of(o.value)}, {"description", o.description}};
    if (!o.choices.empty()) item["choices"] = o.choices;
    list.push_back(item);
  }
  return list;
}

void print_options(const std::vector<OptionInfo>& options) {
  for (const OptionInfo& o : options) {
    std::string what = o.description;
    if (!o.choices.empty()) what += fmt::format(" ({})", fmt::join(o.choices, ", "));
    fmt::print("      {:<18} {:<10} {}\n", o.name, text_of(o.value), what);
  }
}

// all, or the one with this id
std::vector<const SchemeInfo*> listed(const std::string& id) {
  std::vector<const SchemeInfo*> list;
  std::vector<std::string> known;
  for (const SchemeEntry& entry : all_schemes()) {
    known.push_back(entry.info.id);
    if (id.empty() || id == entry.info.id) list.push_back(&entry.info);
  }
  if (!list.empty()) return list;
  const std::string near = did_you_mean(id, known);
  throw UsageError(fmt::format("there is no scheme '{:.40}'{}", id, near.empty() ? "; 'escapement schemes' lists them" : near));
}

int print_schemes(const std::string& id, bool json) {
  if (json) {
    Json list = Json::array();
    for (const SchemeInfo* one : listed(id)) {
      const SchemeInfo& info = *one;
      list.push_back({{"id", info.id}, {"description", info.description}, {"paper", info.paper}, {"equations", info.equations},
                      {"order", info.order}, {"index", info.index}, {"levels", levels_of(info)}, {"adaptive", info.error_power > 0},
                      {"time_stepping", info.time_stepping}, {"options", json_of(info.options)}});
    }
    fmt::print("{}\n", Json{{"schemes", list}, {"common_options", json_of(loop_options())}}.dump(2));
    return completed;
  }
  const std::vector<const SchemeInfo*> list = listed(id);
  fmt::print("{:<32} {:<6} {:<22} {:<5} {:<14} {}\n", "scheme", "paper", "equations", "order", "levels kept", "steps");
  for (const SchemeInfo* one : list) {
    const SchemeInfo& info = *one;
    fmt::print("\n{:<32} {:<6} {:<22} {:<5} {:<14} {}\n", info.id, info.paper, info.equations, info.order, levels_of(info),
               info.error_power > 0 ? "fixed or by tolerance" : "fixed");
    fmt::print("    {}\n", info.description);
    print_options(info.options);
  }
  fmt::print("\noptions of every run\n");
  print_options(loop_options());
  return completed;
}

}  // namespace

void add_schemes(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("schemes", "List the schemes with paper, equations, order, levels kept, options and defaults");
  auto json = std::make_shared<bool>(false);
  auto id = std::make_shared<std::string>();
  command->add_option("ID", *id, "only this scheme");
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([&action, id, json] { action = [id, json] { return print_schemes(*id, *json); }; });
}

}  // namespace escapement::cli
