// Starts of mechanisms that are assembled: what moves, what is kept, which turns are counted, and what cannot be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run/summary.hpp"
#include "io/check.hpp"
#include "io/model_file.hpp"
#include "io/run.hpp"

namespace escapement::assembled_start_test {
namespace {

Model read(const std::string& text) { return read_model("m.yaml", "escapement: 1\n" + text); }

const std::string end = "simulation: {end: 1}\n";

TEST(AssembledStart, AssemblesAndKeepsWhatIsAskedFor) {
  const Model model = read(R"(dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], angle: 0.5, angular_velocity: 3}
  rod: {mass: 1, inertia: 0.1, position: [1.4, 0.1]}
  slider: {mass: 1, inertia: 0.1, position: [2, 0]}
joints:
  pin: {revolute: [ground, crank], at: [0, 0]}
  elbow: {revolute: [crank, rod], at: [0.9, 0.2]}
  wrist: {revolute: [rod, slider], at: [1.9, 0]}
  guide: {prismatic: [ground, slider], at: [2, 0], axis: [1, 0]}
  again: {slot: [ground, crank], at: [0.4, 0.1], axis: [0, 1]}
assemble: {keep: [slider.angle]}
)" + end);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::gap | Need::jacobian, T);
  EXPECT_LT(T.g.cwiseAbs().maxCoeff(), 1e-12);
  Vec rows(T.g.size());
  velocity_rows(T, model.start.v, rows);
  EXPECT_LT(rows.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(model.start.q[8], 0);

  // how far it moved, and what most
  ASSERT_TRUE(model.assembled.has_value());
  const double given[] = {0.5, 0, 0.5, 1.4, 0.1, 0, 2, 0, 0};
  double moved = 0;
  for (int i = 0; i < 9; ++i) moved = std::max(moved, std::abs(model.start.q[i] - given[i]));
  EXPECT_EQ(model.assembled->moved, moved);
  const auto& names = model.system->names().q;
  const auto most = std::find(names.begin(), names.end(), model.assembled->most_moved) - names.begin();
  ASSERT_LT(most, 9);
  EXPECT_EQ(std::abs(model.start.q[static_cast<int>(most)] - given[most]), moved);
  EXPECT_GT(model.assembled->changed, 0.1);
  const auto report = check_model(model);
  EXPECT_EQ(report["assembled"]["moved"].get<double>(), moved);
  EXPECT_NE(to_text(*model.assembled).find(model.assembled->most_moved), std::string::npos);
}

TEST(AssembledStart, SaysWhenAssemblyKeptEverythingOrCannot) {
  const std::string pendulum = R"(dimension: 2
bodies: {bob: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {rod: {distance: [ground, bob], at: [[0, 0], [1, 0]], length: LENGTH}}
)";
  const auto with = [&](const std::string& length, const std::string& more) {
    std::string text = pendulum;
    return text.replace(text.find("LENGTH"), 6, length) + more + end;
  };
  const Model kept = read(with("1", "assemble: true\n"));
  EXPECT_EQ(to_text(*kept.assembled), "positions kept, velocities kept");
  const Model moved = read(with("1.5", "assemble: true\n"));
  EXPECT_NEAR(moved.assembled->moved, 0.5, 1e-12);
  EXPECT_EQ(moved.assembled->most_moved, "bob.x");
  EXPECT_EQ(to_text(*moved.assembled), "positions moved by at most 0.5 (bob.x), velocities kept");
  EXPECT_TRUE(check_model(read(with("1", "")))["assembled"].is_null());
  EXPECT_THROW(read(with("1.5", "assemble: {keep: [bob.x, bob.y]}\n")), ModelError);
}

std::vector<double> outputs_at(const Model& model, const State& s) {
  StateFunction outputs = model.outputs;
  std::vector<double> values(model.output_names.size());
  outputs.evaluate(s, values.data());
  return values;
}

// a drive that starts beyond half a turn: the angle is the drive's, not that less a turn, for whatever reads it
TEST(AssembledStart, AssemblyCountsTheTurnsOfDrives) {
  const std::string body = "{mass: 1, inertia: [0.1, 0.1, 0.1]";
  for (const double angle : {2.5, 4.0, -4.0, 8.0, -40.0, 700.0, 7000.0}) {
    const std::string drive = fmt::format("angle: {} + t", angle);
    Model model = read("dimension: 3\nbodies: {a: " + body + ", position: [1, 0, 0]}, b: " + body + "}, c: " + body +
                       ", position: [2, 0, 0]}}\njoints:\n" +
                       "  hinge: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], " + drive + "}\n" +
                       "  screw: {screw: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], pitch: 1, " + drive + "}\n" +
                       "  pin: {revolute: [ground, c], at: [2, 0, 0], axis: [0, 0, 1]}\n" +
                       "  gear: {gear: [hinge, pin], ratio: -3}\n" +
                       "forces: {coil: {torsional_spring_damper: hinge, stiffness: 2}}\n" +
                       "outputs: {hinge: hinge.angle, screw: screw.angle, advance: screw.length, pin: pin.angle}\n" +
                       "assemble: true\n" + end);
    const std::vector<double> start = outputs_at(model, model.start);
    EXPECT_NEAR(start[0], angle, 1e-12 * std::abs(angle));
    EXPECT_NEAR(start[1], angle, 1e-12 * std::abs(angle));
    EXPECT_NEAR(start[2], angle / (2 * M_PI), 1e-12 * std::abs(angle));
    EXPECT_NEAR(start[3], -3 * angle, 1e-12 * std::abs(angle));
    Terms work;
    model.system->prepare(work);
    EXPECT_NEAR(model.system->energy(model.start, work).potential, angle * angle, 1e-11 * angle * angle);
    const RunReport report = run_model(model);
    EXPECT_NEAR(outputs_at(model, report.outcome.final)[2], (angle + 1) / (2 * M_PI), 1e-6);
    EXPECT_NEAR(outputs_at(model, report.outcome.final)[3], -3 * (angle + 1), 1e-6);
  }
}

// a joint that only geometry couples to the drive turns along with it: the second shaft of a universal joint
TEST(AssembledStart, AssemblyFollowsADriveAllTheWay) {
  const auto shafts = [](const std::string& angle, const std::string& more) {
    return "dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
           "  first: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], angle: " +
           angle +
           "}\n"
           "  cross: {universal: [a, b], at: [0, 0, 0], axis: [1, 0, 0], axis2: [0, cos(0.5), sin(0.5)]}\n"
           "  second: {cylindrical: [ground, b], at: [0, 0, 0], axis: [0, -sin(0.5), cos(0.5)]}\n"
           "outputs: {first: first.angle, second: second.angle}\n" +
           more + end;
  };
  // tan(second) = tan(first) cos(bend), with as many turns
  for (const double angle : {2 * M_PI, 5.0, -11.0}) {
    const Model model = read(shafts(fmt::format("{:.17g}", angle), "assemble: true\n"));
    const std::vector<double> start = outputs_at(model, model.start);
    EXPECT_NEAR(start[0], angle, 1e-12);
    EXPECT_NEAR(std::sin(start[1]) * std::cos(angle), std::cos(start[1]) * std::sin(angle) * std::cos(0.5), 1e-9);
    EXPECT_NEAR(start[1], angle, 0.2);
  }
  // a rocker that cannot turn all the way takes the shorter one; its own turns are the drive's all the same
  const std::string body = "{mass: 1, inertia: [0.1, 0.1, 0.1], position: ";
  const Model rocker = read("dimension: 3\nbodies: {a: " + body + "[0, 0.5, 0]}, b: " + body + "[0.5, 1, 0]}, c: " + body +
                            R"([1, 0.6, 0]}}
joints:
  first: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], angle: 2*pi - 0.1}
  knee: {revolute: [a, b], at: [0, 1, 0], axis: [0, 0, 1]}
  ball: {spherical: [b, c], at: [1, 1, 0]}
  second: {revolute: [ground, c], at: [1, 0.2, 0], axis: [0, 0, 1]}
outputs: {first: first.angle, second: second.angle}
assemble: true
)" + end);
  const std::vector<double> start = outputs_at(rocker, rocker.start);
  EXPECT_NEAR(start[0], 2 * M_PI - 0.1, 1e-12);
  EXPECT_NEAR(start[1], -0.1 / 0.8, 1e-2);
  // as drawn every angle is 0: a whole turn has to be asked for
  EXPECT_NO_THROW(read(shafts("0", "")));
  try {
    read(shafts("2*pi", ""));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("'first.angle' is -6.28319, not 0"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace escapement
