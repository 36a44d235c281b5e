// Studies, comparisons, equilibria, reproductions: what the commands find out.
#include <thread>

#include "binding.hpp"
#include "cli/answers.hpp"
#include "io/report.hpp"
#include "io/study_journal.hpp"
#include "io/study_runs.hpp"
#include "study/reproduction_text.hpp"

namespace escapement::python {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<double>;

py::tuple tuple_of(std::size_t run, const SweepRow& row) {
  return py::make_tuple(run, row.status, row.verdict, row.message, row.measures);
}

SweepRow row_of(const std::string& status, const std::string& verdict, const std::string& message, Values measures) {
  return {.done = true, .status = status, .message = message, .verdict = verdict, .measures = std::move(measures), .engine = {}};
}

py::dict dict_of(const Overrides& o) {
  py::dict d;
  if (!o.parameters.empty()) d["parameters"] = o.parameters;
  if (!o.options.empty()) d["options"] = o.options;
  for (const auto& [key, text] :
       {std::pair{"scheme", &o.scheme}, std::pair{"step", &o.step}, std::pair{"tolerance", &o.tolerance}, std::pair{"end", &o.end}})
    if (*text) d[key] = **text;
  return d;
}


// what a worker needs: everything but the values of all runs
py::tuple spec_of(const Study& s) {
  std::vector<std::pair<std::string, std::string>> measures;
  for (const auto& m : s.measures) measures.emplace_back(m.name, m.text);
  py::dict base = dict_of(s.base);
  base["files"] = files_of(table_files(s.model_file, s.base, s.tables));  // workers may see other folders
  return py::make_tuple(s.file, s.model_file, s.model_text, base, s.varied, measures);
}

Study study_of(const py::tuple& spec) {
  Study s;
  s.file = spec[0].cast<std::string>();
  s.model_file = spec[1].cast<std::string>();
  s.model_text = spec[2].cast<std::string>();
  s.base = overrides_of(spec[3].cast<py::dict>());
  s.varied = spec[4].cast<std::vector<std::string>>();
  for (auto& [name, text] : spec[5].cast<std::vector<std::pair<std::string, std::string>>>()) s.measures.push_back({.name = name, .text = text, .place = {}});
  return s;
}

struct StudyRows {
  Study study;
  std::vector<SweepRow> rows;
  std::unique_ptr<StudyJournal> journal;

  explicit StudyRows(Study s) : study(std::move(s)), rows(study.runs.size()) {}
  std::size_t open(const std::string& path) {
    journal = std::make_unique<StudyJournal>(path, study, rows);
    return journal->taken();
  }
  std::vector<std::size_t> todo() const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows[i].done) list.push_back(i);
    return list;
  }
  void add(std::size_t run, SweepRow row) {
    if (rows.at(run).done) return;
    rows[run] = std::move(row);
    if (journal) journal->add(std::span(&run, 1), rows);
  }
};

