#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/answers.hpp"
#include "io/model_error.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "run/version.hpp"
#include "math/nearest_name.hpp"
#include "schemes/scheme.hpp"
#include "simulate/snapshot.hpp"

using namespace escapement;

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string or_see_help(const std::string& near, const std::string& command) {
  return near.empty() ? fmt::format("; see '{} --help'", command) : near;
}

// what is wrong with the command line before its parts are read; empty: nothing
std::string first_mistake(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).empty()) return fmt::format("argument {} is empty; see 'escapement --help'", i);
  const std::string command = argv[1];
  std::vector<std::string> known = option_names(app);
  for (const CLI::App* one : app.get_subcommands({})) known.push_back(one->get_name());
  if (std::find(known.begin(), known.end(), command) != known.end()) return {};
  return fmt::format("there is no {} '{:.40}'{}", command.front() == '-' ? "option" : "command", command,
                     or_see_help(did_you_mean(command, known), "escapement"));
}

// what a command does not take, or what the parser says
std::string parse_mistake(const CLI::App& app, const std::string& name, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
  const CLI::App* command = commands.empty() ? nullptr : commands.front();
  const std::string program = command ? "escapement " + name : "escapement";
  const std::vector<std::string> rest = command ? command->remaining() : std::vector<std::string>();
  if (rest.empty()) return fmt::format("{}; see '{} --help'", error.what(), program);
  const std::string word = rest.front().substr(0, rest.front().find('='));
  return fmt::format("'{}' takes no '{:.40}'{}", program, word,
                     or_see_help(did_you_mean(word, option_names(*command)), program));
}

int run_commands(int argc, char** argv) {
  CLI::App app{
      "Escapement simulates mechanisms whose motion is not smooth: bodies, joints, clearances, contacts, impacts, "
      "friction.",
      "escapement"};
  app.set_version_flag("--version", fmt::format("escapement {}", version()));
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.footer("Start with 'escapement demo', or 'escapement examples' and 'escapement run MODEL.yaml'.");

  cli::Action action;
  cli::add_run(app, action);
  cli::add_compare(app, action);
  cli::add_sweep(app, action);
  cli::add_check(app, action);
  cli::add_schemes(app, action);
  cli::add_new(app, action);
  cli::add_examples(app, action);
  cli::add_demo(app, action);
  cli::add_report(app, action);
  cli::add_export(app, action);
  cli::add_studio(app, action);
  cli::add_reproduce(app, action);
  cli::add_statics(app, action);
  cli::add_modes(app, action);
  cli::add_import(app, action);
  cli::add_help(app, action);
  cli::add_schema(app, action);
  cli::add_manual(app, action);

  if (argc < 2) {
    fmt::print("{}", app.help());
    return cli::bad_input;
  }
  if (const std::string mistake = first_mistake(app, argc, argv); !mistake.empty()) throw cli::UsageError(mistake);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // help and version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw cli::UsageError(parse_mistake(app, argv[1], error));
  }
  return action();
}

bool wants_json(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

// one sentence on standard error; with --json also one object on standard output
int tell(const std::string& text, const std::string& message, int status, bool json, const Place* place = nullptr) {
  fmt::print(stderr, "{}\n", text);
  if (!json) return status;
  nlohmann::ordered_json object{{"status", "failed"}, {"message", message}, {"exit_status", status}};
  if (place) {
    object["line"] = place->line;
    object["column"] = place->column;
  }
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return status;
}

}  // namespace

cli::ProgramWords& cli::program_words() {
  static ProgramWords words;
  return words;
}

int cli::run_program(int argc, char** argv) {
  program_words() = {argc, argv};
  const bool json = argc > 1 && wants_json(argc, argv);
  const auto tell_plain = [&](const std::exception& error, int status) {
    return tell(fmt::format("escapement: {}", error.what()), error.what(), status, json);
  };
  try {
    return run_commands(argc, argv);
  } catch (const ModelError& error) {
    return tell(error.what(), error.what(), cli::bad_input, json, &error.place);  // FILE:LINE:COLUMN: one sentence
  } catch (const OverrideError& error) {
    return tell_plain(error, cli::bad_input);
  } catch (const OptionError& error) {
    return tell_plain(error, cli::bad_input);
  } catch (const cli::UsageError& error) {
    return tell_plain(error, cli::bad_input);
  } catch (const ResultError& error) {
    return tell_plain(error, cli::bad_input);
  } catch (const ReportError& error) {
    return tell_plain(error, cli::bad_input);
  } catch (const WriteError& error) {
    return tell_plain(error, cli::simulation_failed);
  } catch (const SnapshotError& error) {
    return tell_plain(error, cli::bad_input);
  } catch (const std::bad_alloc&) {
    return tell("escapement: out of memory", "out of memory", cli::simulation_failed, json);
  } catch (const std::exception& error) {
    return tell_plain(error, cli::simulation_failed);
  }
}
