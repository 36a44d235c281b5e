#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "io/schema_text.hpp"

namespace escapement::cli {

namespace {

int help(const CLI::App& app, const std::string& key) {
  if (key.empty()) {
    fmt::print("{}", help_overview());
    return completed;
  }
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == key) {
      fmt::print("{}", command->help(app.get_name()));
      return completed;
    }
  const std::string text = key_help(key);
  if (text.empty()) {
    const std::string near = key_suggestion(key);
    throw UsageError(fmt::format("nothing in a model is called '{:.60}'{}", key,
                                 near.empty() ? "; 'escapement help' lists the keys" : near));
  }
  fmt::print("{}", text);
  return completed;
}

}  // namespace

void add_help(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("help", "Explain a key of the model file, an option, a scheme or a command");
  auto key = std::make_shared<std::string>();
  command->add_option("KEY", *key,
                      "like 'friction', 'simulation.end', 'rho_infinity' or 'hem5'; none: all keys of a model");
  command->callback([=, &app, &action] { action = [=, &app] { return help(app, *key); }; });
}

void add_schema(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON schema of the model file, for completion in editors");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "print the reference page instead");
  command->callback([=, &action] {
    action = [=] {
      fmt::print("{}{}", *markdown ? schema_reference() : json_schema().dump(1), *markdown ? "" : "\n");
      return completed;
    };
  });
}

}  // namespace escapement::cli
