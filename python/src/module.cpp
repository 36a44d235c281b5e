#include "binding.hpp"
#include "cli/answers.hpp"
#include "io/examples.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "run/version.hpp"
#include "simulate/snapshot.hpp"

namespace escapement::python {

namespace {

// the exceptions are classes of the package, so that they can be pickled
py::object error_class(const char* name) { return py::module_::import("escapement.errors").attr(name); }

void raise(const py::object& kind, const py::object& error) { PyErr_SetObject(kind.ptr(), error.ptr()); }

void translate(std::exception_ptr pointer) {
  if (!pointer) return;
  try {
    std::rethrow_exception(pointer);
  } catch (const ModelError& e) {
    const py::object kind = error_class("ModelError");
    raise(kind, kind(e.what(), e.file, e.place.line, e.place.column, e.message));
  } catch (const OptionError& e) {
    const py::object kind = error_class("OptionError");
    raise(kind, kind(e.what()));
  } catch (const OverrideError& e) {
    const py::object kind = error_class("OptionError");
    raise(kind, kind(e.what()));
  } catch (const cli::NoAnswer& e) {
    const py::object kind = error_class("SimulationError");
    raise(kind, kind(e.what()));
  } catch (const ResultError& e) {
    const py::object kind = error_class("ResultError");
    raise(kind, kind(e.what()));
  } catch (const ReportError& e) {
    const py::object kind = error_class("ResultError");
    raise(kind, kind(e.what()));
  } catch (const WriteError& e) {
    raise(py::reinterpret_borrow<py::object>(PyExc_OSError), py::str(e.what()));
  } catch (const SnapshotError& e) {
    raise(py::reinterpret_borrow<py::object>(PyExc_RuntimeError), py::str(e.what()));
  }
}

}  // namespace

py::array view(const double* first, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides, py::handle owner) {
  py::array a(py::dtype::of<double>(), std::move(shape), std::move(strides), first, owner);
  py::detail::array_proxy(a.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return a;
}

py::array copy_of(const Vec& values) { return py::array_t<double>(values.size(), values.data()); }

void assign(const py::object& from, Vec& to, const char* what) {
  const Array a = Array::ensure(from);
  if (!a) throw py::value_error(fmt::format("{} must be {} numbers", what, to.size()));
  if (a.size() != to.size()) throw py::value_error(fmt::format("{} must be {} numbers, not {}", what, to.size(), a.size()));
  std::copy_n(a.data(), to.size(), to.data());
}

void assign(const py::object& from, Matrix& to, const char* what) {
  const Array a = Array::ensure(from);
  if (!a || a.size() != to.rows() * to.cols())
    throw py::value_error(fmt::format("{} must be a matrix of {} rows and {} columns", what, to.rows(), to.cols()));
  for (int i = 0; i < to.rows(); ++i)
    for (int j = 0; j < to.cols(); ++j) to.dense()(i, j) = a.data()[i * to.cols() + j];
}

Overrides overrides_of(const py::dict& given) {
  Overrides o;
  const auto text = [&](const char* key, std::optional<std::string>& to) {
    if (given.contains(key)) to = given[key].cast<std::string>();
  };
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  if (given.contains("parameters")) o.parameters = given["parameters"].cast<Pairs>();
  if (given.contains("options")) o.options = given["options"].cast<Pairs>();
  text("scheme", o.scheme);
  text("step", o.step);
  text("tolerance", o.tolerance);
  text("end", o.end);
  if (given.contains("load")) o.load = given["load"].cast<double>();
  if (given.contains("files"))
    for (const auto& [name, bytes] : given["files"].cast<py::dict>()) o.files.emplace_back(name.cast<std::string>(), bytes.cast<std::string>());
  return o;
}

py::dict files_of(const std::vector<std::pair<std::string, std::string>>& files) {
  py::dict d;
  for (const auto& [name, text] : files) d[py::str(name)] = py::bytes(text);
  return d;
}

void Watch::step(const StepRecord& record) {
  steps_ += record.accepted;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(50)) return;
  last_ = now;
  look(record);
}

void Watch::look(const StepRecord& record) {
  const py::gil_scoped_acquire gil;
  if (stop_.load()) return;
  if (PyErr_CheckSignals() == 0) {
    if (progress_.is_none()) return;
    try {
      progress_(record.accepted ? record.after.t : record.before.t, record.h, steps_);
      return;
    } catch (py::error_already_set& error) {
      error.restore();
    }
  }
  PyErr_Fetch(&type_, &value_, &trace_);
  stop_.store(true);
}

void Watch::rethrow() {
  if (!type_) return;
  PyErr_Restore(type_, value_, trace_);
  type_ = value_ = trace_ = nullptr;
  throw py::error_already_set();
}

}  // namespace escapement::python

PYBIND11_MODULE(_core, m) {
  using namespace escapement::python;
  using namespace escapement;
  namespace py = pybind11;
  py::register_exception_translator(&translate);
  m.attr("version") = version();
  m.def("examples", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> list;
    for (const ExampleFile& file : example_files()) list.emplace_back(file.name, std::string(file.text), file.title);
    return list;
  });
  bind_results(m);
  bind_models(m);
  bind_systems(m);
  bind_studies(m);
}
