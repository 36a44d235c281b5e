#include "io/mesh_box.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>
#include <vector>

namespace escapement {

namespace {

class BoxMaker {
 public:
  void add(const Vec3& p) {
    if (!p.allFinite()) return;
    if (empty_) box_.least = box_.greatest = p;
    empty_ = false;
    box_.least = box_.least.cwiseMin(p);
    box_.greatest = box_.greatest.cwiseMax(p);
  }
  std::optional<MeshBox> box() const { return empty_ ? std::nullopt : std::optional(box_); }

 private:
  bool empty_ = true;
  MeshBox box_;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// every line that starts with `word` holds a point
std::optional<MeshBox> box_of_lines(const std::string& text, const std::string& word) {
  BoxMaker maker;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream items(line);
    std::string first;
    Vec3 p;
    if (items >> first && lower(first) == word && items >> p[0] >> p[1] >> p[2]) maker.add(p);
  }
  return maker.box();
}

// 80 bytes of header, a count, then per triangle a normal, three points (floats) and two bytes
std::optional<MeshBox> box_of_binary_stl(const std::string& bytes) {
  BoxMaker maker;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  for (std::uint32_t k = 0; k < count; ++k)
    for (int corner = 0; corner < 3; ++corner) {
      float p[3];
      std::memcpy(p, bytes.data() + 84 + 50 * static_cast<std::size_t>(k) + 12 + 12 * corner, 12);
      maker.add(Vec3(p[0], p[1], p[2]));
    }
  return maker.box();
}

bool is_binary_stl(const std::string& bytes) {
  if (bytes.size() < 84) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  return bytes.size() == 84 + 50 * static_cast<std::size_t>(count);
}

// the arrays that meshes name as their positions; transformations of a scene are not followed
std::optional<MeshBox> box_of_collada(const std::string& text) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return std::nullopt;
  BoxMaker maker;
  const double unit = document.child("COLLADA").child("asset").child("unit").attribute("meter").as_double(1);
  for (const auto& geometry : document.child("COLLADA").child("library_geometries").children("geometry")) {
    const auto mesh = geometry.child("mesh");
    for (const auto& vertices : mesh.children("vertices"))
      for (const auto& input : vertices.children("input")) {
        if (std::string(input.attribute("semantic").value()) != "POSITION") continue;
        const std::string id = input.attribute("source").value();  // #ID
        if (!id.starts_with('#')) continue;
        const auto source = mesh.find_child_by_attribute("source", "id", id.c_str() + 1);
        std::istringstream numbers(source.child("float_array").text().get());
        for (Vec3 p; numbers >> p[0] >> p[1] >> p[2];) maker.add(unit * p);
      }
  }
  return maker.box();
}

}  // namespace

std::optional<MeshBox> read_mesh_box(const std::string& path) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string kind = lower(std::filesystem::path(path).extension().string());
  if (kind == ".stl") return is_binary_stl(bytes) ? box_of_binary_stl(bytes) : box_of_lines(bytes, "vertex");
  if (kind == ".obj") return box_of_lines(bytes, "v");
  if (kind == ".dae") return box_of_collada(bytes);
  return std::nullopt;
}

}  // namespace escapement
