#include "io/mesh_box.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "math/rotation.hpp"

namespace escapement::inline io {

namespace {

using Points = std::vector<Vec3>;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// every line that starts with `word` holds a point
Points points_of_lines(const std::string& text, const std::string& word) {
  Points points;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream items(line);
    std::string first;
    Vec3 p;
    if (items >> first && lower(first) == word && items >> p[0] >> p[1] >> p[2]) points.push_back(p);
  }
  return points;
}

// 80 bytes of header, a count, then per triangle a normal, three points (floats) and two bytes
Points points_of_binary_stl(const std::string& bytes) {
  Points points;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  for (std::uint32_t k = 0; k < count; ++k)
    for (int corner = 0; corner < 3; ++corner) {
      float p[3];
      std::memcpy(p, bytes.data() + 84 + 50 * static_cast<std::size_t>(k) + 12 + 12 * corner, 12);
      points.emplace_back(p[0], p[1], p[2]);
    }
  return points;
}

bool is_binary_stl(const std::string& bytes) {
  if (bytes.size() < 84) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  return bytes.size() == 84 + 50 * static_cast<std::size_t>(count);
}

// x to A x + b
struct Placement {
  Mat3 A = Mat3::Identity();
  Vec3 b = Vec3::Zero();
  Vec3 operator*(const Vec3& x) const { return A * x + b; }
  Placement operator*(const Placement& inner) const { return {A * inner.A, *this * inner.b}; }
};

std::vector<double> numbers_of(pugi::xml_node node) {
  std::istringstream items(node.text().get());
  std::vector<double> numbers;
  for (double x; items >> x;) numbers.push_back(x);
  return numbers;
}

// one of <matrix>, <translate>, <rotate> and <scale>; others leave everything in its place
Placement placement_of(pugi::xml_node node) {
  const std::string kind = node.name();
  const std::vector<double> x = numbers_of(node);
  Placement place;
  if (kind == "translate" && x.size() == 3) place.b = Vec3(x[0], x[1], x[2]);
  if (kind == "scale" && x.size() == 3) place.A = Vec3(x[0], x[1], x[2]).asDiagonal();
  if (kind == "rotate" && x.size() == 4 && Vec3(x[0], x[1], x[2]).norm() > 0)
    place.A = rotation_matrix(quaternion(Vec3(x[0], x[1], x[2]), x[3] * std::numbers::pi / 180));
  if (kind == "matrix" && x.size() == 16) {
    place.A << x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10];
    place.b << x[3], x[7], x[11];
  }
  return place;
}

// what stands behind the # of a reference
std::string target(pugi::xml_node node, const char* key) {
  const std::string reference = node.attribute(key).value();
  return reference.starts_with('#') ? reference.substr(1) : "";
}

class Collada {
 public:
  explicit Collada(pugi::xml_node root) : root_(root) {
    for (const auto& geometry : root.child("library_geometries").children("geometry"))
      read_points(geometry.child("mesh"), points_[geometry.attribute("id").value()]);
  }

  // its scene's, or that of all geometries where no scene shows any
  Points points() {
    const std::string id = target(root_.child("scene").child("instance_visual_scene"), "url");
    place_scene(root_.child("library_visual_scenes").find_child_by_attribute("visual_scene", "id", id.c_str()));
    if (placed_.empty())
      for (const auto& [name, points] : points_) place_points(points, {});
    return placed_;
  }

 private:
  // the arrays that meshes name as their positions
  static void read_points(pugi::xml_node mesh, Points& points) {
    for (const auto& vertices : mesh.children("vertices"))
      for (const auto& input : vertices.children("input")) {
        if (std::string(input.attribute("semantic").value()) != "POSITION") continue;
        const auto source = mesh.find_child_by_attribute("source", "id", target(input, "source").c_str());
        const std::vector<double> x = numbers_of(source.child("float_array"));
        for (std::size_t i = 0; i + 2 < x.size(); i += 3) points.emplace_back(x[i], x[i + 1], x[i + 2]);
      }
  }

  void place_points(const Points& points, const Placement& place) {
    const double unit = root_.child("asset").child("unit").attribute("meter").as_double(1);
    for (const Vec3& p : points) placed_.emplace_back(unit * (place * p));
  }

  void place_scene(pugi::xml_node scene) {
    std::vector<std::pair<pugi::xml_node, Placement>> nodes;  // still to be placed
    for (const auto& node : scene.children("node")) nodes.push_back({node, {}});
    while (!nodes.empty()) {
      auto [node, place] = nodes.back();
      nodes.pop_back();
      for (const auto& part : node.children()) place = place * placement_of(part);
      for (const auto& shown : node.children("instance_geometry"))
        if (const auto geometry = points_.find(target(shown, "url")); geometry != points_.end())
          place_points(geometry->second, place);
      for (const auto& inner : node.children("node")) nodes.push_back({inner, place});
    }
  }

  pugi::xml_node root_;
  std::map<std::string, Points> points_;
  Points placed_;
};

Points points_of_collada(const std::string& text) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return {};
  return Collada(document.child("COLLADA")).points();
}

}  // namespace

std::vector<Vec3> mesh_points(const std::string& name, const std::string& bytes) {
  const std::string kind = lower(std::filesystem::path(name).extension().string());
  Points points;
  if (kind == ".stl") points = is_binary_stl(bytes) ? points_of_binary_stl(bytes) : points_of_lines(bytes, "vertex");
  if (kind == ".obj") points = points_of_lines(bytes, "v");
  if (kind == ".dae") points = points_of_collada(bytes);
  std::erase_if(points, [](const Vec3& p) { return !p.allFinite(); });
  return points;
}

std::optional<MeshBox> read_mesh_box(const std::string& path) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const Points points = mesh_points(path, {std::istreambuf_iterator<char>(file), {}});
  if (points.empty()) return std::nullopt;
  MeshBox box{points[0], points[0]};
  for (const Vec3& p : points) {
    box.least = box.least.cwiseMin(p);
    box.greatest = box.greatest.cwiseMax(p);
  }
  return box;
}

}  // namespace escapement
