// Runs say whether they can be trusted.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/example_run.hpp"
#include "support/source_folder.hpp"

namespace escapement::verdict_test {
namespace {

using testing::ExampleRun;

std::string findings_of(const RunReport& report) {
  std::string all;
  for (const auto& f : report.summary.findings) all += f.what + "; ";
  return all;
}

RunReport run(const std::string& text, const Overrides& overrides = {}) {
  Model model = read_model("model.yaml", "escapement: 1\n" + text, overrides);
  return run_model(model);
}

TEST(Verdict, EveryExampleIsSoundByItsDefaults) {
  for (const auto& entry : std::filesystem::directory_iterator(escapement::testing::source_folder() + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    Model model = load_model(entry.path().string());
    const RunReport report = run_model(model);
    EXPECT_EQ(report.summary.verdict(), "sound") << entry.path().stem() << ": " << findings_of(report);
  }
}

TEST(Verdict, CoarseFixedStepsAreSuspect) {
  const RunReport sinks = ExampleRun{"bouncing_ball", "moreau-jean", "0.1"}.try_it();
  EXPECT_EQ(sinks.summary.verdict(), "suspect");
  EXPECT_NE(findings_of(sinks).find("penetration; "), std::string::npos) << findings_of(sinks);
  const RunReport gains = ExampleRun{"pendulum_angle", "rk4", "0.5"}.try_it();
  EXPECT_EQ(findings_of(gains), "energy balance; ");
  for (const char* step : {"0.01", "0.001"}) EXPECT_EQ((ExampleRun{"pendulum_angle", "rk4", step}().summary.verdict()), "sound");
}

// a long fixed step takes a ball through a table to the floor below it; both rows cannot hold, and it goes on with their mean
TEST(Verdict, StepsThatGoOnWithContactsThatContradictEachOther) {
  const auto findings_with = [](const char* step) {
    Overrides overrides;
    overrides.step = step;
    overrides.scheme = "moreau-midpoint-ggl";
    Model model = load_model(escapement::testing::source_folder() + "/tests/known_paths/table_and_floor.yaml", overrides);
    return findings_of(run_model(model));
  };
  const std::string what = "steps whose iteration did not converge; ";
  EXPECT_NE(findings_with("0.3").find(what), std::string::npos) << findings_with("0.3");
  EXPECT_EQ(findings_with("0.01").find(what), std::string::npos) << findings_with("0.01");
}

// a block slides to a wall and rests there; friction holds it against a load away from the wall, which has nothing to
// pull
TEST(Verdict, FrictionCarriesWhatAWallCannot) {
  for (const char* scheme : {"auto", "rkf45", "bdf"}) {
    Overrides overrides;
    overrides.scheme = scheme;
    const RunReport report = run(R"yaml(
name: block at a wall
coordinates: {x: {start: 0.1, rate: -1}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
forces: {x: "if(t > 1, 1, 0)", y: -9.81}
contacts:
  floor: {gap: y, friction: 0.3, slip: x'}
  wall: {gap: x}
simulation: {end: 2}
)yaml",
                                 overrides);
    EXPECT_EQ(report.summary.verdict(), "sound") << scheme << ": " << findings_of(report);
    EXPECT_NEAR(report.outcome.final.lambda[1], 0, 1e-12) << scheme;
    EXPECT_NEAR(report.outcome.final.lambda[2], -1, 1e-9) << scheme;
    EXPECT_NEAR(report.outcome.final.q[0], 0, 1e-9) << scheme;
  }
}

// pressed at the start and open after one step, at whose end its force is zero up to rounding
TEST(Verdict, AContactThatOpensInItsFirstStepDoesNotPull) {
  for (const std::string load : {"sin(5*t) - 0.2 - 3*x", "sin(10*t) - 0.3 - x", "sin(7*t) - 0.4"}) {
    const RunReport report = run("name: relieved\ncoordinates: {x: {}}\nkinetic_energy: x'^2/2\nforces: {x: \"" + load +
                                 "\"}\ncontacts: {wall: {gap: x, restitution: 0.5}}\nsimulation: {end: 1}\n");
    EXPECT_EQ(report.summary.verdict(), "sound") << load << ": " << findings_of(report);
  }
}

// a mass that moves freely but for a pulse, a bump of the surface under a mass that slides
TEST(Verdict, FixedStepsThatDoNotSeeAnExpression) {
  const char* pulse = R"yaml(
coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
forces: {x: 50*exp(-((t - 5.23)/0.02)^2)}
simulation: {end: 10, scheme: rk4, step: 0.01}
)yaml";
  const char* bump = R"yaml(
coordinates: {x: {rate: 1}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
contacts: {ground: {gap: y - 0.001*exp(-((x - 5.1)/0.03)^2)}}
simulation: {end: 10, scheme: moreau-midpoint-ggl, step: 0.005}
)yaml";
  for (const char* model : {pulse, bump}) {
    EXPECT_EQ(run(model).summary.verdict(), "sound");
    Overrides coarse;
    coarse.step = "0.2";
    const RunReport report = run(model, coarse);
    EXPECT_NE(findings_of(report).find("too long for the model's expressions"), std::string::npos) << findings_of(report);
    EXPECT_NEAR(report.summary.findings.back().t, 5.15, 0.25);
  }
}

// steps of one evaluation pass over a pulse that is little narrower than they are, and much narrower, and balance their energy
TEST(Verdict, APulseWithinAStepIsNoticedHoweverNarrow) {
  for (const char* scheme : {"moreau-jean", "moreau-midpoint-ggl"})
    for (const char* step : {"1", "0.3", "0.1", "0.05", "0.01"}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.step = step;
      const RunReport report = run(R"yaml(
coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
forces: {x: 50*exp(-((t - 57.3)/0.02)^2)}
simulation: {end: 100}
)yaml", overrides);
      const bool right = std::abs(report.outcome.final.v[0] - 2.77245385) < 1e-3;
      EXPECT_EQ(right, std::string_view(step) == "0.01") << scheme << ' ' << step;
      EXPECT_EQ(report.summary.verdict(), right ? "sound" : "suspect") << scheme << ' ' << step;
    }
}

// warnings of what the model says before anything is simulated
std::string warnings(const std::string& text, const Overrides& overrides = {}) {
  std::string all;
  for (const std::string& warning : read_model("model.yaml", "escapement: 1\n" + text, overrides).warnings) all += warning + "\n";
  return all;
}

TEST(Warnings, TimesThatARunMayOverlook) {
  const auto with = [](const std::string& force, const std::string& simulation) {
    return "coordinates: {x: {}}\nkinetic_energy: x'^2/2\nforces: {x: '" + force + "'}\nsimulation: {" + simulation + "}\n";
  };
  EXPECT_EQ(warnings(with("sin(t)", "end: 100")), "");
  EXPECT_EQ(warnings(with("-x*exp(-x^2)", "end: 100")), "");
  const std::string pulse = warnings(with("exp(-((t - 57.3)/0.002)^2)", "end: 100"));
  EXPECT_NE(pulse.find("model.yaml:4:13: near t = 57.3 s this changes within 0.00"), std::string::npos) << pulse;
  const std::string step = warnings(with("sin(20*t)", "end: 10, step: 0.1, scheme: rk4"));
  EXPECT_NE(step.find("which steps of 0.1 s do not see"), std::string::npos) << step;
  EXPECT_EQ(warnings(with("sin(20*t)", "end: 10, step: 0.001, scheme: rk4")), "");
  const std::string many = warnings(with("sin(1e6*t)", "end: 100"));
  EXPECT_NE(many.find("times until t = 100 s"), std::string::npos) << many;
}

TEST(Warnings, FrictionInSpaceAlongOneDirection) {
  const std::string puck = R"yaml(
dimension: 3
gravity: [0, 0, -9.81]
bodies: {puck: {mass: 1, inertia: [1, 1, 1], velocity: [1, 1, 0]}}
contacts: {floor: {gap: puck.z, friction: 0.3, slip: puck.vx}}
simulation: {end: 1}
)yaml";
  EXPECT_NE(warnings(puck).find("the friction of 'floor' knows one direction alone"), std::string::npos) << warnings(puck);
  std::string smooth = puck;
  smooth.replace(smooth.find("friction: 0.3"), 13, "friction: 0");
  EXPECT_EQ(warnings(smooth), "");
}

TEST(Verdict, MaxPenetrationCoversSamples) {
  const RunReport report = ExampleRun{"bouncing_ball", "moreau-jean", "0.013", ""}.try_it();
  double deepest = 0;
  for (const double gap : report.result.contacts.gap[0]) deepest = std::max(deepest, -gap);
  EXPECT_GT(deepest, 0);
  EXPECT_GE(report.summary.max_penetration, deepest);
}

// under a tolerance, closed contacts do not sink in between the ends of steps
TEST(Verdict, SamplesBetweenStepsLieOnTheirContacts) {
  const RunReport report = ExampleRun{"cam_follower", "auto"}();
  EXPECT_LE(report.summary.max_penetration, 1e-12);
}

TEST(Verdict, AFailedRunIsJudgedUpToItsEnd) {
  const RunReport report = run(R"yaml(
coordinates: {x: {start: 1, rate: 1}}
kinetic_energy: x'^2/2
forces: {x: x^3*x'^3}
simulation: {end: 10, tolerance: 1e-6, scheme: hem5}
)yaml");
  EXPECT_EQ(to_string(report.summary.status), "failed");
  EXPECT_NE(to_text(report.summary).find(report.summary.verdict() + " up to its failure"), std::string::npos) << to_text(report.summary);
  for (const Finding& finding : report.summary.findings) EXPECT_LE(finding.t, report.summary.t);
}

// asks for an end once a time is reached
struct Interrupter : Observer {
  std::atomic<bool> asked{false};
  void step(const StepRecord& r) override { asked = r.after.t > 1; }
};

TEST(Verdict, InterruptedRunsSayTheVerdictSoFarAndCheckpointsCarryIt) {
  const ExampleRun example{"bouncing_ball", "moreau-jean", "0.1"};
  RunReport whole = example.try_it();
  Model model = example.load();
  Interrupter interrupter;
  RunHooks hooks;
  hooks.interrupt = &interrupter.asked;
  hooks.observers.push_back(&interrupter);
  hooks.wants_result = [](double, const Result&) { return false; };
  hooks.take_result = [](const Result&) {};
  RunReport part = run_model(model, hooks);
  EXPECT_EQ(to_string(part.summary.status), "interrupted");
  EXPECT_NE(part.outcome.message.find("interrupted at t = 1"), std::string::npos) << part.outcome.message;
  EXPECT_EQ(part.summary.verdict(), "suspect");
  ASSERT_FALSE(part.result.checkpoint.empty());
  Model again = example.load();
  RunHooks resume;
  resume.resume = &part.result;
  const RunReport rest = run_model(again, resume);
  EXPECT_EQ(to_json(rest.summary.findings), to_json(whole.summary.findings));
  EXPECT_EQ(rest.summary.max_penetration, whole.summary.max_penetration);
}

}  // namespace
}  // namespace escapement
