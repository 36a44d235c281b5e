// What counts as one is the model's to say: a model in other units, with its scales changed along, takes the same steps.
#include <gtest/gtest.h>

#include "io/run.hpp"

namespace escapement::scale_test {
namespace {

// u: metres per unit, from 1024 units to a metre on with the same bits
const char* const pendulum = R"yaml(escapement: 1
parameters: {u: 1, m: 1, g: 9.81*u, l: u}
coordinates: {x: {start: l, scale: u}, y: {scale: u}}
kinetic_energy: m/2*(x'^2 + y'^2)
potential_energy: m*g*y
constraints: {rod: (x^2 + y^2 - l^2)/2}
simulation: {end: 3, tolerance: 1e-7}
)yaml";

const char* const ball = R"yaml(escapement: 1
parameters: {u: 1, m: 1, g: 9.81*u}
coordinates: {x: {rate: 1.5*u, scale: u}, y: {start: u, scale: u}}
kinetic_energy: m/2*(x'^2 + y'^2)
potential_energy: m*g*y
contacts: {floor: {gap: y - 0.1*u*sin(3*x/u), restitution: 0.5, friction: 0.2, slip: "x'"}}
simulation: {end: 1.2, tolerance: 1e-7}
)yaml";

const char* const arm = R"yaml(escapement: 1
dimension: 2
length_scale: u
parameters: {u: 1, g: 9.81*u}
gravity: [0, -g]
bodies:
  crank: {mass: 1, inertia: 1/12*u^2, position: [0.5*u, 0]}
  rod: {mass: 1, inertia: 1/12*u^2, position: [u, -0.5*u], angle: -pi/2}
joints:
  pin: {revolute: [ground, crank], at: [0, 0]}
  elbow: {revolute: [crank, rod], at: [u, 0]}
contacts: {floor: {gap: rod.y + 1.7*u, restitution: 0.5, friction: 0.3, slip: "rod.x'"}}
simulation: {end: 1.5, tolerance: 1e-6}
)yaml";

const char* const top = R"yaml(escapement: 1
dimension: 3
length_scale: u
parameters: {u: 1, g: 9.81*u}
gravity: [0, 0, -g]
bodies:
  top: {mass: 1, inertia: [0.02*u^2, 0.02*u^2, 0.03*u^2], position: [0, 0.1*u, 0.3*u], angular_velocity: [0, 0, 20]}
joints: {foot: {spherical: [ground, top], at: [0, 0, 0]}}
assemble: true
simulation: {end: 1, tolerance: 1e-7}
)yaml";

RunReport run(const std::string& text, const char* scheme, const char* unit) {
  Overrides overrides;
  overrides.scheme = scheme;
  overrides.parameters = {{"u", unit}};
  Model model = read_model("model.yaml", text, overrides);
  return run_model(model);
}

TEST(Scale, OtherUnitsTakeTheSameSteps) {
  for (const char* text : {pendulum, ball, arm, top})
    for (const char* scheme : {"auto", "phem56", "mexx", "rkf45", "bdf"}) {
      const RunReport metres = run(text, scheme, "1"), units = run(text, scheme, "1024");
      EXPECT_EQ(to_string(metres.summary.status), "completed");
      EXPECT_EQ(metres.summary.steps, units.summary.steps) << scheme << "\n" << text;
      EXPECT_EQ(metres.summary.rejected_steps, units.summary.rejected_steps) << scheme << "\n" << text;
      EXPECT_EQ(metres.summary.impacts, units.summary.impacts) << scheme << "\n" << text;
      EXPECT_EQ(metres.summary.verdict(), units.summary.verdict()) << scheme << "\n" << text;
      for (const auto& [name, value] : metres.summary.final.q) {
        const bool turn = name.find("angle") != std::string::npos || name.find(".q") != std::string::npos;
        EXPECT_NEAR(value, value_of(units.summary.final.q, name) / (turn ? 1 : 1024), 1e-11)
            << scheme << " " << name;
      }
    }
}

TEST(Scale, OneIsTheDefault) {
  std::string plain = pendulum;
  for (std::size_t at; (at = plain.find(", scale: u")) != std::string::npos;) plain.erase(at, 10);
  plain.replace(plain.find("{scale: u}"), 10, "{}");
  const RunReport one = run(plain, "hem5", "1"), scaled = run(pendulum, "hem5", "1");
  EXPECT_EQ(one.summary.final.q, scaled.summary.final.q);
  EXPECT_EQ(one.summary.final.v, scaled.summary.final.v);
  EXPECT_NE(run(plain, "hem5", "1024").summary.steps, run(pendulum, "hem5", "1024").summary.steps);
}

TEST(Scale, MustBePositive) {
  std::string text = pendulum;
  text.replace(text.find("scale: u"), 8, "scale: 0");
  EXPECT_THROW(run(text, "hem5", "1"), ModelError);
  text = arm;
  text.replace(text.find("length_scale: u"), 15, "length_scale: 0");
  EXPECT_THROW(run(text, "hem5", "1"), ModelError);
}

}  // namespace
}  // namespace escapement
