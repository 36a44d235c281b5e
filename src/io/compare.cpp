#include "io/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

namespace escapement::inline io {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double loosest_reference = 1e-8;
constexpr int timed_runs = 5;
constexpr double short_run = 0.1;  // s
constexpr GlobalError no_error{nan, nan, nan, nan, nan};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

bool knows(const std::vector<OptionInfo>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const OptionInfo& o) { return o.name == name; });
}

// the model with other settings, for a while
class Borrowed {
 public:
  Borrowed(Model& model, const Settings& settings) : model_(model), own_(model.settings) { model.settings = settings; }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { model_.settings = own_; }

 private:
  Model& model_;
  Settings own_;
};

RunHooks run_hooks(const CompareHooks& hooks) {
  RunHooks result;
  result.interrupt = hooks.interrupt;
  result.observers = hooks.observers;
  return result;
}

// errors of the sample i of a run against the sample k of the reference
struct SampleError {
  double norm = 0, q = 0, v = 0;
};

SampleError sample_error(const Result& reference, std::size_t k, const Result& run, std::size_t i, const Scale& one) {
  SampleError error;
  double sum = 0;
  auto add = [&](const DataTable& exact, const DataTable& values, double& largest, auto scale) {
    for (std::size_t j = 0; j < exact.columns(); ++j) {
      const double x = exact(k, j), e = std::abs(values(i, j) - x);
      largest = std::max(largest, e);
      sum += std::pow(e / (scale(static_cast<int>(j)) + std::abs(x)), 2);
    }
  };
  add(reference.q, run.q, error.q, [&](int j) { return one.q(j); });
  add(reference.v, run.v, error.v, [&](int j) { return one.v(j); });
  const std::size_t n = reference.q.columns() + reference.v.columns();
  error.norm = n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0;
  return error;
}

Settings reference_settings(const Settings& own, const char* scheme, double tolerance) {
  Settings settings = settings_for(own, scheme);
  settings.then.reset();
  settings.step.reset();
  settings.tolerance = tolerance;
  settings.per_unit_step = false;
  for (const char* limit : {"min_step", "max_step", "first_step", "max_growth", "safety", "max_drift"}) settings.options.erase(limit);
  settings.options["projection"] = std::string("both");
  if (settings.save_every == 0) settings.save_every = -1;
  return settings;
}

}  // namespace

Settings settings_for(const Settings& settings, const std::string& scheme) {
  Settings result = settings;
  result.scheme = scheme;
  const SchemeEntry* entry = find_scheme(scheme);
  std::erase_if(result.options, [&](const auto& option) {
    const std::string& name = option.first;
    if (entry && knows(entry->info.options, name)) return false;
    // what check_options() says of the monolithic schemes
    if (entry && entry->info.time_stepping && (name == "impact_law" || name == "contact_solver")) return true;
    return !knows(loop_options(), name);
  });
  return result;
}

GlobalError measure_error(const Result& reference, const Result& run, const Scale& one) {
  if (reference.time.empty() || run.time.empty()) return no_error;
  GlobalError error{0, 0, 0, 0, 0};
  const SampleError last = sample_error(reference, reference.time.size() - 1, run, run.time.size() - 1, one);
  error.at_end = last.norm;
  error.q_end = last.q;
  error.v_end = last.v;
  // common times; of two samples at one time the later one
  const double near = 1e-12 * std::max(1.0, std::abs(reference.time.back()));
  std::size_t k = 0, common = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (i + 1 < run.time.size() && run.time[i + 1] - run.time[i] <= near) continue;
    while (k + 1 < reference.time.size() && reference.time[k + 1] <= run.time[i] + near) ++k;
    if (std::abs(reference.time[k] - run.time[i]) > near) continue;
    const SampleError here = sample_error(reference, k, run, i, one);
    error.mean += here.norm;
    error.q_max = std::max(error.q_max, here.q);
    ++common;
  }
  error.mean = common > 0 ? error.mean / static_cast<double>(common) : nan;
  return error;
}

Reference make_reference(Model& model, double tolerance, const CompareHooks& hooks) {
  Reference reference;
  reference.uncertainty = no_error;
  std::string reason;
  for (double tol = tolerance; tol <= loosest_reference; tol *= 10) {
    auto solve = [&](const char* scheme, double t) {
      if (hooks.on_run) hooks.on_run(fmt::format("reference: {} at tolerance {:.0e}", scheme, t), 0, 0);
      const Borrowed borrowed(model, reference_settings(model.settings, scheme, t));
      return run_model(model, run_hooks(hooks));
    };
    RunReport tight = solve("phem56", tol);
    reason = tight.outcome.message;
    if (hooks.interrupt && hooks.interrupt->load()) break;
    if (tight.outcome.status == Outcome::Status::failed) continue;
    const RunReport check = solve("hem5", 10 * tol);
    reason = check.outcome.message;
    if (hooks.interrupt && hooks.interrupt->load()) break;
    if (check.outcome.status == Outcome::Status::failed) continue;
    reference.available = true;
    reference.uncertainty = measure_error(tight.result, check.result, model.system->scale());
    reference.result = std::move(tight.result);
    reference.how = fmt::format(
        "phem56 at tolerance {:.0e} with projection; hem5 at tolerance {:.0e} differs from it by {:.1e} at the end",
        tol, 10 * tol, reference.uncertainty.at_end);
    return reference;
  }
  reference.how = "none: " + reason;
  return reference;
}

