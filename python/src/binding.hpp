// What the files of the module share. Everything below is private to the package: its Python half has the names users type.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "io/run.hpp"

namespace escapement::python {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// a model that can be run once or many times, by one thread at a time
struct Loaded {
  Model model;
  py::object owner;  // a system written in Python: it must outlive the model
};

struct Recorded {
  Result result;  // with its summary
  explicit Recorded(Result r) : result(std::move(r)) {}
};

Overrides overrides_of(const py::dict&);
py::dict files_of(const std::vector<std::pair<std::string, std::string>>& files);  // texts of files by name, as bytes

// numbers where they are, which stay alive with their owner
py::array view(const double* first, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides, py::handle owner);
inline py::array view(const std::vector<double>& values, py::handle owner) {
  return view(values.data(), {static_cast<py::ssize_t>(values.size())}, {sizeof(double)}, owner);
}
py::array copy_of(const Vec&);
void assign(const py::object& from, Vec& to, const char* what);      // with as many numbers as it has
void assign(const py::object& from, Matrix& to, const char* what);  // with its rows and columns

// looks after signals and the progress of a run while the interpreter is free for others
class Watch : public Observer {
 public:
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}
  void step(const StepRecord&) override;
  const std::atomic<bool>* flag() const { return &stop_; }
  void rethrow();  // what a signal or the progress raised

 private:
  void look(const StepRecord&);
  using Clock = std::chrono::steady_clock;
  py::object progress_;  // called with time, step size and number of steps, or None
  Clock::time_point last_ = Clock::now();
  long steps_ = 0;
  std::atomic<bool> stop_{false};
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

std::unique_ptr<Scheme> make_scheme(const py::object& written_in_python);

void bind_errors(py::module_&);
void bind_models(py::module_&);
void bind_results(py::module_&);
void bind_systems(py::module_&);
void bind_studies(py::module_&);

}  // namespace escapement::python
