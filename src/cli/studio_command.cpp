#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "cli/command.hpp"
#include "cli/run_action.hpp"
#include "io/examples.hpp"
#include "io/source_text.hpp"
#include "studio/server.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* first_model = "slider_crank_clearance.yaml";

StudioSettings settings_of(const std::string& file, int port) {
  if (!file.empty()) return {fs::absolute(file), SourceText::read(file).text(), port};
  for (const ExampleFile& example : example_files())
    if (example.name == first_model && !fs::exists(first_model)) return {fs::absolute(first_model), std::string(example.text), port};
  return {fs::absolute(first_model), SourceText::read(first_model).text(), port};
}

int serve(const std::string& file, int port) {
  std::unique_ptr<StudioServer> server;
  StudioSettings settings = settings_of(file, port);
  try {
    server = std::make_unique<StudioServer>(std::move(settings));
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
  fmt::print("{}\n", server->address());
  std::fflush(stdout);
  fmt::print(stderr, "Open this address in a browser on this machine. Ctrl-C ends it.\n");
  const std::atomic<bool>* stop = stop_on_signals();
  std::atomic<bool> ended{false};
  std::thread watch([&] {
    while (!stop->load() && !ended.load()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server->stop();
  });
  server->serve();
  ended = true;
  watch.join();
  return completed;
}

}  // namespace

void add_studio(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("studio", "Edit a model in a live page on this machine and see it move");
  auto file = std::make_shared<std::string>();
  auto port = std::make_shared<int>(0);
  command->add_option("MODEL", *file, "the model file; without one, an example is shown")->type_name("MODEL.yaml");
  command->add_option("--port", *port, "where to listen; without it, on any port that is free")->check(CLI::Range(1, 65535))->type_name("N");
  command->callback([=, &action] { action = [=] { return serve(*file, *port); }; });
}

}  // namespace escapement::cli
