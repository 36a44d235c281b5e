#include "io/vtk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "io/report.hpp"
#include "io/report_picture.hpp"
#include "io/whole_file.hpp"

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;
using Point3 = std::array<double, 3>;
constexpr int corners = 32;  // of a circle

// one frame's geometry; cells are kept by kind, as the format wants them
struct Mesh {
  enum Kind { verts, lines, polys };
  std::vector<Point3> points, forces;
  std::array<std::vector<std::vector<std::size_t>>, 3> cells;
  std::array<std::vector<int>, 3> objects;
  std::array<std::vector<double>, 3> moments;  // of beams, 0 elsewhere

  void add(Kind kind, const std::vector<Point3>& corners_of, int object, bool closed = false, double moment = 0) {
    std::vector<std::size_t> cell;
    for (const Point3& p : corners_of) {
      cell.push_back(points.size());
      points.push_back(p);
      forces.push_back({0, 0, 0});
    }
    if (closed) cell.push_back(cell.front());
    cells[kind].push_back(std::move(cell));
    objects[kind].push_back(object);
    moments[kind].push_back(moment);
  }
};

// where a body is: a rotation and a place
struct Pose {
  Point3 at{};
  std::array<Point3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // columns of the rotation

  static Pose planar(double x, double y, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {{x, y, 0}, {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}}};
  }
  static Pose spatial(const Point3& at, double w, double x, double y, double z) {
    const double n = std::sqrt(w * w + x * x + y * y + z * z);
    if (n > 0) w /= n, x /= n, y /= n, z /= n;
    return {at,
            {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
              {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
              {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}}};
  }
  Point3 operator()(const Point3& p) const {
    Point3 r = at;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) r[i] += axes[k][i] * p[k];
    return r;
  }
  Pose operator*(const Pose& inner) const {
    Pose r;
    r.at = (*this)(inner.at);
    Pose turn = *this;
    turn.at = {0, 0, 0};
    for (int k = 0; k < 3; ++k) r.axes[k] = turn(inner.axes[k]);
    return r;
  }
};

std::vector<Point3> circle(const Pose& pose, double radius, double z = 0) {
  std::vector<Point3> points;
  for (int i = 0; i < corners; ++i) {
    const double a = 2 * std::numbers::pi * i / corners;
    points.push_back(pose({radius * std::cos(a), radius * std::sin(a), z}));
  }
  return points;
}

// rings along the z axis, joined by quads: balls, cylinders, capsules
void add_rings(Mesh& mesh, const Pose& pose, const std::vector<std::array<double, 2>>& radius_and_z, int object) {
  for (std::size_t k = 0; k + 1 < radius_and_z.size(); ++k) {
    const auto low = circle(pose, radius_and_z[k][0], radius_and_z[k][1]),
               high = circle(pose, radius_and_z[k + 1][0], radius_and_z[k + 1][1]);
    for (int i = 0; i < corners; ++i)
      mesh.add(Mesh::polys, {low[i], low[(i + 1) % corners], high[(i + 1) % corners], high[i]}, object);
  }
}

std::vector<std::array<double, 2>> half_ball(double radius, double middle, double from, double to) {
  std::vector<std::array<double, 2>> rings;
  for (int i = 0; i <= 8; ++i) {
    const double a = from + (to - from) * i / 8;
    rings.push_back({radius * std::cos(a), middle + radius * std::sin(a)});
  }
  return rings;
}

