#include "studio/live_run.hpp"

#include "io/report_run.hpp"
#include "io/run.hpp"

namespace escapement {

namespace {

using Json = nlohmann::ordered_json;

Json error_json(const std::string& message, int line = 0, int column = 0) {
  return {{"error", {{"message", message}, {"line", line}, {"column", column}}}};
}

}  // namespace

void LiveRun::cancel() {
  ++newest_;
  stop_ = true;
}

Json LiveRun::run(const std::string& text, const Overrides& given) {
  const long mine = ++newest_;
  stop_ = true;  // whoever runs now
  const std::scoped_lock lock(one_at_a_time_);
  if (newest_ != mine) return {{"superseded", true}};
  stop_ = false;
  if (newest_ != mine) return {{"superseded", true}};
  try {
    Overrides overrides = given;
    overrides.within_folder = true;
    Model model = read_model(file_.string(), text, overrides);
    RunHooks hooks;
    hooks.interrupt = &stop_;
    RunReport report = run_model(model, hooks);
    if (report.outcome.interrupted()) return {{"superseded", true}};
    report.result.summary = to_json(report.summary).dump();
    Json data = run_json(report.result, make_picture(model.drawing, model.scene));
    data["values"] = Json::array();
    for (const auto& [name, value] : model.parameters) data["values"].push_back({{"name", name}, {"value", value}});
    return data;
  } catch (const ModelError& e) {
    return error_json(e.message, e.place.line, e.place.column);
  } catch (const std::exception& e) {
    return error_json(e.what());
  }
}

}  // namespace escapement
