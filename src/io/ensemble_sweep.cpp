// Studies whose members are advanced together.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ensemble/gpu.hpp"
#include "ensemble/lanes.hpp"
#include "io/ensemble_reader.hpp"
#include "io/sweep.hpp"

namespace escapement::inline io {

std::vector<SweepRow> run_ensemble(const Study& study, const std::string& on, int threads, const SweepHooks& hooks) {
  const EnsembleStudy members = read_ensemble(study, on);
  const Ensemble& ensemble = *members.ensemble;
  const bool gpu = on == "gpu";
  if (const std::string why = gpu ? refuse_gpu(ensemble) : refuse_lanes(ensemble); !why.empty())
    throw ModelError(study.model_file, {}, fmt::format("{}; take --on cores", why));
  std::vector<double> parameters;
  parameters.reserve(study.runs.size() * study.varied.size());
  for (const auto& run : study.runs) parameters.insert(parameters.end(), run.begin(), run.end());
  EnsembleResult result;
  const EnsembleHooks told{hooks.interrupt, hooks.on_run};
  try {
    gpu ? run_gpu(ensemble, parameters, told, result) : run_lanes(ensemble, lane_engines().back(), parameters, threads, told, result);
  } catch (const GpuError& error) {
    throw OverrideError(fmt::format("--on gpu: {}", error.what()));
  }

  std::vector<SweepRow> rows(study.runs.size());
  if (!result.complete) return rows;
  std::vector<double> all(members.parameters.output_count()), scratch(members.parameters.scratch_size());
  Summary summary;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    SweepRow& row = rows[k];
    row.done = true;
    row.engine = on;
    row.measures.assign(study.measures.size(), std::numeric_limits<double>::quiet_NaN());
    const int failure = static_cast<int>(result.failure[k]);
    row.status = failure == 0 ? "completed" : is_refusal(failure) ? "refused" : "failed";
    if (failure != 0) {
      row.message = is_refusal(failure) ? failure_text(failure) : fmt::format("{} after t = {:.9g} s", failure_text(failure), result.failed_at[k]);
      continue;
    }
    summary.impacts = static_cast<long>(result.impacts[k]);
    summary.steps = ensemble.times.steps;
    summary.t = members.end;
    members.parameters.run(study.runs[k].data(), all.data(), scratch.data());
    std::size_t at = k * ensemble.reductions.size();
    for (std::size_t m = 0; m < members.measures.size(); ++m) {
      const std::size_t count = members.measures[m].aggregates().size();
      row.measures[m] = members.measures[m].combine(summary, all, std::span(result.value).subspan(at, count));
      at += count;
    }
    row.message = members.verdict.against(std::span(result.value).subspan(at, members.verdict.values()), result.work[k]);
    row.verdict = row.message.empty() ? "sound" : "suspect";
  }
  return rows;
}

}  // namespace escapement
