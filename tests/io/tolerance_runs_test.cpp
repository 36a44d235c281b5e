// Time-stepping with a tolerance: what it bounds where contacts stick, slide, turn and come to rest, and what that costs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/example_run.hpp"
#include "support/source_folder.hpp"

namespace escapement::tolerance_runs_test {
namespace {

using testing::time_stepping_schemes;

// a push that sets in at 0.5 s tears a sticking block loose: steps that grow while it rests must not pass over that. The weaker
// push is too weak for a step that sees half of it
TEST(ToleranceRuns, TheOnsetOfSlidingIsWithinTheTolerance) {
  for (const char* scheme : time_stepping_schemes)
    for (double push : {2.0, 2.8})
      for (double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
        Overrides overrides;
        overrides.scheme = scheme;
        overrides.tolerance = fmt::format("{}", tolerance);
        overrides.parameters.emplace_back("push", fmt::format("{}", push));
        Model model = read_model("slope.yaml", R"yaml(escapement: 1
dimension: 3
gravity: [9.81*sin(0.4), 0, -9.81*cos(0.4)]
parameters: {push: 2}
bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {pl: {planar: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}
contacts: {c: {gap: b.z, friction: 0.5, slip: b.x'}}
forces:
  push: {force: b, value: ["if(t > 0.5, push, 0)", 0, 0]}
  hold: {torque: b, value: [0, "-10*b.wy", 0]}
simulation: {end: 1}
)yaml", overrides);
        const double acceleration = 9.81 * std::sin(0.4) - 0.5 * 9.81 * std::cos(0.4) + push / 2;
        const RunReport report = run_model(model);
        ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
        // the tolerance bounds each step; accelerations of generalized-alpha ring for some steps after a jump
        const double bound = std::string_view(scheme).starts_with("nonsmooth") ? 3 * tolerance : tolerance;
        EXPECT_NEAR(report.outcome.final.v[0], 0.5 * acceleration, bound) << scheme << ' ' << push;
        EXPECT_NEAR(report.outcome.final.q[0], 0.125 * acceleration, bound) << scheme << ' ' << push;
        EXPECT_LT(report.outcome.steps, 100) << scheme;
      }
}

// two feet share the friction in no certain way: what one of them bears alone tells nothing of slip. It starts when both give
// way, and a block that rests on them for good costs no steps
TEST(ToleranceRuns, FeetThatShareTheFrictionSlideTogether) {
  for (const char* scheme : time_stepping_schemes)
    for (double tolerance : {1e-4, 1e-5, 1e-6}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.tolerance = fmt::format("{}", tolerance);
      Model model = read_model("feet.yaml", R"yaml(escapement: 1
coordinates: {x: {}, z: {start: 0.2}, a: {}}
kinetic_energy: x'^2/2 + z'^2/2 + 0.1*a'^2
potential_energy: 10*z
forces: {x: "if(t > 0.7, 6, 4)"}
contacts:
  left: {gap: z - 0.3*sin(a) - 0.2*cos(a), slip: x' + a'*(0.2*cos(a) - 0.3*sin(a)), friction: 0.5}
  right: {gap: z + 0.3*sin(a) - 0.2*cos(a), slip: x' + a'*(0.2*cos(a) + 0.3*sin(a)), friction: 0.5}
simulation: {end: 2}
)yaml", overrides);
      const RunReport report = run_model(model);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
      EXPECT_NEAR(report.outcome.final.v[0], 1.3, tolerance) << scheme;
      EXPECT_LT(report.outcome.steps, 150) << scheme;
    }
}

// pressed against both feet by a torque that cannot tip it, the block rests in steps as long as the run: none may end with the
// block turned round or over, where it stands as well
TEST(ToleranceRuns, LongStepsDoNotTurnARestingBlock) {
  for (const char* scheme : {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"})
    for (const char* torque : {"0.5", "1", "2.5"})
      for (const char* tolerance : {"1e-2", "1e-4", "1e-6"})
        for (const char* end : {"2.3", "20"}) {
          Overrides overrides;
          overrides.scheme = scheme;
          overrides.tolerance = tolerance;
          overrides.end = end;
          overrides.parameters.emplace_back("torque", torque);
          Model model = read_model("pressed.yaml", R"yaml(escapement: 1
coordinates: {x: {}, z: {start: 0.2}, a: {}}
parameters: {torque: 1}
kinetic_energy: x'^2/2 + z'^2/2 + 0.1*a'^2
potential_energy: 10*z
forces: {a: "if(t > 0.4, torque, 0)"}
contacts:
  left: {gap: z - 0.3*sin(a) - 0.2*cos(a), slip: x' + a'*(0.2*cos(a) - 0.3*sin(a)), friction: 0.5, restitution: 0.5}
  right: {gap: z + 0.3*sin(a) - 0.2*cos(a), slip: x' + a'*(0.2*cos(a) + 0.3*sin(a)), friction: 0.5, restitution: 0.5}
simulation: {end: 20}
)yaml", overrides);
          const RunReport report = run_model(model);
          ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
          EXPECT_NEAR(report.outcome.final.q[1], 0.2, 0.02) << scheme << ' ' << torque << ' ' << tolerance << ' ' << end;
          EXPECT_NEAR(report.outcome.final.q[2], 0, 0.05) << scheme << ' ' << torque << ' ' << tolerance << ' ' << end;
        }
}

// without moreau-midpoint-ggl-decoupled, which with restitution hops for ever
constexpr const char* comes_to_rest[] = {"moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"};

// a ball that swings in a bowl: the force of the contact turns with it. First order: the energy follows the tolerance's root
TEST(ToleranceRuns, TheTolerancesHoldOnCurvedContacts) {
  for (const char* scheme : time_stepping_schemes)
    for (double tolerance : {1e-3, 1e-5, 1e-7}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.tolerance = fmt::format("{}", tolerance);
      Model model = read_model("bowl.yaml", R"yaml(escapement: 1
coordinates: {x: {start: 1.5}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
contacts: {bowl: {gap: "1.5 - sqrt(x^2 + y^2)", restitution: 0.2}}
simulation: {end: 1}
)yaml", overrides);
      const RunReport report = run_model(model);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
      const State& s = report.outcome.final;
      EXPECT_NEAR(0.5 * s.v.squaredNorm() + 9.81 * s.q[1], 0, 50 * std::sqrt(tolerance)) << scheme << ' ' << tolerance;
    }
}

// the free rocking block comes to rest within 1.7 s
TEST(ToleranceRuns, ABlockAtRestCostsNoSteps) {
  const auto steps = [](const char* scheme, const char* tolerance, const char* end) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.tolerance = tolerance;
    overrides.end = end;
    Model model = load_model(escapement::testing::source_folder() + "/examples/rocking_block_free.yaml", overrides);
    const RunReport report = run_model(model);
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
    return report.outcome.steps + report.outcome.rejected_steps;
  };
  for (const char* scheme : comes_to_rest)
    for (const char* tolerance : {"3e-4", "2e-5", "1e-5"})
      EXPECT_LT(steps(scheme, tolerance, "3") - steps(scheme, tolerance, "1.7"), 20) << scheme << ' ' << tolerance;
}

// blocks on one another, at the velocity level: what contacts sink in counts as error, and few of them do so more than once
TEST(ToleranceRuns, StackedBlocksSinkInByTheTolerance) {
  for (const char* restitution : {"0", "0.5"})
    for (double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) {
      Overrides overrides;
      overrides.scheme = "nonsmooth-generalized-alpha";
      overrides.tolerance = fmt::format("{}", tolerance);
      overrides.parameters.emplace_back("e", restitution);
      Model model = read_model("stack.yaml", R"yaml(escapement: 1
dimension: 2
gravity: [0, -9.81]
parameters: {e: 0, mu: 0.5}
bodies:
  A: {mass: 1, inertia: 0.1, position: [0, 0.25], velocity: [1, 0]}
  B: {mass: 0.7, inertia: 0.08, position: [0.05, 0.75], angular_velocity: 1}
contacts:
  a1: {gap: A.y - 0.25*cos(A.angle) - 0.4*sin(A.angle), restitution: e, friction: mu, slip: A.x' + A.angle'*(0.25*cos(A.angle) - 0.4*sin(A.angle))}
  a2: {gap: A.y - 0.25*cos(A.angle) + 0.4*sin(A.angle), restitution: e, friction: mu, slip: A.x' + A.angle'*(0.25*cos(A.angle) + 0.4*sin(A.angle))}
  b1: {gap: B.y - A.y - 0.25*(cos(A.angle) + cos(B.angle)) - 0.3*sin(B.angle), restitution: e, friction: mu, slip: B.x' - A.x' + 0.25*(A.angle' + B.angle')}
  b2: {gap: B.y - A.y - 0.25*(cos(A.angle) + cos(B.angle)) + 0.3*sin(B.angle), restitution: e, friction: mu, slip: B.x' - A.x' + 0.25*(A.angle' + B.angle')}
  b3: {gap: B.y - A.y - 0.25*(cos(A.angle) + cos(B.angle)), restitution: e, friction: mu, slip: B.x' - A.x' + 0.25*(A.angle' + B.angle')}
simulation: {end: 2.3}
)yaml", overrides);
      const RunReport report = run_model(model);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
      EXPECT_LT(report.summary.max_penetration, 4 * tolerance) << restitution << ' ' << tolerance;
    }
}

// Steps are `safety` times those whose error would be what is allowed: of an error that grows as h^p the tolerance, or of
// one per unit step, which grows as h^(p-1), the tolerance times h. On a circle all steps are alike
TEST(ToleranceRuns, SafetyIsAPartOfTheStep) {
  const double safety = 0.5, tolerance = 1e-6;
  for (const char* scheme : {"rkf45", "phem56"})
    for (const bool per_unit_step : {false, true}) {
      Overrides overrides;
      overrides.scheme = scheme;
      Model model = read_model("circle.yaml", fmt::format(R"yaml(escapement: 1
coordinates: {{x: {{start: 1}}, y: {{rate: 1}}}}
kinetic_energy: (x'^2 + y'^2)/2
forces: {{x: -x, y: -y}}
simulation: {{end: 20, tolerance: {}, error: {}, options: {{safety: {}}}}}
)yaml", tolerance, per_unit_step ? "per_unit_step" : "per_step", safety), overrides);
      const RunReport report = run_model(model);
      const StepColumns& steps = report.result.steps;
      ASSERT_GT(steps.time.size(), 20u);
      double sum = 0;
      std::size_t n = 0;
      for (std::size_t i = 5; i + 2 < steps.time.size(); ++i, ++n)
        sum += std::log(steps.error[i] / (per_unit_step ? tolerance * steps.size[i] : tolerance));
      const double used = std::exp(sum / static_cast<double>(n));
      const int power = find_scheme(scheme)->info.error_power - per_unit_step;
      EXPECT_NEAR(std::log(used) / std::log(safety), power, 0.3) << scheme << (per_unit_step ? " per unit step" : "");
    }
}

}  // namespace
}  // namespace escapement
