#include <fmt/format.h>

#include <filesystem>

#include "cli/run_action.hpp"
#include "io/mjcf.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

int import_robot(const std::string& file, const std::string& output, bool force) {
  const Import import = is_mjcf(file) ? import_mjcf(file) : import_urdf(file);
  const std::string path = output.empty() ? fs::path(file).stem().string() + ".yaml" : output;
  std::error_code unseen;
  if (fs::exists(path, unseen) && !force)
    throw UsageError(fmt::format("'{}' is there already; --force replaces it, -o gives another name", path));
  write_given(path, import.yaml);
  for (const std::string& warning : import.warnings) fmt::print(stderr, "warning: {}\n", warning);
  fmt::print("wrote {}; run it with 'escapement run {}'\n", path, path);
  return completed;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("import", "Make a model file from a robot described in URDF, or a model in MJCF");
  auto file = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  auto force = std::make_shared<bool>(false);
  command->add_option("ROBOT", *file, "URDF or MJCF file")->required();
  command->add_option("-o,--output", *output, "the model file to write; by default ROBOT.yaml here");
  command->add_flag("--force", *force, "replace the file when it is there");
  command->callback([=, &action] { action = [=] { return import_robot(*file, *output, *force); }; });
}

}  // namespace escapement::cli
