#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/run_action.hpp"
#include "io/examples.hpp"
#include "math/nearest_name.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

void need_no_file(const fs::path& path) {
  std::error_code unseen;
  if (fs::exists(path, unseen)) throw UsageError(fmt::format("'{}' exists already; nothing was written", path.string()));
}

void write_new(const fs::path& path, std::string_view text) {
  need_no_file(path);
  write_given(path, text);
}

int list_examples() {
  for (const ExampleFile& file : example_files()) {
    if (fs::path(file.name).extension() != ".yaml") continue;
    fmt::print("{:<28} {}\n", fs::path(file.name).stem().string(), file.title);
  }
  fmt::print("\n'escapement examples NAME' copies one to the current folder.\n");
  return completed;
}

const ExampleFile& find_example(const std::string& name) {
  std::vector<std::string> known;
  for (const ExampleFile& file : example_files()) {
    const std::string stem = fs::path(file.name).stem().string();
    if (file.name == name || (stem == name && fs::path(file.name).extension() == ".yaml")) return file;
    known.push_back(stem);
  }
  const std::string near = nearest_name(name, known);
  throw UsageError(fmt::format("there is no example '{:.40}'{}", name, near.empty() ? "; 'escapement examples' lists them" : fmt::format("; did you mean '{}'?", near)));
}

int copy_example(const std::string& name) {
  const ExampleFile& example = find_example(name);
  std::vector<const ExampleFile*> wanted{&example};
  // files the model reads, such as tables, or was made from come along; other models it speaks of do not
  for (const ExampleFile& file : example_files())
    if (fs::path(file.name).extension() != ".yaml" && example.text.find(file.name) != std::string_view::npos)
      wanted.push_back(&file);
  for (const ExampleFile* file : wanted) need_no_file(file->name);
  for (const ExampleFile* file : wanted) {
    write_new(file->name, file->text);
    fmt::print("{}\n", file->name);
  }
  return completed;
}

constexpr std::string_view new_model = R"(escapement: 1                      # the format's version, always first
name: {0}

parameters: {{m: 1, l: 1, g: 9.81}}  # names for numbers; each may use the others

coordinates:                       # what describes the motion, with start values and rates
  x: {{start: 1}}
  y: {{start: 0}}

kinetic_energy: m/2*(x'^2 + y'^2)  # x' is the rate of x
potential_energy: m*g*y

constraints:                       # each is kept at 0
  rod: (x^2 + y^2 - l^2)/2

# contacts:                        # each gap is kept >= 0
#   floor: {{gap: y + 2, restitution: 0.5}}

outputs:                           # extra columns to record and plot
  angle: atan2(y, x)

drawing:                           # what the moving picture shows
  rod: {{segment: [[0, 0], [x, y]]}}
  bob: {{circle: [x, y], radius: 0.05}}

simulation:
  end: 10                          # seconds
  tolerance: 1e-8                  # or step: 1e-3 for fixed steps
  # scheme: hem5                   # 'escapement schemes' lists them
)";

}  // namespace

void add_examples(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("examples", "List the examples, or copy one to the current folder");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "example to copy");
  command->callback([=, &action] { action = [=] { return name->empty() ? list_examples() : copy_example(*name); }; });
}

void add_new(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("new", "Start a commented model file NAME.yaml");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "name of the model")->required();
  command->callback([=, &action] {
    action = [=] {
      fs::path path = *name;
      if (!path.has_filename()) throw UsageError(fmt::format("'{}' is a folder; give a name for the model in it", path.string()));
      if (path.extension() != ".yaml") path += ".yaml";
      need_folder(path);
      // quoted, because a name may hold anything YAML would read otherwise
      std::string title;
      for (char c : path.stem().string()) title += c == '\'' ? std::string("''") : std::string(1, c);
      write_new(path, fmt::format(new_model, "'" + title + "'"));
      fmt::print("{}\n", path.string());
      return static_cast<int>(completed);
    };
  });
}

void add_demo(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("demo", "Simulate the slider-crank with clearance and write its report");
  auto output = std::make_shared<RunOutput>();
  add_output_flags(*command, *output);
  command->callback([=, &action] {
    action = [=] {
      const ExampleFile& example = find_example("slider_crank_clearance");
      Model model = read_model(example.name, std::string(example.text));
      if (output->name.empty()) output->name = "slider_crank_clearance";
      return run_and_print(model, *output);
    };
  });
}

}  // namespace escapement::cli
