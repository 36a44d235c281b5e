#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include <nlohmann/json.hpp>

#include "io/model_file.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

// a result holds its model's text and parameters, so that the picture can be drawn again
Picture picture_of(const Result& result) {
  Overrides overrides;
  const auto parameters = nlohmann::ordered_json::parse(result.parameters);
  for (const auto& [name, value] : parameters.items()) overrides.parameters.emplace_back(name, fmt::format("{:.17g}", value.get<double>()));
  try {
    const Model model = read_model(result.model_file, result.model_text, overrides);
    return make_picture(model.drawing, model.scene);
  } catch (const std::exception&) {
    return {};  // tables beside the model are gone: the phase plane is shown instead
  }
}

int write_again(const std::string& file, std::string name, bool report, bool csv) {
  const Result result = read_result(file);
  if (name.empty()) name = fs::path(file).replace_extension().string();
  if (report) {
    write_report(result, picture_of(result), name + ".html");
    fmt::print("{}\n", name + ".html");
  }
  if (csv) {
    write_csv(result, name + ".csv");
    fmt::print("{}\n", name + ".csv");
  }
  return completed;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Write the HTML report of a result file again");
  auto file = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  command->add_option("RESULT", *file, "result file (.h5)")->required();
  command->add_option("-o,--output", *name, "name of the file written, without extension")->type_name("NAME");
  command->callback([=, &action] { action = [=] { return write_again(*file, *name, true, false); }; });
}

void add_export(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("export", "Write a result file in other formats");
  auto file = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  auto csv = std::make_shared<bool>(false);
  command->add_option("RESULT", *file, "result file (.h5)")->required();
  command->add_flag("--csv", *csv, "comma-separated values, one row per sample");
  command->add_option("-o,--output", *name, "name of the file written, without extension")->type_name("NAME");
  command->callback([=, &action] {
    action = [=] {
      if (!*csv) throw UsageError("say which format to export: --csv");
      return write_again(*file, *name, false, true);
    };
  });
}

}  // namespace escapement::cli
