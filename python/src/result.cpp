#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "binding.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "io/run_measure.hpp"
#include "io/vtk.hpp"

namespace escapement::python {

namespace {

namespace fs = std::filesystem;

const DataTable& table_of(const Result& r, const std::string& path) {
  const DataTable* found = nullptr;
  for_each_table(r, [&](const char* name, const DataTable& table) {
    if (path == name) found = &table;
  });
  if (!found) throw py::key_error(path);
  return *found;
}

py::array column_view(const Column& c, py::handle owner) {
  return view(c.data(), {static_cast<py::ssize_t>(c.size())}, {static_cast<py::ssize_t>(c.stride() * sizeof(double))}, owner);
}

// a result holds its model's text and how it was run, so that its picture can be drawn
Picture picture_of(const Result& result, const std::string& folder) {
  const auto model = std::make_shared<const Model>(read_model_of(result, (fs::path(folder) / result.origin.model_file).string()));
  Picture picture = make_picture(model->drawing, model->scene);
  if (picture.evaluate)
    picture.evaluate = [model, evaluate = picture.evaluate](const State& s, double* out) { evaluate(s, out); };
  return picture;
}

// a file for as long as it takes to write and read it
class Passing {
 public:
  Passing() {
    std::string name = (fs::temp_directory_path() / "escapement-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw std::runtime_error("no file can be made in " + fs::temp_directory_path().string());
    close(file);
    path_ = name;
  }
  ~Passing() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

py::bytes bytes_of(const Recorded& r) {
  const Passing file;
  write_result(r.result, file.path());
  std::ifstream in(file.path(), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::shared_ptr<Recorded> from_bytes(const std::string& bytes) {
  const Passing file;
  std::ofstream(file.path(), std::ios::binary) << bytes;
  return std::make_shared<Recorded>(read_result(file.path()));
}

}  // namespace

void bind_results(py::module_& m) {
  py::class_<Recorded, std::shared_ptr<Recorded>>(m, "Result")
      .def_property_readonly("time", [](py::object self) { return view(self.cast<Recorded&>().result.time, self); })
      .def_property_readonly("summary", [](const Recorded& r) { return r.result.summary; })
      .def_property_readonly("checkpoint", [](const Recorded& r) { return !r.result.checkpoint.empty(); })
      .def("tables",
           [](const Recorded& r) {
             std::vector<std::pair<std::string, std::vector<std::string>>> list;
             for_each_table(r.result, [&](const char* path, const DataTable& t) { list.emplace_back(path, t.names()); });
             return list;
           })
      .def("table",
           [](py::object self, const std::string& path) {
             const DataTable& t = table_of(self.cast<Recorded&>().result, path);
             const auto columns = static_cast<py::ssize_t>(t.columns());
             return view(t.values().data(), {static_cast<py::ssize_t>(t.rows()), columns},
                         {columns * static_cast<py::ssize_t>(sizeof(double)), sizeof(double)}, self);
           })
      .def("columns",
           [](const Recorded& r) {
             std::vector<std::string> names;
             for (const auto& [name, values] : measured_columns(r.result)) names.push_back(name);
             return names;
           })
      .def("column",
           [](py::object self, std::size_t k) { return column_view(measured_columns(self.cast<Recorded&>().result).at(k).second, self); })
      .def("events",
           [](py::object self) {
             const EventColumns& e = self.cast<Recorded&>().result.events;
             return py::make_tuple(view(e.time, self), e.contact, e.kind, view(e.velocity_before, self), view(e.velocity_after, self),
                                   view(e.impulse, self), e.note);
           })
      .def("steps",
           [](py::object self) {
             const StepColumns& s = self.cast<Recorded&>().result.steps;
             return py::make_tuple(view(s.time, self), view(s.size, self), view(s.newton_iterations, self), view(s.error, self),
                                   view(s.rejected, self));
           })
      .def("contact_points",
           [](py::object self) {
             const ContactPointColumns& p = self.cast<Recorded&>().result.points;
             const auto texts = [&](const std::vector<std::uint32_t>& column) {
               std::vector<std::string> names;
               for (const std::uint32_t k : column) names.push_back(p.names[k]);
               return names;
             };
             const auto whole = [&](const std::vector<std::uint64_t>& x) {
               return py::array_t<std::uint64_t>(static_cast<py::ssize_t>(x.size()), x.data());
             };
             const auto vectors = [&](const std::vector<double>& x) {
               const py::ssize_t n = std::max(p.dimension, 1), each = static_cast<py::ssize_t>(sizeof(double));
               return view(x.data(), {static_cast<py::ssize_t>(p.rows()), n}, {n * each, each}, self);
             };
             return py::make_tuple(whole(p.sample), texts(p.contact), texts(p.a), texts(p.b), whole(p.id), vectors(p.point),
                                   vectors(p.normal), view(p.gap, self), vectors(p.force));
           })
      .def("origin",
           [](const Recorded& r) {
             const Origin& o = r.result.origin;
             const OriginTexts texts = to_texts(o);
             return py::make_tuple(o.model_name, o.model_file, o.model_text, texts.parameters, texts.command, texts.overrides,
                                   texts.options, o.version);
           })
      .def("write", [](const Recorded& r, const std::string& path) { write_result(r.result, path); })
      .def("write_csv", [](const Recorded& r, const std::string& path) { write_csv(r.result, path); })
      .def("write_report",
           [](const Recorded& r, const std::string& path, const std::string& folder, bool picture) {
             write_report(r.result, picture ? picture_of(r.result, folder) : Picture(), path);
           })
      .def("write_vtk", [](const Recorded& r, const std::string& name,
                           const std::string& folder) { write_vtk(r.result, picture_of(r.result, folder), name); })
      .def("to_bytes", &bytes_of);
  m.def("read_result", [](const std::string& path) { return std::make_shared<Recorded>(read_result(path)); });
  m.def("result_from_bytes", [](const py::bytes& bytes) { return from_bytes(bytes); });
}

}  // namespace escapement::python