ComparisonRow compare_run(Model& model, const ComparedRun& run, const Reference& reference, const CompareHooks& hooks) {
  ComparisonRow row{run.label, run.settings, "failed", "", {}, no_error};
  if (row.settings.save_every == 0) row.settings.save_every = -1;  // a common grid of samples
  const Borrowed borrowed(model, row.settings);
  const double begin = processor_seconds();
  try {
    RunReport report = run_model(model, run_hooks(hooks));
    row.status = to_string(report.outcome.status);
    row.message = report.outcome.message;
    row.summary = std::move(report.summary);
    // other programs disturb the clock, on short runs by orders of magnitude: the best of a few, and never more than the
    // processor time of the whole run
    const double spent = std::min(row.summary->wall_seconds, processor_seconds() - begin);
    double best = spent;
    for (int i = 1; i < timed_runs && row.status == "completed" && spent < short_run; ++i) {
      const double again = processor_seconds();
      const double stepping = run_model(model, run_hooks(hooks)).outcome.stepping_seconds;
      best = std::min({best, stepping, processor_seconds() - again});
    }
    row.summary->wall_seconds = best;
    if (reference.available && report.outcome.status != Outcome::Status::failed)
      row.error = measure_error(reference.result, report.result, model.system->scale());
  } catch (const OptionError& error) {
    row.message = error.what();
  }
  return row;
}

std::vector<bool> falling(const std::vector<double>& values, double floor) {
  constexpr double falls = 0.8;
  std::vector<bool> counts(values.size(), false);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > floor) || (i > 0 && !(values[i] < falls * values[i - 1]))) break;
    counts[i] = true;
  }
  return counts;
}

namespace {

// least squares through (log x, log y)
double slope(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < 2) return nan;
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [a, b] : points) {
    const double u = std::log(a), w = std::log(b);
    n += 1, x += u, y += w, xx += u * u, xy += u * w;
  }
  const double spread = n * xx - x * x;
  return spread > 1e-9 * (1 + xx) ? (n * xy - x * y) / spread : nan;
}

Slopes fit(const Comparison& comparison, const std::string& label) {
  std::vector<std::pair<double, double>> order, work;
  const double floor = comparison.reference.available ? 3 * comparison.reference.uncertainty.at_end : 0;
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : comparison.rows)
    if (row.label == label && row.status == "completed") rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const ComparisonRow* a, const ComparisonRow* b) {
    return a->settings.step.value_or(a->settings.error_bound()) > b->settings.step.value_or(b->settings.error_bound());
  });
  std::vector<double> errors;
  for (const ComparisonRow* row : rows) errors.push_back(row->error.at_end);
  const std::vector<bool> counts = falling(errors, floor);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!counts[i]) continue;
    const ComparisonRow& row = *rows[i];
    order.emplace_back(row.summary->average_step, row.error.at_end);
    work.emplace_back(row.error.at_end, static_cast<double>(row.summary->work));
  }
  return {label, slope(order), slope(work)};
}

Summary::Levels drift_rounding(const System& system, const State& start) {
  constexpr double roundings = 1000 * std::numeric_limits<double>::epsilon();  // many steps leave many of them
  const int rows = system.dim().bilateral;
  Terms T;
  system.prepare(T);
  system.evaluate(start, Need::jacobian, T);
  Vec scale = Vec::Ones(system.dim().rows());
  system.position_scale(start, scale);
  Summary::Levels result{};
  for (int i = 0; i < rows; ++i) {
    result.position = std::max(result.position, roundings * scale[i]);
    result.velocity = std::max(result.velocity, roundings * velocity_scale(system.scale(), T, i, start.v));
  }
  return result;
}

}  // namespace

Comparison compare(Model& model, const std::vector<ComparedRun>& runs, Reference reference, const CompareHooks& hooks) {
  Comparison comparison;
  comparison.model = model.name;
  comparison.file = model.file;
  const Dim& dim = model.system->dim();
  comparison.constraints.assign(model.system->names().multipliers.begin(),
                                model.system->names().multipliers.begin() + dim.bilateral);
  comparison.has_contacts = dim.unilateral > 0;
  comparison.rounding = drift_rounding(*model.system, model.start);
  comparison.reference = std::move(reference);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Settings& s = runs[i].settings;
    if (hooks.on_run)
      hooks.on_run(fmt::format("{} at {} {:g}", runs[i].label, s.step ? "step" : "tolerance",
                               s.step.value_or(s.error_bound())),
                   i, runs.size());
    ComparisonRow row = compare_run(model, runs[i], comparison.reference, hooks);
    if (hooks.interrupt && hooks.interrupt->load()) break;
    comparison.rows.push_back(std::move(row));
  }
  for (const ComparisonRow& row : comparison.rows)
    if (std::none_of(comparison.slopes.begin(), comparison.slopes.end(),
                     [&](const Slopes& s) { return s.label == row.label; }))
      comparison.slopes.push_back(fit(comparison, row.label));
  return comparison;
}

}  // namespace escapement
