#include <algorithm>
#include <cmath>
#include <map>

#include "binding.hpp"
#include "io/check.hpp"

namespace escapement::python {

namespace {

py::dict state_of(const State& s) {
  py::dict d;
  d["t"] = s.t;
  d["q"] = copy_of(s.q);
  d["v"] = copy_of(s.v);
  d["vdot"] = copy_of(s.vdot);
  d["lam"] = copy_of(s.lambda);
  d["z"] = copy_of(s.z);
  return d;
}

py::tuple ended(RunReport&& report) {
  report.result.summary = to_json(report.summary).dump();
  const std::string status = to_string(report.outcome.status), message = report.outcome.message;
  return py::make_tuple(std::make_shared<Recorded>(std::move(report.result)), status, message);
}

// what a system or a scheme in Python raised takes along the result so far
void give_result(py::error_already_set& error, Run& going) {
  const std::string raised = fmt::format("{}: {}", py::str(error.type().attr("__name__")).cast<std::string>(), py::str(error.value()).cast<std::string>());
  const double t = going.state().t;
  try {
    error.value().attr("_reached") = ended(going.fail(fmt::format("{} (raised in Python after t = {:g})", raised, t)));
  } catch (const std::exception&) {
    // it is raised again where the last sample is taken: no result then
  }
}

py::tuple run(Loaded& loaded, const py::object& progress, const py::object& written) {
  Watch watch(progress);
  const std::unique_ptr<Scheme> scheme = written.is_none() ? nullptr : make_scheme(written);
  RunHooks hooks;
  hooks.interrupt = watch.flag();
  hooks.observers.push_back(&watch);
  hooks.scheme = scheme.get();
  // a checkpoint is taken when a signal ends the run, so that a saved result can go on
  if (!loaded.owner && !scheme) {
    hooks.wants_result = [](double, const Result&) { return false; };
    hooks.take_result = [](Result&) {};
  }
  Run going(loaded.model, hooks);
  RunReport report;
  try {
    const py::gil_scoped_release free;
    while (going.step()) {
    }
    report = going.finish();
  } catch (py::error_already_set& error) {
    give_result(error, going);
    throw;
  } catch (py::builtin_exception& mistake) {
    mistake.set_error();
    py::error_already_set error;
    give_result(error, going);
    throw error;
  }
  py::tuple result = ended(std::move(report));
  try {
    watch.rethrow();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
  }
  return result;
}

// a run that goes step by step, with parameters that can be set in between
class Stepper {
 public:
  Stepper(std::shared_ptr<Loaded> loaded, py::dict overrides, py::object scheme)
      : loaded_(std::move(loaded)), given_(std::move(overrides)), written_(std::move(scheme)) {
    if (!written_.is_none()) scheme_ = make_scheme(written_);
    start(nullptr);
  }
  bool step() {
    const py::gil_scoped_release free;
    return run().step();
  }
  py::dict state() { return state_of(run().state()); }
  double time() { return run().state().t; }
  double step_size() { return run().step_size(); }
  void set(const std::string& name, double value);
  py::tuple finish() {
    RunReport report;
    {
      const py::gil_scoped_release free;
      report = run().finish();
    }
    run_.reset();
    return ended(std::move(report));
  }

 private:
  Run& run() {
    if (!run_) throw std::runtime_error("the simulation is finished; its result is all there is");
    return *run_;
  }
  void start(Result* from) {
    RunHooks hooks;
    hooks.resume = from;
    hooks.scheme = scheme_.get();
    hooks.wants_result = [](double, const Result&) { return false; };
    hooks.take_result = [](Result&) {};
    const py::gil_scoped_release free;
    run_ = std::make_unique<Run>(loaded_->model, hooks);
  }
  void make_live(const std::string& name);
  void rows(Vec& g, Vec& rates);

