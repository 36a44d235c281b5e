#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/output_name.hpp"
#include "cli/run_action.hpp"
#include "io/plot.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "io/run.hpp"
#include "io/vtk.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

struct Formats {
  bool report = false, csv = false, vtk = false, svg = false, png = false;
};

// a result holds its model's text and how it was run, so that the picture can be drawn again
Picture picture_of(const Result& result, const std::string& file) {
  try {
    const auto model = std::make_shared<const Model>(read_model_of(result, (fs::path(file).parent_path() / result.origin.model_file).string()));
    Picture picture = make_picture(model->drawing, model->scene);
    picture.evaluate = [model, evaluate = picture.evaluate](const State& s, double* out) { evaluate(s, out); };  // it needs the model
    return picture;
  } catch (const ModelError& error) {  // tables beside the model are gone
    fmt::print(stderr, "escapement: the report has no picture: {}\n", error.what());
    return {};
  }
}

int write_again(const std::string& file, std::string name, const Formats& formats) {
  const ResultReader result(file);
  if (name.empty()) name = fs::path(file).replace_extension().string();
  need_writable(name);
  if (formats.report) {
    write_report(result, picture_of(result.head(), file), name + ".html");
    fmt::print("{}\n", name + ".html");
  }
  if (formats.csv) {
    write_csv(result, name + ".csv");
    fmt::print("{}\n", name + ".csv");
  }
  if (formats.vtk) {
    write_vtk(read_result(file), picture_of(result.head(), file), name);
    fmt::print("{}\n", name + ".pvd");
  }
  if (formats.svg)
    for (const std::string& written : write_plots(read_result(file), name)) fmt::print("{}\n", written);
  return completed;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Write the HTML report of a result file again");
  auto file = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  command->add_option("RESULT", *file, "result file (.h5)")->required();
  add_output_name(*command, *name, "name of the file written, without extension");
  command->callback([=, &action] { action = [=] { return write_again(*file, *name, {.report = true}); }; });
}

void add_export(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("export", "Write a result file in other formats");
  auto file = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  auto formats = std::make_shared<Formats>();
  command->add_option("RESULT", *file, "result file (.h5)")->required();
  command->add_flag("--csv", formats->csv, "comma-separated values, one row per sample");
  command->add_flag("--vtk", formats->vtk, "the moving picture for ParaView: NAME.pvd");
  command->add_flag("--svg", formats->svg, "the plots as drawings: NAME-coordinates.svg, ...");
  command->add_flag("--png", formats->png)->group("");  // was there once
  add_output_name(*command, *name, "name of the file written, without extension");
  command->callback([=, &action] {
    action = [=] {
      if (formats->png) throw UsageError("pictures are drawings now, not pixels: take --svg, which every browser and word processor shows");
      if (!formats->csv && !formats->vtk && !formats->svg) throw UsageError("say which format to export: --csv, --vtk or --svg");
      return write_again(*file, *name, *formats);
    };
  });
}

}  // namespace escapement::cli
