#include <algorithm>
#include <cmath>

#include "io/run.hpp"
#include "study/probe.hpp"

namespace escapement::inline study {

namespace {

// energy, Newton iterations and drift step by step, which the summary does not hold
class StepStatistics : public Observer {
 public:
  explicit StepStatistics(const System& system) : system_(system), rows_(Vec::Zero(system.dim().rows())) {
    system.prepare(terms_);
  }

  void begin(const State& s) override { last_ = lowest_ = highest_ = total(s); }
  void step(const StepRecord& r) override {
    if (!r.accepted) return;
    const double e = total(r.after);
    if (std::isfinite(e)) {
      largest_step_rise_ = std::max(largest_step_rise_, e - last_);
      lowest_ = std::min(lowest_, e);
      highest_ = std::max(highest_, e);
      total_rise_ = std::max(total_rise_, e - lowest_);
    }
    last_ = e;
    ++steps_;
    largest_step_ = std::max(largest_step_, r.h);
    if (system_.dim().bilateral > 0) drift_over_h2_.push_back(velocity_drift(r.after) / (r.h * r.h));
    iterations_ += r.report.newton_iterations;
    most_iterations_ = std::max(most_iterations_, r.report.newton_iterations);
  }
  void event(const Event& e) override { last_ += e.energy_change; }

  void write(Point& point) {
    point.values["energy.step_rise"] = largest_step_rise_;
    point.values["energy.total_rise"] = total_rise_;
    point.values["energy.highest"] = highest_;
    point.values["newton.mean"] = steps_ > 0 ? double(iterations_) / double(steps_) : 0;
    point.values["newton.most"] = most_iterations_;
    point.values["steps.largest"] = largest_step_;
    if (drift_over_h2_.empty()) return;
    const auto middle = drift_over_h2_.begin() + static_cast<long>(drift_over_h2_.size() / 2);
    std::nth_element(drift_over_h2_.begin(), middle, drift_over_h2_.end());
    point.values["drift.over_h2"] = *middle;
  }

 private:
  double total(const State& s) {
    const Energy e = system_.energy(s, terms_);
    return e.kinetic + e.potential;
  }

  double velocity_drift(const State& s) {
    system_.evaluate(s, Need::jacobian, terms_);
    velocity_rows(terms_, s.v, rows_);
    return rows_.head(system_.dim().bilateral).lpNorm<Eigen::Infinity>();
  }

  const System& system_;
  Terms terms_;
  Vec rows_;
  std::vector<double> drift_over_h2_;  // at velocity level, of each step
  double largest_step_ = 0;
  double last_ = 0, lowest_ = 0, highest_ = 0, largest_step_rise_ = 0, total_rise_ = 0;
  long steps_ = 0, iterations_ = 0;
  int most_iterations_ = 0;
};

void flatten(const nlohmann::ordered_json& json, const std::string& name, Point& point) {
  if (json.is_number())
    point.values[name] = json.get<double>();
  else if (json.is_boolean())
    point.values[name] = json.get<bool>();
  else if (json.is_object())
    for (const auto& [key, value] : json.items()) flatten(value, name.empty() ? key : name + "." + key, point);
}

void copy_columns(const Result& result, int keep, Point& point) {
  const std::size_t stride = static_cast<std::size_t>(std::max(keep, 1));
  auto copy = [&](const std::string& name, const Column& values) {
    std::vector<double>& column = point.columns[name];
    for (std::size_t i = 0; i < values.size(); i += stride) column.push_back(values[i]);
    if (!values.empty() && (values.size() - 1) % stride != 0) column.push_back(values.back());
  };
  copy("time", result.time);
  auto group = [&](const std::string& prefix, const DataTable& table, const std::string& after = "") {
    for (std::size_t k = 0; k < table.columns(); ++k) copy(prefix + table.names()[k] + after, table[k]);
  };
  group("q.", result.q);
  group("v.", result.v);
  group("lambda.", result.lambda);
  group("outputs.", result.outputs);
  group("contacts.", result.contacts.gap, ".gap");
  group("contacts.", result.contacts.gap_rate, ".gap_rate");
  group("contacts.", result.contacts.force, ".force");
  copy("energy", result.energy["total"]);
  group("drift.", result.drift);
  copy("steps.time", result.steps.time);
  copy("steps.size", result.steps.size);
  copy("steps.scaling", result.steps.scaling);
}

// largest |x - truth|/(1 + |truth|) over the names the truth has
double error_against(const TextPairs& given, const Point* reference, const std::string& group, const Point& point) {
  double error = 0;
  auto count = [&](const std::string& name, double truth) {
    const double difference = std::abs(point.values.at(name) - truth) / (1 + std::abs(truth));
    error = difference > error || std::isnan(difference) ? difference : error;
  };
  for (const auto& [name, value] : given) count(group + name, std::stod(value));
  if (reference)
    for (const auto& [name, value] : reference->values)
      if (name.starts_with(group) && point.values.contains(name)) count(name, value);
  return error;
}

// columns error.q.NAME and error.v.NAME: the difference from the reference wherever both have a sample of the same time
void compare_columns(const Point& reference, Point& point) {
  const auto &t = point.columns.at("time"), &t1 = reference.columns.at("time");
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, k = 0; i < t.size(); ++i) {
    while (k + 1 < t1.size() && t1[k + 1] <= t[i] * (1 + 1e-12)) ++k;
    if (std::abs(t1[k] - t[i]) <= 1e-12 * (1 + std::abs(t[i]))) pairs.emplace_back(i, k);
  }
  std::map<std::string, std::vector<double>> errors;
  for (const auto& [name, values] : point.columns) {
    const auto it = reference.columns.find(name);
    if (it == reference.columns.end() || !(name.starts_with("q.") || name.starts_with("v."))) continue;
    std::vector<double>& error = errors["error." + name];
    for (const auto& [i, k] : pairs) error.push_back(std::abs(values[i] - it->second[k]));
  }
  for (auto& [name, values] : errors) point.columns[name] = std::move(values);
}

}  // namespace

Point probe_run(const ProbeInput& input) {
  Point point;
  const int repeats = static_cast<int>(input.setup.number("repeat", 1));
  double fastest = 0;
  for (int i = 0; i < repeats; ++i) {
    Model model = input.setup.model();
    StepStatistics statistics(*model.system);
    RunHooks hooks;
    hooks.interrupt = input.interrupt;
    hooks.observers.push_back(&statistics);
    const RunReport report = run_model(model, hooks);
    const double seconds = report.outcome.stepping_seconds;
    fastest = i == 0 ? seconds : std::min(fastest, seconds);
    if (i > 0) continue;
    flatten(to_json(report.summary), "", point);
    statistics.write(point);
    point.values["completed"] = report.outcome.status == Outcome::Status::completed;
    copy_columns(report.result, input.setup.of().keep, point);
  }
  point.values["wall_seconds"] = fastest;
  if (input.reference) compare_columns(*input.reference, point);
  const Case& c = input.setup.of();
  if (input.reference || !c.reference_q.empty()) {
    point.values["error.q"] = error_against(c.reference_q, input.reference, "final.q.", point);
    point.values["error.v"] = error_against(c.reference_v, input.reference, "final.v.", point);
    point.values["error"] = std::max(point.values["error.q"], point.values["error.v"]);
  }
  return point;
}

}  // namespace escapement