void add_shape(Mesh& mesh, const Picture::Shape& shape, const Pose& body, bool spatial, int object) {
  using Kind = Picture::Shape::Kind;
  const Point3 at{shape.at.size() > 0 ? shape.at[0] : 0, shape.at.size() > 1 ? shape.at[1] : 0,
                  shape.at.size() > 2 ? shape.at[2] : 0};
  const std::vector<double>& o = shape.orientation;
  const Pose own =
      spatial && o.size() == 4 ? Pose::spatial(at, o[0], o[1], o[2], o[3]) : Pose::planar(at[0], at[1], shape.angle);
  Pose pose = body * own;
  if (spatial && o.size() != 4) pose.at = body(at);
  const double quarter = std::numbers::pi / 2;
  auto side = [&](std::size_t i) { return shape.size.size() > i ? shape.size[i] / 2 : 0; };
  switch (shape.kind) {
    case Kind::box: {
      const double x = side(0), y = side(1), z = side(2);
      if (!spatial) {
        mesh.add(Mesh::polys, {pose({-x, -y, 0}), pose({x, -y, 0}), pose({x, y, 0}), pose({-x, y, 0})}, object);
        return;
      }
      std::array<Point3, 8> c;
      for (int i = 0; i < 8; ++i) c[i] = pose({i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z});
      for (const auto& f : {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
                            std::array{2, 6, 7, 3}, std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}})
        mesh.add(Mesh::polys, {c[f[0]], c[f[1]], c[f[2]], c[f[3]]}, object);
      return;
    }
    case Kind::circle:
      mesh.add(Mesh::polys, circle(pose, shape.size.at(0)), object);
      return;
    case Kind::sphere:
      add_rings(mesh, pose, half_ball(shape.size.at(0), 0, -quarter, quarter), object);
      return;
    case Kind::cylinder:
      add_rings(mesh, pose, {{0, -side(0)}, {shape.size.at(1), -side(0)}, {shape.size.at(1), side(0)}, {0, side(0)}},
                object);
      return;
    case Kind::capsule: {
      const double half = side(0), r = shape.size.at(1);
      if (spatial) {
        auto rings = half_ball(r, -half, -quarter, 0);
        const auto upper = half_ball(r, half, 0, quarter);
        rings.insert(rings.end(), upper.begin(), upper.end());
        add_rings(mesh, pose, rings, object);
        return;
      }
      std::vector<Point3> outline;
      for (int i = 0; i <= corners; ++i) {
        const double a = -quarter + 2 * std::numbers::pi * i / corners;
        outline.push_back(pose({(2 * i <= corners ? half : -half) + r * std::cos(a), r * std::sin(a), 0}));
      }
      mesh.add(Mesh::polys, outline, object);
      return;
    }
    case Kind::polygon: {
      std::vector<Point3> outline;
      for (const auto& p : shape.points) outline.push_back(pose({p[0], p[1], 0}));
      mesh.add(outline.size() > 2 ? Mesh::polys : Mesh::lines, outline, object);
      return;
    }
    case Kind::hull:
      for (const std::vector<int>& face : shape.faces) {
        std::vector<Point3> outline;
        for (const int k : face) {
          const std::vector<double>& p = shape.points[static_cast<std::size_t>(k)];
          outline.push_back(pose({p[0], p[1], p[2]}));
        }
        mesh.add(Mesh::polys, outline, object);
      }
      return;
    case Kind::plane:
      return;  // has no end: drawn by whoever looks
  }
}

// the numbers of a frame: constants, recorded columns and evaluated ones
class Frame {
 public:
  Frame(const Result& result, const Picture& picture, const PictureColumns& columns) {
    const auto add = [&](const std::string& before, const DataTable& table, const std::string& after = "") {
      for (std::size_t k = 0; k < table.columns(); ++k) recorded_[before + table.names()[k] + after] = table[k];
    };
    add("q/", result.q);
    add("v/", result.v);
    add("lambda/", result.lambda);
    add("outputs/", result.outputs);
    add("contacts/", result.contacts.gap, "/gap");
    add("contacts/", result.contacts.force, "/force");
    for (std::size_t i = 0; i < picture.columns.size(); ++i) evaluated_[picture.columns[i]] = columns.values[i];
  }
  void at(std::size_t row, std::size_t frame) { row_ = row, frame_ = frame; }
  double operator()(const Picture::Scalar& s) const {
    if (s.column.empty()) return s.value;
    if (const auto found = evaluated_.find(s.column); found != evaluated_.end()) return found->second[frame_];
    if (const auto found = recorded_.find(s.column); found != recorded_.end()) return found->second[row_];
    return 0;
  }
  Point3 operator()(const Picture::Point& p) const {
    return {(*this)(p[0]), (*this)(p[1]), p.size() > 2 ? (*this)(p[2]) : 0};
  }

