// The exported picture shows bodies where they are.
#include "io/vtk.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/model_file.hpp"
#include "io/run.hpp"

namespace escapement::vtk_test {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("escapement_vtk_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

// the points of the last frame, three numbers each
std::vector<double> last_points(const std::string& text, const Folder& folder) {
  Model model = read_model("m.yaml", text);
  const RunReport report = run_model(model);
  write_vtk(report.result, make_picture(model.drawing, model.scene), (folder.path / "m").string(), 2);
  std::ifstream in(folder.path / "m_vtk" / "frame_00001.vtp");
  const std::string file((std::istreambuf_iterator<char>(in)), {});
  const std::string opening = "Name=\"Points\" NumberOfComponents=\"3\" format=\"ascii\">";
  const std::size_t begin = file.find(opening);
  EXPECT_NE(begin, std::string::npos);
  std::istringstream numbers(file.substr(begin + opening.size()));
  std::vector<double> points;
  for (double x; numbers >> x;) points.push_back(x);
  return points;
}

void expect_points(const std::vector<double>& points, const std::vector<std::array<double, 3>>& expected) {
  ASSERT_GE(points.size(), 3 * expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(points[3 * i + k], expected[i][k], 1e-6) << i << ' ' << k;
}

// after a second: moved by (1, 2) and turned by 0.5, the shape by another 0.2
TEST(Vtk, PlanarBodiesTurnCounterclockwise) {
  Folder folder;
  const std::vector<double> points = last_points(R"yaml(escapement: 1
dimension: 2
bodies:
  plate: {mass: 1, inertia: 1, velocity: [1, 2], angular_velocity: 0.5, shapes: [{box: [4, 2], at: [1, 0], angle: 0.2}]}
simulation: {end: 1, tolerance: 1e-8}
)yaml",
                                                 folder);
  std::vector<std::array<double, 3>> corners;
  for (const auto& [x, y] : {std::pair{-2.0, -1.0}, {2.0, -1.0}, {2.0, 1.0}, {-2.0, 1.0}})
    corners.push_back({1 + std::cos(0.5) + x * std::cos(0.7) - y * std::sin(0.7),
                       2 + std::sin(0.5) + x * std::sin(0.7) + y * std::cos(0.7), 0});
  expect_points(points, corners);
}

// about z, so that its corners are those of the plate
TEST(Vtk, SpatialBodiesTurnTheSameWay) {
  Folder folder;
  const std::vector<double> points = last_points(R"yaml(escapement: 1
dimension: 3
bodies:
  block: {mass: 1, inertia: [1, 1, 1], velocity: [1, 2, 3], angular_velocity: [0, 0, 0.5], shapes: [{box: [4, 2, 6]}]}
simulation: {end: 1, tolerance: 1e-8}
)yaml",
                                                 folder);
  std::vector<std::array<double, 3>> corners;  // of the lower face, in the order in which it is drawn
  for (const auto& [x, y] : {std::pair{-2.0, -1.0}, {-2.0, 1.0}, {2.0, 1.0}, {2.0, -1.0}})
    corners.push_back({1 + x * std::cos(0.5) - y * std::sin(0.5), 2 + x * std::sin(0.5) + y * std::cos(0.5), 0});
  expect_points(points, corners);
}

// a beam that a moment bends: its elements are lines that carry it
TEST(Vtk, BeamsCarryTheirMoment) {
  Folder folder;
  const std::vector<double> points = last_points(R"yaml(escapement: 1
dimension: 2
beams:
  arm: {from: [0, 0], to: [1, 0], elements: 4, section: {EA: 1e4, GA: 1e4, EI: 10, mass: 1, inertia: 0.01}, damping: 0.2}
joints: {clamp: {fixed: [ground, arm.start]}}
forces: {bend: {torque: arm.end, value: 3}}
simulation: {end: 20, scheme: generalized-alpha, step: 0.02, options: {rho_infinity: 0}}
)yaml",
                                                 folder);
  ASSERT_GE(points.size(), 8u * 3);  // four lines
  EXPECT_NEAR(points[3 * 7], std::sin(0.3) / 0.3, 1e-5);
  EXPECT_NEAR(points[3 * 7 + 1], (1 - std::cos(0.3)) / 0.3, 1e-5);
  std::ifstream in(folder.path / "m_vtk" / "frame_00001.vtp");
  const std::string file((std::istreambuf_iterator<char>(in)), {}), opening = "Name=\"bending_moment\" format=\"ascii\">";
  std::istringstream numbers(file.substr(file.find(opening) + opening.size()));
  std::vector<double> moments;
  for (double x; numbers >> x;) moments.push_back(x);
  EXPECT_EQ(std::count_if(moments.begin(), moments.end(), [](double m) { return std::abs(m - 3) < 1e-3; }), 4);
}

}  // namespace
}  // namespace escapement