  std::shared_ptr<Loaded> loaded_;
  py::dict given_;
  py::object written_;
  std::unique_ptr<Scheme> scheme_;
  std::unique_ptr<Run> run_;
  std::vector<std::pair<std::string, std::shared_ptr<double>>> live_;
  std::map<std::string, double> values_;  // that were set
};

void Stepper::make_live(const std::string& name) {
  if (loaded_->owner) throw py::value_error("parameters of a system written in Python are its own attributes: set them there");
  if (scheme_) throw py::value_error("with a scheme written in Python no parameters can be set between steps");
  run();
  Overrides overrides = overrides_of(given_);
  overrides.live = live_;
  overrides.live.emplace_back(name, std::make_shared<double>(0));
  const auto fresh = std::make_shared<Loaded>(Loaded{read_model(loaded_->model.file, loaded_->model.text, overrides), {}});
  for (const auto& [known, value] : values_) *std::find_if(live_.begin(), live_.end(), [&](const auto& one) { return one.first == known; })->second = value;
  Result so_far = run_->take_checkpoint();
  run_.reset();
  loaded_ = fresh;
  start(&so_far);
  live_ = overrides.live;
  for (const auto& [known, value] : live_) run_->record(known, value);
}

void Stepper::rows(Vec& g, Vec& rates) {
  const System& system = *loaded_->model.system;
  Terms terms;
  system.prepare(terms);
  system.evaluate(run_->state(), Need::gap | Need::jacobian, terms);
  rates.setZero(system.dim().rows());
  velocity_rows(terms, run_->state().v, rates);
  g = terms.g;
}

void Stepper::set(const std::string& name, double value) {
  if (!std::isfinite(value)) throw py::value_error(fmt::format("{} cannot be set to {}: it is not a finite number", name, value));
  const auto known = [&] { return std::find_if(live_.begin(), live_.end(), [&](const auto& one) { return one.first == name; }); };
  if (known() == live_.end()) make_live(name);
  double& cell = *known()->second;
  if (cell == value) return;
  // drives may not leap: no force moves a mechanism at once
  Vec g, rates, g1, rates1;
  const double before = cell;
  rows(g, rates);
  cell = value;
  rows(g1, rates1);
  cell = before;
  Vec one;
  loaded_->model.system->position_scale(run_->state(), one);
  constexpr double rounding = 1e-9;
  for (int i = 0; i < g.size(); ++i)
    if (std::abs(g1[i] - g[i]) > rounding * one[i] || std::abs(rates1[i] - rates[i]) > rounding * std::max(one[i], std::abs(rates[i])))
      throw py::value_error(fmt::format("{} = {:g} would move the drive '{}' at once; change what drives it smoothly, or its acceleration",
                                        name, value, loaded_->model.system->names().multipliers[static_cast<std::size_t>(i)]));
  const py::gil_scoped_release free;
  run().change([&] { cell = value; });
  values_[name] = value;
}

}  // namespace

void bind_models(py::module_& m) {
  py::class_<Loaded, std::shared_ptr<Loaded>>(m, "Loaded")
      .def_property_readonly("name", [](const Loaded& l) { return l.model.name; })
      .def_property_readonly("kind", [](const Loaded& l) { return l.model.kind; })
      .def_property_readonly("text", [](const Loaded& l) { return l.model.text; })
      .def_property_readonly("parameters", [](const Loaded& l) { return l.model.parameters; })
      .def_property_readonly("warnings", [](const Loaded& l) { return l.model.warnings; })
      .def_property_readonly("outputs", [](const Loaded& l) { return l.model.output_names; })
      .def("files", [](const Loaded& l) { return files_of(table_files(l.model.file, l.model.overrides, l.model.tables)); })
      .def_property_readonly("times", [](const Loaded& l) { return std::pair(l.model.settings.start, l.model.settings.end); })
      .def_property_readonly("scheme", [](const Loaded& l) { return l.model.settings.scheme; })
      .def("names",
           [](const Loaded& l) {
             const Names& names = l.model.system->names();
             std::vector<std::string> contacts;
             for (const ContactLaw& law : l.model.system->contacts()) contacts.push_back(law.name);
             return py::make_tuple(names.q, names.v, names.z,
                                   std::vector<std::string>(names.multipliers.begin(),
                                                            names.multipliers.begin() + l.model.system->dim().bilateral),
                                   contacts);
           })
      .def("start", [](const Loaded& l) { return state_of(l.model.start); })
      .def("check", [](const Loaded& l) { return check_model(l.model).dump(); });
  m.def(
      "load",
      [](const std::string& path, const py::dict& overrides) {
        return std::make_shared<Loaded>(Loaded{load_model(path, overrides_of(overrides)), {}});
      },
      py::arg("path"), py::arg("overrides"));
  m.def(
      "read",
      [](const std::string& file, const std::string& text, const py::dict& overrides) {
        return std::make_shared<Loaded>(Loaded{read_model(file, text, overrides_of(overrides)), {}});
      },
      py::arg("file"), py::arg("text"), py::arg("overrides"));
  m.def("run", &run, py::arg("model"), py::arg("progress"), py::arg("scheme"));
  py::class_<Stepper>(m, "Stepper")
      .def(py::init<std::shared_ptr<Loaded>, py::dict, py::object>())
      .def("step", &Stepper::step)
      .def("state", &Stepper::state)
      .def_property_readonly("time", &Stepper::time)
      .def_property_readonly("step_size", &Stepper::step_size)
      .def("set", &Stepper::set)
      .def("finish", &Stepper::finish);
  m.def("schemes", [] {
    std::vector<std::tuple<std::string, std::string, bool, bool>> list;
    for (const SchemeEntry& entry : all_schemes())
      list.emplace_back(entry.info.id, entry.info.description, entry.info.error_power > 0, entry.info.time_stepping);
    return list;
  });
}

}  // namespace escapement::python