 private:
  std::map<std::string, Column> recorded_, evaluated_;
  std::size_t row_ = 0, frame_ = 0;
};

Pose pose_of(const Picture::Body& body, const Frame& frame) {
  const auto& p = body.pose;
  if (p.size() == 7)
    return Pose::spatial({frame(p[0]), frame(p[1]), frame(p[2])}, frame(p[3]), frame(p[4]), frame(p[5]), frame(p[6]));
  return Pose::planar(frame(p[0]), frame(p[1]), frame(p[2]));
}

void add_primitive(Mesh& mesh, const Picture::Primitive& primitive, const Frame& frame, bool spatial, int object) {
  using Kind = Picture::Primitive::Kind;
  std::vector<Point3> points;
  for (const Picture::Point& p : primitive.points) points.push_back(frame(p));
  switch (primitive.kind) {
    case Kind::point:
      mesh.add(Mesh::verts, points, object);
      return;
    case Kind::segment:
    case Kind::polyline:
      if (primitive.shades.empty()) mesh.add(Mesh::lines, points, object);
      // a beam: its elements, each with its moment
      for (std::size_t k = 0; k < primitive.shades.size(); ++k)
        mesh.add(Mesh::lines, {points[k], points[k + 1]}, object, false, frame(primitive.shades[k]));
      return;
    case Kind::polygon:
      mesh.add(Mesh::polys, points, object);
      return;
    case Kind::circle: {
      Pose pose;
      pose.at = points.at(0);
      const double radius = frame(primitive.radius), quarter = std::numbers::pi / 2;
      if (spatial)
        add_rings(mesh, pose, half_ball(radius, 0, -quarter, quarter), object);
      else
        mesh.add(Mesh::polys, circle(pose, radius), object);
      return;
    }
  }
}

Mesh mesh_of(const Picture& picture, const Frame& frame) {
  Mesh mesh;
  const bool spatial = picture.dimension == 3;
  int object = 0;
  for (const Picture::Primitive& p : picture.primitives) add_primitive(mesh, p, frame, spatial, object++);
  std::vector<Pose> poses;
  for (const Picture::Body& body : picture.bodies) {
    poses.push_back(pose_of(body, frame));
    for (const Picture::Shape& shape : body.shapes) add_shape(mesh, shape, poses.back(), spatial, object);
    if (body.shapes.empty() && !body.is_node) mesh.add(Mesh::verts, {poses.back().at}, object);
    ++object;
  }
  auto place = [&](const Picture::Joint& joint, std::size_t k) {
    const auto& a = joint.at[k];
    const Point3 p{a.size() > 0 ? a[0] : 0, a.size() > 1 ? a[1] : 0, a.size() > 2 ? a[2] : 0};
    return joint.bodies[k] < 0 ? p : poses[static_cast<std::size_t>(joint.bodies[k])](p);
  };
  for (const Picture::Joint& joint : picture.joints) mesh.add(Mesh::verts, {place(joint, 0)}, object++);
  for (const Picture::Joint& link : picture.links) mesh.add(Mesh::lines, {place(link, 0), place(link, 1)}, object++);
  for (const Picture::Contact& contact : picture.contacts) {
    mesh.add(Mesh::verts, {frame(contact.point)}, object++);
    const double force = frame(Picture::Scalar(contact.force));
    const Point3 n = frame(contact.normal);
    mesh.forces.back() = {force * n[0], force * n[1], force * n[2]};
  }
  return mesh;
}

