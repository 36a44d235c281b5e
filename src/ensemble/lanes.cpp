#include "ensemble/lanes.hpp"

#include <fmt/format.h>

#include <list>
#include <mutex>
#include <thread>

#include "math/program_forms.hpp"
#include "math/program_fusion.hpp"
#include "math/table.hpp"

namespace escapement::inline ensemble {

namespace {

#define ESCAPEMENT_ONE(label, form, expression) +1
constexpr std::uint32_t form_count = 0 ESCAPEMENT_FORMS(ESCAPEMENT_ONE);
#undef ESCAPEMENT_ONE

// programs for lanes, and what they point to
class LanePrograms {
 public:
  explicit LanePrograms(int lanes) : size_(8 * static_cast<std::uint32_t>(lanes)) {}

  LaneProgram make(const BasicProgram& basic) {
    const FusedProgram fused = fuse(basic);
    Kept& kept = kept_.emplace_back();
    for (const FusedOperation& operation : fused.code) kept.code.push_back(encode(operation));
    kept.code.push_back({static_cast<std::uint32_t>((form_count + code_count) * destination_count), {}, {}, 0});
    kept.constants = basic.constants;
    kept.fixed = fused.fixed_outputs;
    kept.calls = basic.calls;
    LaneProgram program;
    program.code = kept.code.data();
    program.count = kept.code.size();
    program.constants = kept.constants.data();
    program.constant_count = kept.constants.size();
    program.input_count = basic.inputs;
    program.register_count = std::max<std::size_t>(fused.registers, basic.first_result());
    program.output_count = basic.outputs.size();
    program.fixed_outputs = kept.fixed.empty() ? nullptr : kept.fixed.data();
    program.calls = kept.calls.data();
    return program;
  }
  LanePair make(const StraightCode& code) { return {make(code.once), make(code.every)}; }

 private:
  struct Kept {
    std::vector<LaneInstruction> code;
    std::vector<double> constants, fixed;
    std::vector<TableCall> calls;
  };

  LaneInstruction encode(const FusedOperation& operation) const {
    LaneInstruction result{};
    const std::uint32_t what = operation.form >= 0 ? static_cast<std::uint32_t>(operation.form) : form_count + static_cast<std::uint32_t>(operation.code);
    result.operation = what * static_cast<std::uint32_t>(destination_count) + static_cast<std::uint32_t>(operation.destination);
    for (std::size_t k = 0; k < operation.reads.size(); ++k) result.operands[k] = operation.reads[k] * size_;
    for (std::size_t k = 0; k < operation.writes.size(); ++k) result.targets[k] = operation.writes[k] * size_;
    if (operation.destination != Destination::to_register) result.targets[operation.writes.size()] = operation.output * size_;
    result.call = operation.call;
    return result;
  }

  std::uint32_t size_;  // of a register
  std::list<Kept> kept_;
};

double look_up(const void* calls, std::uint32_t call, double x) {
  const TableCall& one = static_cast<const TableCall*>(calls)[call];
  return one.table->evaluate(x, one.order);
}

}  // namespace

std::vector<LaneEngine> lane_engines() {
  std::vector<LaneEngine> engines{lanes_of_any()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) engines.push_back(lanes_of_avx2());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    engines.push_back(lanes_of_avx512());
#endif
  return engines;
}

std::string refuse_lanes(const Ensemble& e) {
  if (e.v > most_lane_v) return fmt::format("the model has {} coordinates, and lanes take at most {}", e.v, most_lane_v);
  if (e.rows() > most_lane_rows)
    return fmt::format("the model has {} constraints and contacts, and lanes take at most {}", e.rows(), most_lane_rows);
  return "";
}

void run_lanes(const Ensemble& e, const LaneEngine& engine, std::span<const double> parameters, int threads, const EnsembleHooks& hooks, EnsembleResult& result) {
  const std::size_t members = e.parameters > 0 ? parameters.size() / static_cast<std::size_t>(e.parameters) : 0;
  result.resize(members, e.reductions.size());
  LanePrograms programs(engine.lanes);
  LaneJob job;
  job.scheme = static_cast<int>(e.settings.scheme);
  job.v = e.v;
  job.bilateral = e.bilateral;
  job.contacts = e.contacts;
  job.parameters = e.parameters;
  job.coupled = e.coupled.data();
  job.acts = e.acts.data();
  job.scale_q = e.scale_q.data();
  job.scale_v = e.scale_v.data();
  job.start = programs.make(e.start);
  job.terms = programs.make(e.terms);
  job.sample = programs.make(e.sample);
  job.reductions = e.reductions.data();
  job.values = e.values();
  job.begin = e.settings.start;
  job.step = e.settings.step;
  job.end = e.settings.end;
  job.steps = e.times.steps;
  job.samples = static_cast<int>(e.times.sample_step.size());
  job.sample_step = e.times.sample_step.data();
  job.sample_part = e.times.sample_part.data();
  job.sample_time = e.times.sample_time.data();
  job.table = look_up;
  job.stop = [](const void* flag) { return flag && static_cast<const std::atomic<bool>*>(flag)->load(std::memory_order_relaxed); };
  job.stop_context = hooks.interrupt;
  job.parameter = parameters.data();
  job.value = result.value.data();
  job.impacts = result.impacts.data();
  job.failure = result.failure.data();
  job.failed_at = result.failed_at.data();
  job.work = result.work.data();

  const auto lanes = static_cast<std::size_t>(engine.lanes);
  // so many at a time that threads end together, and progress is seen
  const std::size_t portion = lanes * std::clamp<std::size_t>(members / (lanes * 64 * static_cast<std::size_t>(threads)), 1, 64);
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex told;
  const auto work = [&] {
    for (std::size_t first = next.fetch_add(portion); first < members; first = next.fetch_add(portion)) {
      if (job.stop(job.stop_context)) return;
      const std::size_t count = std::min(portion, members - first);
      engine.run(job, first, count);
      const std::lock_guard lock(told);
      done += count;
      if (hooks.on_members) hooks.on_members(done, members);
    }
  };
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(work);
    work();
  }
  result.complete = done == members && !job.stop(job.stop_context);
}

}  // namespace escapement
