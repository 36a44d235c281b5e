#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "cli/model_arguments.hpp"
#include "cli/run_action.hpp"
#include "io/check.hpp"
#include "io/start_picture.hpp"
#include "run/summary.hpp"

namespace escapement::cli {

namespace {

int check(const ModelArguments& arguments, const std::string& picture, bool json) {
  Model model = load_model(arguments.file, arguments.overrides());
  if (!picture.empty()) {
    const std::filesystem::path path = picture.ends_with(".svg") ? picture : picture + ".svg";
    need_writable(path);
    write_start_picture(model, path);
  }
  const nlohmann::ordered_json report = check_model(model);
  if (json) {
    fmt::print("{}\n", report.dump(2));
    return completed;
  }
  auto row = [](const char* label, const std::string& value) { fmt::print("  {:<22} {}\n", label, value); };
  fmt::print("{}\n", report["model"].get<std::string>());
  row("kind", report["kind"].get<std::string>());
  row("coordinates", fmt::format("{} ({} velocities)", report["coordinates"].get<int>(), report["velocities"].get<int>()));
  const int brakes = report["brakes"].get<int>();
  row("constraints", fmt::format("{}, contacts {}{}", report["constraints"].get<int>(), report["contacts"].get<int>(), brakes > 0 ? fmt::format(", brakes {}", brakes) : ""));
  row("degrees of freedom", fmt::format("{}", report["degrees_of_freedom"].get<int>()));
  std::string names;
  for (const auto& name : report["redundant_constraints"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
  row("redundant", names.empty() ? "none" : names);
  row("start", fmt::format("position rows within {:.1e}, velocity rows within {:.1e}", report["start"]["position"].get<double>(), report["start"]["velocity"].get<double>()));
  if (model.assembled) {
    row("assembled", to_text(*model.assembled));
    constexpr std::size_t most = 20;
    const auto& parts = model.assembled->parts;
    for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) {
      std::string text = fmt::format("{} moved by {:.3g}", parts[i].name, parts[i].moved);
      if (parts[i].turned) text += fmt::format(" m, turned by {:.3g} deg", *parts[i].turned * 180 / std::numbers::pi);
      row("", text);
    }
    if (parts.size() > most) row("", fmt::format("and {} more; --json lists them all", parts.size() - most));
  }
  row("energy at the start", fmt::format("{:.9g} J", report["start"]["energy"].get<double>()));
  row("scheme", report["scheme"].get<std::string>());
  print_warnings(model.warnings);
  return completed;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Read and assemble a model, print sizes, redundancy and consistency; simulate nothing");
  auto arguments = std::make_shared<ModelArguments>();
  auto json = std::make_shared<bool>(false);
  arguments->add_file(*command);
  arguments->add_simulation(*command);
  arguments->add_parameters(*command);
  command->add_flag("--json", *json, "print one JSON object");
  auto picture = std::make_shared<std::string>();
  command->add_option("--picture", *picture, "write a picture of the start as an SVG file")->type_name("NAME.svg");
  command->callback([=, &action] { action = [=] { return check(*arguments, *picture, *json); }; });
}

}  // namespace escapement::cli
