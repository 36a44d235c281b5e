#include "io/model_file.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace escapement::model_file_test {
namespace {

const std::string pendulum = R"yaml(escapement: 1
name: a pendulum
parameters: {m: 2, l: 3*m/4, g: 9.81}
coordinates:
  x: {start: l}
  y: {rate: 1}
kinetic_energy: m/2*(x'^2 + y'^2)
potential_energy: m*g*y
forces: {x: -0.1*x'}
constraints: {rod: (x^2 + y^2 - l^2)/2}
outputs: {angle: "atan2(y, x)", speed: sqrt(x'^2 + y'^2)}
simulation: {end: 10, scheme: hem5, tolerance: 1e-7, save_every: 0.01, stop: y < -1}
)yaml";

TEST(ModelFile, ReadsAFormulaSystem) {
  Model model = read_model("pendulum.yaml", pendulum);
  EXPECT_EQ(model.name, "a pendulum");
  EXPECT_EQ(model.kind, "formula system");
  EXPECT_EQ(model.text, pendulum);
  const std::vector<std::pair<std::string, double>> parameters{{"m", 2}, {"l", 1.5}, {"g", 9.81}};
  EXPECT_EQ(model.parameters, parameters);
  EXPECT_EQ(model.system->dim().q, 2);
  EXPECT_EQ(model.system->dim().bilateral, 1);
  EXPECT_EQ(model.system->names().q, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(model.start.q, (Vec(2) << 1.5, 0).finished());
  EXPECT_EQ(model.start.v, (Vec(2) << 0, 1).finished());
  EXPECT_EQ(model.settings.end, 10);
  EXPECT_EQ(model.settings.tolerance, 1e-7);
  EXPECT_FALSE(model.settings.step.has_value());
  EXPECT_EQ(model.settings.save_every, 0.01);
  EXPECT_EQ(model.output_names, (std::vector<std::string>{"angle", "speed"}));
  State s = model.start;
  s.q << 0, 1.5;
  double out[2];
  model.outputs.evaluate(s, out);
  EXPECT_DOUBLE_EQ(out[0], std::atan2(1.5, 0));
  EXPECT_DOUBLE_EQ(out[1], 1);
  EXPECT_EQ(model.stop->evaluate(s), 0);
  s.q[1] = -1.5;
  EXPECT_EQ(model.stop->evaluate(s), 1);
}

TEST(ModelFile, CommandLineWins) {
  Overrides overrides;
  overrides.parameters = {{"m", "4/l"}, {"l", "2"}};
  overrides.step = "1/1000";
  overrides.end = "2*l";
  const Model model = read_model("pendulum.yaml", pendulum, overrides);
  const std::vector<std::pair<std::string, double>> parameters{{"m", 2}, {"l", 2}, {"g", 9.81}};
  EXPECT_EQ(model.parameters, parameters);
  EXPECT_EQ(model.settings.step, 0.001);
  EXPECT_FALSE(model.settings.tolerance.has_value());
  EXPECT_EQ(model.settings.end, 4);
}

TEST(ModelFile, EveryExampleLoads) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(escapement::testing::source_folder() + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    EXPECT_NO_THROW({
      const Model model = load_model(entry.path().string());
      EXPECT_TRUE(model.warnings.empty()) << model.warnings[0];
      EXPECT_FALSE(model.drawing.shapes.empty() && model.scene.bodies.empty()) << entry.path();
    }) << entry.path();
  }
  EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace escapement
