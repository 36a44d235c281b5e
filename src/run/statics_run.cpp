#include "run/statics_run.hpp"

#include <filesystem>
#include <optional>

#include "run/recorder.hpp"
#include "run/version.hpp"

namespace escapement::inline run {

namespace {

constexpr double least_part = 1.0 / 64;  // of a load step

class LoadPath {
 public:
  explicit LoadPath(const std::function<Model(double)>& make) : make_(make) {}

  // from the last equilibrium, or the model's start
  bool go_to(double load) {
    Model model = make_(load);
    State from = model.start;
    if (report_.steps > 0) {
      from.q = report_.equilibrium.state.q;
      from.z = report_.equilibrium.state.z;
    }
    const Equilibrium next = find_equilibrium(*model.system, from);
    report_.iterations += next.iterations;
    if (!next.found) {
      if (report_.steps == 0) report_.equilibrium = next;
      failed_ = next;
      return false;
    }
    report_.equilibrium = next;
    report_.load = load;
    ++report_.steps;
    record(model, load);
    return true;
  }

  // a load step, halved where it leads nowhere
  bool follow(double from, double to) {
    const double whole = to - from;
    for (double at = from, size = whole; at < to;) {
      const double next = at + size < to - 0.5 * least_part * whole ? at + size : to;
      if (go_to(next)) {
        at = next;
        continue;
      }
      size *= 0.5;
      if (size < least_part * whole) {
        report_.equilibrium = failed_;
        return false;
      }
    }
    return true;
  }

  StaticsReport take(bool found) {
    report_.found = found;
    if (recorder_) report_.result = std::move(recorder_->result());
    for (std::size_t i = 0; i < loads_.size(); ++i) report_.result.time[i] = loads_[i];
    return std::move(report_);
  }

 private:
  void record(Model& model, double load) {
    report_.outputs.resize(model.output_names.size());
    model.outputs.evaluate(report_.equilibrium.state, report_.outputs.data());
    if (!recorder_) {
      first_.emplace(std::move(model));
      recorder_.emplace(*first_->system, first_->output_names, [this](const State&, double* out) {
        std::copy(report_.outputs.begin(), report_.outputs.end(), out);
      });
      recorder_->result().origin = origin_of(*first_);
    }
    recorder_->sample(report_.equilibrium.state);
    loads_.push_back(load);
  }

  static Origin origin_of(const Model& model) {
    return {.model_name = model.name,
            .model_file = std::filesystem::path(model.file).filename().string(),
            .model_text = model.text,
            .parameters = model.parameters,
            .command = model.overrides,
            .end = 1,
            .scheme = "statics",
            .step = {},
            .tolerance = {},
            .options = {},
            .version = version()};
  }

  const std::function<Model(double)>& make_;
  StaticsReport report_;
  Equilibrium failed_;
  std::optional<Model> first_;
  std::optional<Recorder> recorder_;
  std::vector<double> loads_;
};

}  // namespace

StaticsReport find_equilibria(const std::function<Model(double load)>& make, int steps) {
  LoadPath path(make);
  bool found = path.go_to(steps == 0 ? 1 : 0);
  for (int k = 0; found && k < steps; ++k)
    found = path.follow(static_cast<double>(k) / steps, static_cast<double>(k + 1) / steps);
  return path.take(found);
}

}  // namespace escapement
