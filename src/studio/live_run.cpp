#include "studio/live_run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/report_run.hpp"
#include "io/run.hpp"

namespace escapement::inline studio {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* no_room = "the system has no room for another run";

Json error_json(const std::string& message, int line = 0, int column = 0) {
  return {{"error", {{"message", message}, {"line", line}, {"column", column}}}};
}

std::string superseded() { return Json{{"superseded", true}}.dump(); }

void note_columns(const Json& part, std::set<std::string>& columns) {
  if (part.is_string()) columns.insert(part.get<std::string>());
  if (part.is_structured())
    for (const Json& inner : part) note_columns(inner, columns);
}

// the page shows what moves and no plots: columns that the picture does not name stay here, half of what would travel
void keep_what_moves(Json& data) {
  std::set<std::string> columns;
  note_columns(data["picture"], columns);
  data.erase("steps");
  Json& all = data["samples"]["columns"];
  Json kept = Json::array();
  for (Json& column : all)
    if (columns.count(column["id"].get<std::string>())) kept.push_back(std::move(column));
  all = std::move(kept);
}

Json data_of(const std::string& file, const std::string& text, const Overrides& given) {
  try {
    Overrides overrides = given;
    overrides.within_folder = true;
    Model model = read_model(file, text, overrides);
    RunReport report = run_model(model);
    report.result.summary = to_json(report.summary).dump();
    Json data = run_json(report.result, make_picture(model.drawing, model.scene));
    keep_what_moves(data);
    data["values"] = Json::array();
    for (const auto& [name, value] : model.parameters) data["values"].push_back({{"name", name}, {"value", value}});
    return data;
  } catch (const ModelError& e) {
    return error_json(e.message, e.place.line, e.place.column);
  } catch (const std::exception& e) {
    return error_json(e.what());
  }
}

void write_all(int pipe, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(pipe, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int pipe) {
  std::string text;
  char part[1 << 16];
  for (;;) {
    const ssize_t n = read(pipe, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part, static_cast<std::size_t>(n));
  }
}

// the process of a run: it ends with the one that started it, and Ctrl-C ends it too
[[noreturn]] void run_here(int pipe, const std::string& file, const std::string& text, const Overrides& overrides) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  write_all(pipe, data_of(file, text, overrides).dump(-1, ' ', false, Json::error_handler_t::replace));
  _exit(0);
}

}  // namespace

void LiveRun::end_process() {
  const std::scoped_lock lock(of_process_);
  if (process_ > 0) kill(process_, SIGKILL);
}

void LiveRun::cancel() {
  ++newest_;
  end_process();
}

std::string LiveRun::run(const std::string& text, const Overrides& overrides) {
  const long mine = ++newest_;
  end_process();  // of whoever runs now
  const std::scoped_lock lock(one_at_a_time_);
  int ends[2];
  {
    const std::scoped_lock of_process(of_process_);
    if (newest_ != mine) return superseded();
    if (pipe(ends) != 0) return error_json(no_room).dump();
    process_ = fork();
    if (process_ == 0) run_here(ends[1], file_.string(), text, overrides);
  }
  close(ends[1]);
  const std::string answer = wait_for(ends[0], mine);
  close(ends[0]);
  return answer;
}

std::string LiveRun::wait_for(int pipe, long mine) {
  const std::string answer = read_all(pipe);
  const std::scoped_lock lock(of_process_);  // nobody may end a process of that number from here on
  const int process = std::exchange(process_, 0);
  if (process < 0) return error_json(no_room).dump();
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (newest_ != mine) return superseded();
  if (WIFEXITED(status)) return answer;
  return error_json(fmt::format("the run was ended by the system (signal {}); was there memory enough?", WTERMSIG(status))).dump();
}

}  // namespace escapement
