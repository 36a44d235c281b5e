// A run that goes on from a checkpoint ends with the same bits as one that never stopped, for every scheme.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>

#include "io/run.hpp"
#include "run/version.hpp"
#include "support/source_folder.hpp"

namespace escapement::checkpoint_test {
namespace {

const std::string examples = escapement::testing::source_folder() + "/examples";

RunReport whole_run(const std::string& file, const Overrides& overrides) {
  Model model = load_model(file, overrides);
  return run_model(model);
}

// stops at the first chance after t, as a kill would, and goes on from the checkpoint taken there
RunReport broken_run(const std::string& file, const Overrides& overrides, double t) {
  Result kept;
  bool taken = false;
  {
    Model model = load_model(file, overrides);
    RunHooks hooks;
    hooks.wants_result = [&](double now, const Result&) { return !taken && now >= t; };
    hooks.take_result = [&](const Result& result) {
      kept = result;
      taken = true;
    };
    run_model(model, hooks);
  }
  EXPECT_TRUE(taken);
  EXPECT_FALSE(kept.checkpoint.empty());
  Model model = read_model_of(kept, file);
  RunHooks hooks;
  hooks.resume = &kept;
  return run_model(model, hooks);
}

// stops after every step, as Ctrl-C would, and goes on as another process does, at most so many times
RunReport relayed_run(const std::string& name, const std::string& text, const Overrides& overrides, long most) {
  const std::atomic<bool> now = true;
  Result kept;
  for (bool first = true;; first = false) {
    Model model = first ? read_model(name, text, overrides) : read_model_of(kept, name);
    RunHooks hooks;
    hooks.interrupt = &now;
    hooks.wants_result = [](double, const Result&) { return false; };
    hooks.take_result = [](const Result&) {};
    if (!first) hooks.resume = &kept;
    RunReport report = run_model(model, hooks);
    if (!report.outcome.interrupted() || --most < 0) return report;
    kept = std::move(report.result);
  }
}

void expect_same_bits(RunReport& a, RunReport& b) {
  ASSERT_EQ(a.outcome.status, b.outcome.status) << b.outcome.message;
  EXPECT_EQ(a.result.time, b.result.time);
  std::vector<const DataTable*> tables;
  for_each_table(a.result, [&](const char*, const DataTable& table) { tables.push_back(&table); });
  std::size_t k = 0;
  for_each_table(b.result, [&](const char* name, const DataTable& table) {
    EXPECT_EQ(tables[k]->names(), table.names()) << name;
    EXPECT_EQ(tables[k++]->values(), table.values()) << name;
  });
  EXPECT_EQ(a.result.events.time, b.result.events.time);
  EXPECT_EQ(a.result.events.impulse, b.result.events.impulse);
  EXPECT_EQ(a.result.events.note, b.result.events.note);
  EXPECT_EQ(a.result.steps.time, b.result.steps.time);
  EXPECT_EQ(a.result.steps.error, b.result.steps.error);
  EXPECT_EQ(a.result.steps.rejected, b.result.steps.rejected);
  a.summary.wall_seconds = b.summary.wall_seconds = 0;
  EXPECT_EQ(to_json(a.summary).dump(), to_json(b.summary).dump());
}

struct Case {
  std::string model, scheme, end;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const SchemeEntry& scheme : all_schemes()) {
    for (const auto& [model, end] : {std::pair{"slider_crank", "0.5"}, std::pair{"slider_crank_clearance", "0.02"},
                                     std::pair{"stick_slip_belt", "1"}})
      list.push_back({model, scheme.info.id, end});
  }
  return list;
}

class Checkpoint : public ::testing::TestWithParam<Case> {};

TEST_P(Checkpoint, GoesOnWithTheSameBits) {
  const Case& c = GetParam();
  const std::string file = examples + "/" + c.model + ".yaml";
  Overrides overrides;
  overrides.scheme = c.scheme;
  overrides.end = c.end;
  overrides.lenient_options = true;
  const SchemeInfo& info = find_scheme(c.scheme)->info;
  const bool adaptive = info.error_power > 0 && !info.time_stepping;
  (adaptive ? overrides.tolerance : overrides.step) = adaptive ? "1e-5" : "1e-4";
  Settings settings = load_model(file, overrides).settings;
  try {
    check_options(settings);
  } catch (const OptionError&) {
    GTEST_SKIP() << "the model's options are not this scheme's";
  }
  RunReport whole = whole_run(file, overrides);
  for (const double part : {0.37, 0.81}) {
    RunReport broken = broken_run(file, overrides, part * std::strtod(c.end.c_str(), nullptr));
    SCOPED_TRACE(part);
    expect_same_bits(whole, broken);
  }
}

TEST(CheckpointFile, HoldsForErrorControlledTimeStepping) {
  Overrides overrides;
  overrides.scheme = "moreau-midpoint-ggl";
  overrides.tolerance = "1e-6";
  overrides.end = "0.02";
  const std::string file = examples + "/slider_crank_clearance.yaml";
  RunReport whole = whole_run(file, overrides), broken = broken_run(file, overrides, 0.011);
  expect_same_bits(whole, broken);
}

// steps so short that matrices of steps before serve, and guesses are made of several steps
TEST(CheckpointFile, HoldsMatricesAndGuessesOfStepsBefore) {
  for (const char* scheme : {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"}) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.step = "1e-5";
    overrides.end = "0.015";
    const std::string file = examples + "/slider_crank_clearance.yaml";
    RunReport whole = whole_run(file, overrides);
    for (const double t : {0.0031, 0.0107, 0.0139}) {
      SCOPED_TRACE(std::string(scheme) + " " + std::to_string(t));
      RunReport broken = broken_run(file, overrides, t);
      expect_same_bits(whole, broken);
    }
    EXPECT_LT(whole.summary.evaluations.stiffness, 0.6 * static_cast<double>(whole.summary.steps)) << scheme;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryScheme, Checkpoint, ::testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param.model + "_" + test.param.scheme;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

constexpr const char* stiff = R"yaml(escapement: 1
coordinates: {x: {start: 1}, y: {}, z: {start: 0.3}}
kinetic_energy: (x'^2 + y'^2 + z'^2)/2
forces: {x: -x + 0.1*y, y: 1e6*(x - y) - 2000*y', z: -1}
contacts: {floor: {gap: z, restitution: 0.5}}
simulation: {end: 3, tolerance: 1e-4}
)yaml";

// events crowd, so that a time-stepping scheme takes over, again and again
constexpr const char* shaken = R"yaml(escapement: 1
coordinates: {x: {}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 10*y
forces: {x: 6*sin(1e9*t)}
contacts: {floor: {gap: y, friction: 0.5, slip: "x'"}}
simulation: {end: 1, tolerance: 1e-4, stop: t > 1e-6}
)yaml";

// contacts are a little below zero where they open
constexpr const char* ring = R"yaml(escapement: 1
coordinates: {x: {start: 0, rate: 0.3}, y: {start: 1}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
forces: {x: 3*sin(2*t), y: 4*sin(3*t)}
contacts: {hill: {gap: x^2 + y^2 - 1}, bowl: {gap: 4 - x^2 - y^2}}
simulation: {end: 8, tolerance: 1e-2}
)yaml";

// a wall holds the slip in one direction
constexpr const char* corner = R"yaml(escapement: 1
coordinates: {x: {}, y: {}, z: {}}
kinetic_energy: x'^2 + y'^2 + z'^2
forces: {x: 9*sin(3*t), y: 6.9, z: -19.62}
contacts: {floor: {gap: z, friction: 0.5, slip: ["x' - 0.1*y'", "y' + 0.1*x'"]}, wall: {gap: -y}}
simulation: {end: 3, tolerance: 1e-5}
)yaml";

// the wall lets go and closes, and slips are too slow for a direction of their own
constexpr const char* closing_corner = R"yaml(escapement: 1
coordinates: {x: {}, y: {}, z: {}}
kinetic_energy: x'^2 + y'^2 + z'^2
forces: {x: 9*sin(3*t), y: "if(t < 0.7, 2, 12*sin(2*t))", z: -19.62}
contacts: {floor: {gap: z, friction: 0.5, slip: ["x' - 0.1*y'", "y' + 0.1*x'"]}, wall: {gap: -y}}
simulation: {end: 3, tolerance: 1e-5}
)yaml";

constexpr const char* brake = R"yaml(escapement: 1
dimension: 2
bodies: {wheel: {mass: 1, inertia: 0.5}}
joints: {pin: {revolute: [ground, wheel], at: [0, 0]}}
forces:
  brake: {friction: pin, size: 5, law: coulomb}
  drive: {torque: wheel, value: 6*sin(t) + 0.5}
simulation: {end: 50, tolerance: 1e-4}
)yaml";

// forces that die out are little against what they have been
constexpr const char* fading = R"yaml(escapement: 1
coordinates: {x: {}, y: {}, z: {}}
kinetic_energy: (x'^2 + y'^2 + z'^2)/2
forces: {x: 3*exp(-2*t)*sin(7*t), y: "-1e3*exp(-3*t)*(1 + 0.3*sin(5*t)) + 1e-9*cos(t)", z: -x}
contacts: {floor: {gap: y, friction: 0.3, slip: "x'"}, wall: {gap: y + 0.1*x^2, friction: 0.1, slip: "x'"}}
simulation: {end: 12, tolerance: 1e-3}
)yaml";

// expressions without bound are judged by what they have been
constexpr const char* unbounded = R"yaml(escapement: 1
coordinates: {x: {start: 1, rate: 3}}
kinetic_energy: x'^2/2
forces: {x: "exp(-4*x) - 1 - 0.3*x' - 2*exp(-(x - 0.7)^2/0.01)*x"}
simulation: {end: 20, tolerance: 1e-2}
)yaml";

struct Relay {
  std::string name, scheme;
  const char* text = nullptr;  // nullptr: an example
  const char *tolerance = nullptr, *end = nullptr;
};

class Relayed : public ::testing::TestWithParam<Relay> {};

// what is not in the checkpoint is lost at every step
TEST_P(Relayed, GoesOnWithTheSameBits) {
  const Relay& c = GetParam();
  const std::string file = examples + "/" + c.name + ".yaml";
  std::ifstream in(file);
  const std::string text = c.text ? c.text : std::string((std::istreambuf_iterator<char>(in)), {});
  Overrides overrides;
  overrides.scheme = c.scheme;
  if (c.tolerance) overrides.tolerance = c.tolerance;
  if (c.end) overrides.end = c.end;
  Model model = read_model(file, text, overrides);
  RunReport whole = run_model(model), relayed = relayed_run(file, text, overrides, whole.outcome.steps);
  expect_same_bits(whole, relayed);
}

INSTANTIATE_TEST_SUITE_P(EveryStep, Relayed,
                         ::testing::Values(Relay{"bouncing_ball", "auto", nullptr, "1e-6", "5"},
                                         Relay{"stick_slip_belt", "auto", nullptr, "1e-6", "3"},
                                         Relay{"corner_ball", "auto", nullptr, "1e-4", "3"},
                                         Relay{"slider_crank_clearance", "rkf45", nullptr, "1e-3", "0.05"},
                                         Relay{"sliding_block", "generalized-alpha", nullptr, "1e-4"},
                                         Relay{"stick_slip_belt", "bdf", nullptr, "1e-4", "2"},
                                         Relay{"rocking_block", "moreau-midpoint-ggl", nullptr, "1e-4", "1"},
                                         Relay{"stiff", "auto", stiff}, Relay{"shaken", "auto", shaken},
                                         Relay{"ring", "phem56", ring}, Relay{"ring", "mexx", ring},
                                         Relay{"corner", "hem5", corner}, Relay{"closing_corner", "hem5", closing_corner}, Relay{"brake", "rkf45", brake}, Relay{"fading", "hem5", fading},
                                         Relay{"unbounded", "hem5", unbounded},
                                         Relay{"unbounded", "moreau-jean", unbounded}),
                         [](const auto& test) {
                           std::string name = test.param.name + "_" + test.param.scheme;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// what else may have changed is tried by tests/scripts/checkpoint.sh
TEST(CheckpointFile, SaysThatAnotherVersionHasWrittenIt) {
  const std::string file = examples + "/bouncing_ball.yaml";
  Model model = load_model(file);
  Result result = run_model(model).result;
  EXPECT_TRUE(changes_since(result, model, file).empty());
  EXPECT_TRUE(changes_since(result, model, "gone.yaml").empty());
  result.origin.version = "0.0.9";
  EXPECT_EQ(changes_since(result, model, file), std::vector<std::string>{"it was written by version 0.0.9, and this is " + version()});
}

TEST(CheckpointFile, RefusesTheCheckpointOfAnotherModel) {
  Model model = load_model(examples + "/slider_crank.yaml"), other = load_model(examples + "/bouncing_ball.yaml");
  Result kept;
  RunHooks hooks;
  hooks.wants_result = [](double t, const Result&) { return t > 1; };
  hooks.take_result = [&](const Result& result) { kept = result; };
  run_model(model, hooks);
  RunHooks resume;
  resume.resume = &kept;
  EXPECT_THROW(run_model(other, resume), SnapshotError);
}

}  // namespace
}  // namespace escapement