// runs on threads of this process, looking after signals
void run_here(StudyRows& s, int threads, const py::object& progress) {
  std::atomic<bool> stop{false}, over{false};
  SweepHooks hooks;
  std::atomic<std::size_t> done = 0;
  hooks.interrupt = &stop;
  hooks.on_start = [&](std::span<const std::size_t> runs) {
    if (s.journal) s.journal->start(runs);
  };
  hooks.on_rows = [&](std::span<const std::size_t> runs) {
    if (s.journal) s.journal->add(runs, s.rows);
    done += runs.size();
  };
  const std::size_t of = s.todo().size();
  std::exception_ptr failure;
  std::jthread work([&] {
    try {
      run_sweep(s.study, threads, hooks, s.rows);
    } catch (...) {
      failure = std::current_exception();
    }
    over = true;
  });
  while (!over) {
    {
      const py::gil_scoped_release free;
      for (int i = 0; i < 10 && !over; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    bool asked = PyErr_CheckSignals() != 0;
    if (!asked && !progress.is_none()) {
      try {
        progress(done.load(), of);
      } catch (py::error_already_set& error) {
        error.restore();
        asked = true;
      }
    }
    if (asked) {
      stop = true;
      const py::gil_scoped_release free;
      work.join();
      break;
    }
  }
  if (PyErr_Occurred()) throw py::error_already_set();
  if (work.joinable()) work.join();
  if (failure) std::rethrow_exception(failure);
}

cli::LoadModel loader(const std::string& file, const std::string& text) {
  return [=](const Overrides& o) { return read_model(file, text, o); };
}

template <class Action>
auto answer(Action action) {
  try {
    return action();
  } catch (const cli::UsageError& e) {
    throw OptionError("", e.what());
  }
}

int run_program(const std::vector<std::string>& words, const py::object& elsewhere) {
  std::vector<std::string> copy = words;
  std::vector<char*> argv;
  for (std::string& word : copy) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (!elsewhere.is_none())
    cli::run_elsewhere() = [&](const std::string& engine, const std::string& address, const Study& study, const std::vector<std::size_t>& todo,
                               const cli::RunsBegun& begun, const cli::RowDone& done, const std::atomic<bool>& interrupt) {
      const py::gil_scoped_acquire gil;
      std::vector<Values> values;
      for (const std::size_t i : todo) values.push_back(study.runs[i]);
      try {
        elsewhere(engine, address, spec_of(study), todo, values,
                  py::cpp_function([&](const std::vector<std::size_t>& runs) { begun(runs); }),
                  py::cpp_function([&](std::size_t run, const std::string& status, const std::string& verdict, const std::string& message,
                                       const Values& measures) { done(run, row_of(status, verdict, message, measures)); }),
                  py::cpp_function([&] { return interrupt.load(); }));
      } catch (py::error_already_set& error) {
        if (error.matches(py::module_::import("escapement.errors").attr("OptionError")))
          throw cli::UsageError(py::str(error.value()).cast<std::string>());
        throw;
      }
    };
  const py::gil_scoped_release free;
  const int status = cli::run_program(static_cast<int>(copy.size()), argv.data());
  cli::run_elsewhere() = nullptr;
  return status;
}

}  // namespace

void bind_studies(py::module_& m) {
  py::class_<StudyRows>(m, "StudyRows")
      .def_property_readonly("varied", [](const StudyRows& s) { return s.study.varied; })
      .def_property_readonly("runs", [](const StudyRows& s) { return s.study.runs; })
      .def_property_readonly("measures",
                             [](const StudyRows& s) {
                               std::vector<std::pair<std::string, std::string>> list;
                               for (const auto& one : s.study.measures) list.emplace_back(one.name, one.text);
                               return list;
                             })
      .def("spec", [](const StudyRows& s) { return spec_of(s.study); })
      .def("open", &StudyRows::open)
      .def("cut_short", [](const StudyRows& s) { return s.journal ? s.journal->cut_short() : 0; })
      .def("close",
           [](StudyRows& s) {
             if (s.journal && s.todo().empty()) s.journal->remove();
             s.journal.reset();
           })
      .def("forget", [](StudyRows& s) { s.rows.assign(s.study.runs.size(), {}); })
      .def("todo", &StudyRows::todo)
      .def("start", [](StudyRows& s, const std::vector<std::size_t>& runs) {
        if (s.journal) s.journal->start(runs);
      })
      .def("add", [](StudyRows& s, std::size_t run, const std::string& status, const std::string& verdict, const std::string& message,
                     Values measures) { s.add(run, row_of(status, verdict, message, std::move(measures))); })
      .def("run_here", &run_here)
      .def("rows",
           [](const StudyRows& s) {
             py::list list;
             for (std::size_t i = 0; i < s.rows.size(); ++i)
               if (s.rows[i].done) list.append(tuple_of(i, s.rows[i]));
             return list;
           })
      .def("text", [](const StudyRows& s) { return to_text(s.study, s.rows); })
      .def("csv", [](const StudyRows& s) { return to_csv(s.study, s.rows); })
      .def("write_page",
           [](const StudyRows& s, const std::string& path) {
             write_study_page(sweep_page(s.study, s.rows).dump(-1, ' ', false, Json::error_handler_t::replace), path);
           })
      .def("write", [](const StudyRows& s, const std::string& path) { write_sweep(s.study, s.rows, path); });
  m.def("load_study", [](const std::string& path, const py::dict& overrides) {
    return std::make_unique<StudyRows>(load_study(path, overrides_of(overrides)));
  });
  m.def("read_study", [](const std::string& file, const std::string& text, const std::string& model_file, const std::string& model_text,
                         const py::dict& overrides) {
    return std::make_unique<StudyRows>(read_study(file, text, model_file, model_text, overrides_of(overrides)));
  });
  // on a worker: rows of a study, each with its number and values
  m.def("run_rows", [](const py::tuple& spec, const std::vector<std::size_t>& runs, const std::vector<Values>& values) {
    const Study study = study_of(spec);
    std::vector<SweepRow> rows;
    {
      const py::gil_scoped_release free;
      const StudyRuns made(study);
      for (const Values& one : values) rows.push_back(made.row(one));
    }
    py::list list;
    for (std::size_t i = 0; i < rows.size(); ++i) list.append(tuple_of(runs[i], rows[i]));
    return list;
  });

  m.def("compare", [](const std::string& file, const std::string& text, const py::dict& overrides, const std::vector<std::string>& schemes,
                      const Values& tolerances, const Values& steps, double reference, bool no_reference) {
    const Overrides given = overrides_of(overrides);
    const cli::Contest contest{schemes, tolerances, steps, reference, no_reference};
    const cli::LoadModel load = loader(file, text);
    const std::vector<ComparedRun> runs = answer([&] { return cli::contest_runs(load, given, contest); });
    Model model = cli::contest_model(load, given, runs);
    Watch watch{py::none()};
    CompareHooks hooks;
    hooks.interrupt = watch.flag();
    hooks.observers = {&watch};
    Comparison comparison;
    {
      const py::gil_scoped_release free;
      comparison = cli::hold_contest(model, runs, contest, hooks);
    }
    watch.rethrow();
    return py::make_tuple(to_json(comparison).dump(), to_text(comparison), study_json(comparison).dump());
  });
  m.def("modes", [](const Loaded& loaded) {
    const py::gil_scoped_release free;
    return cli::find_modes_of(loaded.model).dump();
  });
  m.def("statics", [](const std::string& file, const std::string& text, const py::dict& overrides, int steps) {
    const Overrides given = overrides_of(overrides);
    cli::Statics statics = answer([&] {
      const py::gil_scoped_release free;
      return cli::find_statics(loader(file, text), given, steps);
    });
    const std::string json = cli::to_json(statics).dump();
    return py::make_tuple(json, std::make_shared<Recorded>(std::move(statics.report.result)));
  });
  m.def("experiments", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> list;
    for (const Experiment& e : experiments()) list.emplace_back(e.id, e.paper, e.title);
    return list;
  });
  m.def("reproduce", [](const std::vector<std::string>& ids, bool quick, int threads) {
    std::vector<const Experiment*> list;
    for (const Experiment& e : experiments())
      if (std::find(ids.begin(), ids.end(), e.id) != ids.end()) list.push_back(&e);
    const py::gil_scoped_release free;
    ReproduceOptions options;
    options.quick = quick;
    options.threads = threads;
    return json_text(reproduce(list, options), quick);
  });
  m.def("main", &run_program);
}

}  // namespace escapement::python
