// Studies whose members are advanced together: each equals the single run of its parameters, and what cannot be is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <tuple>

#include "io/sweep.hpp"
#include "support/source_folder.hpp"

namespace escapement::ensemble_test {
namespace {

namespace fs = std::filesystem;

class EnsembleSweep : public ::testing::Test {
 protected:
  EnsembleSweep() { fs::create_directories(folder_); }
  ~EnsembleSweep() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  Study study(const std::string& model, const std::string& rest, const Overrides& base = {}) const {
    write("model.yaml", model);
    return load_study(write("study.yaml", "escapement: 1\nmodel: model.yaml\n" + rest), base);
  }
  // every measure of every row, lanes against single runs
  void compare(const Study& s, double tolerance) const {
    const std::vector<SweepRow> single = run_sweep(s, 1), together = run_ensemble(s, "lanes", 1);
    ASSERT_EQ(single.size(), together.size());
    for (std::size_t k = 0; k < single.size(); ++k) {
      ASSERT_EQ(single[k].status, "completed") << single[k].message;
      EXPECT_EQ(together[k].status, "completed") << together[k].message;
      EXPECT_EQ(together[k].engine, "lanes");
      for (std::size_t i = 0; i < s.measures.size(); ++i)
        EXPECT_NEAR(together[k].measures[i], single[k].measures[i], tolerance * (1 + std::abs(single[k].measures[i]))) << "row " << k << ", " << s.measures[i].name;
    }
  }
  std::string refusal(const std::string& model, const std::string& rest, const Overrides& base = {}, const std::string& on = "lanes") const {
    try {
      run_ensemble(study(model, rest, base), on, 1);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "not refused";
  }

  fs::path folder_ = fs::temp_directory_path() / ("escapement_ensemble_" + std::to_string(getpid()));
};

constexpr const char* ball = R"yaml(escapement: 1
parameters: {e: 0.5, drop: 1, pull: 9.81, half: drop/2}
coordinates: {x: {start: drop}}
kinetic_energy: x'^2/2
potential_energy: pull*x
forces: {x: -0.1*x'}
contacts: {floor: {gap: x, restitution: e}}
outputs: {above: x - half}
simulation: {end: 1.2, step: 1e-3, scheme: moreau-midpoint, save_every: 2.5e-3}
)yaml";

constexpr const char* time_stepping[] = {"moreau-midpoint", "moreau-midpoint-ggl", "moreau-jean"};

TEST_F(EnsembleSweep, MembersOfASliderCrankEqualTheirSingleRuns) {
  const std::string model = escapement::testing::source_folder() + "/examples/slider_crank_clearance.yaml";
  for (const char* scheme : time_stepping) {
    SCOPED_TRACE(scheme);
    Overrides base;
    base.scheme = scheme;
    base.step = "1e-5";
    base.end = "0.004";  // up to a dozen impacts
    const Study s = load_study(write("study.yaml", "escapement: 1\nmodel: " + model + R"yaml(
vary: {restitution: [0.1, 0.6], c: [5e-4, 1e-3], tilt: [0, 2e-3]}
sample: {count: 2, seed: 4, of: {l2: "normal(0.306, 1e-3)"}}
measure:
  impacts: impacts
  hardest: max(contacts.g1.force)
  lowest: min(contacts.g3.gap)
  rate: final(contacts.g2.gap_rate)
  energy: final(energy.total) - initial(energy.total)
  kinetic: mean(energy.kinetic)
  turned: final(th3')
  slider: final(outputs.slider_x)
  slot: d
  when: first(th1 > 0.2)
)yaml"),
                               base);
    compare(s, 1e-9);
  }
}

TEST_F(EnsembleSweep, MembersOfABallEqualTheirSingleRuns) {
  for (const char* scheme : time_stepping) {
    SCOPED_TRACE(scheme);
    Overrides base;
    base.scheme = scheme;
    compare(study(ball, R"yaml(
vary: {e: [0, 0.3, 1], drop: [0.5, 1], pull: [9.81, 1.6]}
measure: {impacts: impacts, steps: steps, end: end_time, rejected: rejected_steps, x: final(x), v: final(x'), high: max(outputs.above), low: count(x < 0.1), push: max(floor.force), all: mean(energy.total), when: first(x < 0.1), of: drop + half}
)yaml",
                  base),
            // a ball that comes to rest touches the floor up to rounding, and samples between steps tell a touch from none
            std::string(scheme) == "moreau-midpoint-ggl" ? 1e-8 : 1e-10);
  }
}

TEST_F(EnsembleSweep, MembersWithConstraintsEqualTheirSingleRuns) {
  for (const char* scheme : time_stepping) {
    SCOPED_TRACE(scheme);
    Overrides base;
    base.scheme = scheme;
    compare(study(R"yaml(escapement: 1
parameters: {l: 1, g: 9.81, e: 0.4}
coordinates: {x: {start: l}, y: {rate: 0.3}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: g*y
constraints: {rod: (x^2 + y^2 - l^2)/2}
contacts: {wall: {gap: y + 0.8*l, restitution: e}}
simulation: {end: 1, step: 1e-3, scheme: moreau-midpoint}
)yaml",
                R"yaml(
vary: {l: [0.5, 1, 2], e: [0, 0.7]}
measure: {x: final(x), y: min(y), impacts: impacts, drift: max(drift.position), fast: max(drift.velocity)}
)yaml",
                  base),
            1e-9);
  }
}

// a double pendulum with a damper, sampled at the ends of steps and between them
TEST_F(EnsembleSweep, MembersBySmoothSchemesEqualTheirSingleRuns) {
  for (const char* scheme : {"rk4", "hem5"})
    for (const char* every : {"0", "0.0137"}) {
      SCOPED_TRACE(std::string(scheme) + " " + every);
      compare(study(std::string(R"yaml(escapement: 1
parameters: {m: 1, l: 0.5, k: 0.1}
coordinates: {a: {start: 1, rate: k}, b: {start: -0.5}}
kinetic_energy: m*l^2*(a'^2 + b'^2/2 + a'*b'*cos(a - b))
potential_energy: -9.81*m*l*(2*cos(a) + cos(b))
forces: {a: -k*a', b: 0.2*sin(3*t)}
simulation: {end: 1, step: 0.01, scheme: )yaml") + scheme + ", save_every: " + every + "}\n",
                    "vary: {m: [0.5, 2], l: [0.3, 0.7], k: [0, 0.3, 1]}\nmeasure: {a: final(a), b: final(b'), high: max(b), low: min(a'), mean: mean(energy.total), when: first(a < 0.9)}\n"),
              1e-11);
    }
}

// a step of Moreau's midpoint rule that is ten times too long loses energy beyond what impacts take; one of a hundredth sinks in as well
TEST_F(EnsembleSweep, MembersAreJudgedAsTheirSingleRuns) {
  const std::string model = escapement::testing::source_folder() + "/examples/slider_crank_clearance.yaml";
  for (const auto& [step, verdict, why] : {std::tuple{"1e-5", "sound", ""}, std::tuple{"1e-4", "suspect", "the energy is off"}, std::tuple{"2e-3", "suspect", "suspect: "}}) {
    Overrides base;
    base.scheme = "moreau-midpoint";
    base.step = step;
    base.end = "0.1";
    const Study s = load_study(write("study.yaml", "escapement: 1\nmodel: " + model + "\nvary: {restitution: [0.2, 0.8]}\nmeasure: {e: final(energy.total)}\n"), base);
    const std::vector<SweepRow> single = run_sweep(s, 1), together = run_ensemble(s, "lanes", 1);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(single[k].verdict, verdict) << step;
      EXPECT_EQ(together[k].verdict, verdict) << step;
      EXPECT_NE(together[k].message.find(why), std::string::npos) << together[k].message;
    }
  }
  // contacts alone: a ball that falls through a thin floor between two steps
  const std::vector<SweepRow> rows = run_ensemble(study(R"yaml(escapement: 1
parameters: {v: 1}
coordinates: {x: {start: 1, rate: -v}}
kinetic_energy: x'^2/2
forces: {x: 1e-9*t}
contacts: {floor: {gap: x, restitution: 0}}
simulation: {end: 3, step: 0.4, scheme: moreau-midpoint, save_every: 0}
)yaml",
                                                        "vary: {v: [1]}\nmeasure: {x: min(x)}\n"),
                                                  "lanes", 1);
  EXPECT_EQ(rows[0].verdict, "suspect");
  EXPECT_NE(rows[0].message.find("contact 'floor' sinks in"), std::string::npos) << rows[0].message;
}

TEST_F(EnsembleSweep, ValuesThatSingleRunsRefuseAreRefused) {
  const std::vector<SweepRow> rows = run_ensemble(study(ball, "vary: {e: [0.5, 1.5], drop: [1, -1]}\nmeasure: {x: final(x)}\n"), "lanes", 1);
  EXPECT_EQ(rows[0].status, "completed");
  EXPECT_EQ(rows[1].status, "refused");
  EXPECT_NE(rows[1].message.find("start is inconsistent"), std::string::npos);
  EXPECT_EQ(rows[2].status, "refused");
  EXPECT_NE(rows[2].message.find("restitution must be between 0 and 1"), std::string::npos);
  const Study s = study(ball, "vary: {e: [0.5, 1.5, 2]}\nmeasure: {x: final(x)}\n");
  EXPECT_NE(to_text(s, run_ensemble(s, "lanes", 1)).find("2 of 3 runs failed\n  2: restitution must"), std::string::npos);
}

TEST_F(EnsembleSweep, WhatMembersCannotHaveIsRefusedWithItsPlace) {
  const std::string vary = "vary: {e: [0.5]}\nmeasure: {x: final(x)}\n";
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = ball;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const auto expect = [&](const std::string& said, const std::string& place, const std::string& why) {
    EXPECT_NE(said.find(place), std::string::npos) << said;
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  };
  expect(refusal(with("moreau-midpoint", "bdf"), vary), "model.yaml:9:", "runs moreau-midpoint, moreau-midpoint-ggl, moreau-jean, rk4, hem5");
  expect(refusal(with("moreau-midpoint", "hem5"), vary), "model.yaml:7:", "runs hem5 without contacts");
  expect(refusal(std::string("escapement: 1\nparameters: {e: 1}\ncoordinates: {x: {start: 1}, y: {}}\nkinetic_energy: x'^2 + y'^2\nconstraints: {c: x - e}\nsimulation: {end: 1, step: 0.1, scheme: rk4}\n"), vary), "model.yaml:5:", "runs rk4 without constraints");
  expect(refusal(with("step: 1e-3", "tolerance: 1e-3"), vary), "model.yaml:9:", "takes fixed steps");
  expect(refusal(with("scheme: moreau-midpoint", "scheme: moreau-midpoint, stop: x < 0"), vary), "model.yaml:9:", "stop condition");
  expect(refusal(with("end: 1.2", "until: 0.5, then: {step: 1e-2}, end: 1.2"), vary), "model.yaml:9:", "steps change");
  expect(refusal(with("restitution: e", "restitution: e, friction: 0.1, slip: x'"), vary), "model.yaml:7:", "friction");
  expect(refusal(with("forces:", "states: {heat: {rate: -heat}}\nforces:"), vary), "model.yaml:6:", "states of first order");
  expect(refusal(with("end: 1.2", "end: 2*e"), vary), "model.yaml:9:", "'end' depends on what the study varies");
  expect(refusal(ball, "vary: {e: [0.5]}\nmeasure: {w: work}\n"), "study.yaml:4:", "'work' is not taken");
  expect(refusal(with("save_every: 2.5e-3", "options: {impact_law: moreau}"), vary), "model.yaml:9:", "impact_law");
  Overrides scheme;
  scheme.scheme = "rkf45";
  expect(refusal(ball, vary, scheme), "--scheme rkf45:", "runs moreau-midpoint");
  const std::string mechanism = "escapement: 1\nparameters: {e: 1}\ndimension: 2\nbodies: {a: {mass: e, inertia: 1}}\nsimulation: {end: 1, step: 0.1, scheme: moreau-midpoint}\n";
  expect(refusal(mechanism, "vary: {e: [1]}\nmeasure: {x: final(a.x)}\n"), "model.yaml:4:", "mechanisms");
}

}  // namespace
}  // namespace escapement
