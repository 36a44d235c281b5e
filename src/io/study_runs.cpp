#include "io/study_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/run.hpp"

namespace escapement::inline io {

StudyRuns::StudyRuns(const Study& study) : study_(study), text_(study.model_file, study.model_text) {}

// counts of 'repeat' change what columns there are
std::shared_ptr<const StudyRuns::Measures> StudyRuns::measures(const Result& result, const Columns& columns, const Model& model) const {
  const auto same = [](const std::string& name, const auto& column) { return name == column.first; };
  {
    const std::lock_guard lock(guard_);
    if (measures_ && std::ranges::equal(measures_->columns, columns, same)) return measures_;
  }
  auto made = std::make_shared<Measures>();
  std::vector<std::string> parameters;
  for (const auto& [name, value] : model.parameters) parameters.push_back(name);
  for (const auto& [name, values] : columns) made->columns.push_back(name);
  for (const Study::Wanted& wanted : study_.measures) made->list.emplace_back(wanted.text, result, parameters);
  const std::lock_guard lock(guard_);
  return measures_ = std::move(made);
}

SweepRow StudyRuns::row(const std::vector<double>& values, const std::atomic<bool>* interrupt) const {
  SweepRow row;
  row.measures.assign(study_.measures.size(), std::numeric_limits<double>::quiet_NaN());
  Overrides overrides = study_.base;
  for (std::size_t i = 0; i < values.size(); ++i)
    overrides.parameters.emplace_back(study_.varied[i], fmt::format("{:.17g}", values[i]));
  try {
    Model model = text_.read(overrides);
    RunHooks hooks;
    hooks.interrupt = interrupt;
    const RunReport report = run_model(model, hooks);
    if (report.outcome.interrupted()) return row;
    row.status = to_string(report.outcome.status);
    row.message = report.outcome.message;
    row.verdict = report.summary.verdict();
    std::vector<double> parameters;
    for (const auto& [name, value] : model.parameters) parameters.push_back(value);
    // what a failed run reached is not what the others are measured at
    if (report.outcome.status != Outcome::Status::failed) {
      const Columns columns = measured_columns(report.result);
      const auto wanted = measures(report.result, columns, model);
      for (std::size_t i = 0; i < wanted->list.size(); ++i) row.measures[i] = wanted->list[i](columns, report.summary, parameters);
    }
  } catch (const std::exception& error) {  // values that the model refuses, options, expressions
    row.status = "refused";
    row.message = error.what();
  }
  row.done = true;
  return row;
}

}  // namespace escapement