std::vector<std::string> object_names(const Picture& picture) {
  std::vector<std::string> names;
  for (const auto& x : picture.primitives) names.push_back(x.name);
  for (const auto& x : picture.bodies) names.push_back(x.name);
  for (const auto& x : picture.joints) names.push_back(x.name);
  for (const auto& x : picture.links) names.push_back(x.name);
  for (const auto& x : picture.contacts) names.push_back(x.name);
  return names;
}

std::string vectors(const char* name, const std::vector<Point3>& list) {
  std::string text =
      fmt::format("<DataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"3\" format=\"ascii\">", name);
  for (const Point3& p : list) text += fmt::format("\n{:.9g} {:.9g} {:.9g}", p[0], p[1], p[2]);
  return text + "\n</DataArray>\n";
}

std::string vtp(const Mesh& mesh, double time) {
  constexpr const char* kinds[] = {"Verts", "Lines", "Polys"};
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<PolyData>\n<FieldData>"
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{:.17g}</DataArray></FieldData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"{}\">\n<Points>\n",
      time, mesh.points.size(), mesh.cells[0].size(), mesh.cells[1].size(), mesh.cells[2].size());
  text += vectors("Points", mesh.points) + "</Points>\n";
  for (int k = 0; k < 3; ++k) {
    std::string connectivity, offsets;
    std::size_t end = 0;
    for (const auto& cell : mesh.cells[k]) {
      for (const std::size_t i : cell) connectivity += fmt::format("{} ", i);
      offsets += fmt::format("{} ", end += cell.size());
    }
    text += fmt::format(
        "<{0}>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{1}</DataArray>\n<DataArray "
        "type=\"Int64\" Name=\"offsets\" format=\"ascii\">{2}</DataArray>\n</{0}>\n",
        kinds[k], connectivity, offsets);
  }
  std::string objects, moments;
  for (const auto& list : mesh.objects)
    for (const int object : list) objects += fmt::format("{} ", object);
  for (const auto& list : mesh.moments)
    for (const double moment : list) moments += fmt::format("{:.9g} ", moment);
  text += fmt::format(
      "<CellData Scalars=\"object\">\n<DataArray type=\"Int32\" Name=\"object\" "
      "format=\"ascii\">{}</DataArray>\n<DataArray type=\"Float64\" Name=\"bending_moment\" "
      "format=\"ascii\">{}</DataArray>\n</CellData>\n",
      objects, moments);
  text += "<PointData Vectors=\"force\">\n" + vectors("force", mesh.forces) +
          "</PointData>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  return text;
}

}  // namespace

void write_vtk(const Result& result, const Picture& picture, const std::string& name, std::size_t most) {
  if (picture.empty()) throw ReportError("this model draws nothing: give it a 'drawing' block before exporting to VTK");
  std::vector<std::size_t> rows;
  const std::size_t n = result.time.size(), count = std::min(n, most);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(count > 1 ? i * (n - 1) / (count - 1) : 0);
  const PictureColumns columns = evaluate_picture(picture, result, rows);
  Frame frame(result, picture, columns);

  const fs::path folder = name + "_vtk";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder, error.message());
  std::string names, list;
  int object = 0;
  for (std::string label : object_names(picture)) {
    // two dashes end a comment
    std::replace(label.begin(), label.end(), '-', '_');
    names += fmt::format("{}{} {}", object ? ", " : "", object, label);
    ++object;
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    frame.at(rows[k], k);
    const std::string file = fmt::format("frame_{:05}.vtp", k);
    write_text(folder / file, vtp(mesh_of(picture, frame), result.time[rows[k]]));
    list += fmt::format("<DataSet timestep=\"{:.17g}\" file=\"{}/{}\"/>\n", result.time[rows[k]],
                        folder.filename().string(), file);
  }
  write_text(name + ".pvd",
             fmt::format("<?xml version=\"1.0\"?>\n<!-- object: {} -->\n<VTKFile type=\"Collection\" version=\"0.1\" "
                         "byte_order=\"LittleEndian\">\n<Collection>\n{}</Collection>\n</VTKFile>\n",
                         names, list));
}

}  // namespace escapement
