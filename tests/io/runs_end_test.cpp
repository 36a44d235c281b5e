// Hard cases: each run ends, completed or with a sentence that names who is to blame and the time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "schemes/scheme.hpp"
#include "simulate/failure.hpp"
#include "support/example_run.hpp"
#include "support/source_folder.hpp"

namespace escapement::runs_end_test {
namespace {

struct Hard {
  const char *name, *model;
  const char* says;      // what the message must contain; empty: it completes
  int impacts = -1;      // how many, where that is known
  double energy = 1e-6;  // largest error of the balance
};

RunReport run(const Hard& hard, const std::string& scheme, const std::string& step) {
  Overrides overrides;
  overrides.scheme = scheme;
  if (!step.empty()) overrides.step = step;
  Model model = read_model(std::string(hard.name) + ".yaml", std::string("escapement: 1\nname: ") + hard.name + "\n" + hard.model, overrides);
  return run_model(model);
}

RunReport expect_end(const Hard& hard, const std::string& scheme, const std::string& step = "") {
  SCOPED_TRACE(fmt::format("{} with {} {}", hard.name, scheme, step));
  const RunReport report = run(hard, scheme, step);
  const std::string& message = report.outcome.message;
  EXPECT_TRUE(report.outcome.final.q.allFinite() && report.outcome.final.v.allFinite());
  const bool stops = hard.says[0] != '\0';
  if (stops) {
    EXPECT_EQ(report.outcome.status, Outcome::Status::failed);
    EXPECT_NE(message.find(hard.says), std::string::npos) << message;
    EXPECT_NE(message.find("at t = "), std::string::npos) << message;
  } else {
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << message;
    EXPECT_LT(report.summary.max_penetration, 1e-10);
    EXPECT_LT(report.summary.energy.max_error, hard.energy);
    EXPECT_TRUE(hard.impacts < 0 || report.summary.impacts == hard.impacts) << report.summary.impacts;
  }
  return report;
}

constexpr Hard chattering{"a force that turns with the slip", R"yaml(
coordinates: {x: {}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2 + 0.4*x'*y'
potential_energy: 9.81*y
forces: {x: "if(x' > 0, -6, 6)"}
contacts: {floor: {gap: y, friction: 0.5, slip: "x'"}}
simulation: {end: 1, tolerance: 1e-8}
)yaml", "contacts chatter"};

TEST(RunsEnd, ChatterBetweenStickingAndSlidingIsReported) {
  for (const char* scheme : {"hem5", "rkf45", "mexx"}) {
    const RunReport report = expect_end(chattering, scheme);
    EXPECT_NE(report.outcome.message.find("'floor'"), std::string::npos);
  }
  // where the motion meets the force's jump between two changes of the contact, it tells more
  Hard jump = chattering;
  jump.says = "0 < x'";
  expect_end(jump, "generalized-alpha");
  expect_end(chattering, "auto");
  expect_end(chattering, "rk4", "1e-3");
}

// with these steps the event that comes back again and again leaves every contact as it was
TEST(RunsEnd, ChatterThatChangesNothingNamesItsContact) {
  Overrides overrides;
  overrides.scheme = "generalized-alpha";
  overrides.options = {{"control", "predictive"}, {"min_step", "1e-17"}};  // who gives it is not told of jumps
  Model model = read_model("chatter.yaml", std::string("escapement: 1\n") + chattering.model, overrides);
  const RunReport report = run_model(model);
  EXPECT_EQ(report.outcome.status, Outcome::Status::failed);
  EXPECT_NE(report.outcome.message.find("(contact 'floor')"), std::string::npos) << report.outcome.message;
}

constexpr Hard jamming_rod{"a rod that jams", R"yaml(
coordinates: {x: {rate: -5}, y: {start: sin(1)/2}, th: {start: 1}}
kinetic_energy: (x'^2 + y'^2 + th'^2/12)/2
potential_energy: 9.81*y
contacts: {tip: {gap: y - sin(th)/2, slip: "x' + sin(th)/2*th'", friction: 1.9}}
simulation: {end: 1, tolerance: 1e-8}
)yaml", "contact 'tip'"};

TEST(RunsEnd, ContactsWithoutSolutionAreNamed) {
  const Hard cases[] = {
      {"walls that close", R"yaml(
coordinates: {x: {}}
kinetic_energy: x'^2/2
contacts: {left: {gap: x + 0.1 - 0.5*t, restitution: 0.9}, right: {gap: 0.1 - 0.5*t - x, restitution: 0.9}}
simulation: {end: 1, tolerance: 1e-8}
)yaml", "contact 'left', 'right'"},
      {"driven into a wall", R"yaml(
coordinates: {x: {rate: 0.5}}
kinetic_energy: x'^2/2
constraints: {drive: x - 0.5*t}
contacts: {wall: {gap: 0.1 - x}}
simulation: {end: 1, tolerance: 1e-8}
)yaml", "contact 'wall'"},
      jamming_rod,
  };
  for (const Hard& hard : cases) {
    for (const char* scheme : {"hem5", "generalized-alpha"}) expect_end(hard, scheme);
    if (hard.name != jamming_rod.name) expect_end(hard, "auto");
  }
}

// friction presses the tip into the floor at once, and it is thrown off as by an impact; later it lands. Contacts that a
// time-stepping scheme has opened are open for the scheme that goes on after it
TEST(RunsEnd, AutoGoesOnWhereARodJams) {
  for (const char* tolerance : {"1e-5", "1e-6", "1e-7", "1e-8"}) {
    Overrides overrides;
    overrides.tolerance = tolerance;
    Model model = read_model("jam.yaml", std::string("escapement: 1\n") + jamming_rod.model, overrides);
    const RunReport report = run_model(model);
    EXPECT_EQ(to_string(report.summary.status), "completed");
    EXPECT_EQ(report.summary.verdict(), "sound");
    EXPECT_EQ(report.summary.impacts, 2) << tolerance;
    const double allowed = 5 * std::stod(tolerance) + 1e-6;
    EXPECT_NEAR(value_of(report.summary.final.q, "x"), -2.269707, allowed) << tolerance;
    EXPECT_NEAR(value_of(report.summary.final.q, "th"), 3.660867, allowed) << tolerance;
  }
}

TEST(RunsEnd, AccumulatingAndCoincidingEvents) {
  const Hard cases[] = {
      {"corners of a block in turn", R"yaml(
coordinates: {y: {start: 0.13}, th: {start: 0.05}}
kinetic_energy: (y'^2 + 0.01*th'^2)/2
potential_energy: 9.81*y
contacts: {l: {gap: y - 0.5*sin(th) - 0.1*cos(th), restitution: 0.5}, r: {gap: y + 0.5*sin(th) - 0.1*cos(th), restitution: 0.5}}
simulation: {end: 2, tolerance: 1e-8}
)yaml", ""},
      {"a light ball between two heavy ones", R"yaml(
coordinates: {x1: {rate: 1}, x2: {start: 1}, x3: {start: 2, rate: -1.1}}
kinetic_energy: (x1'^2 + 0.01*x2'^2 + x3'^2)/2
contacts: {a: {gap: x2 - x1 - 0.1, restitution: 0.7}, b: {gap: x3 - x2 - 0.1, restitution: 0.7}}
simulation: {end: 3, tolerance: 1e-8}
)yaml", ""},
      {"into a wedge", R"yaml(
coordinates: {x: {start: 1, rate: -1}, y: {start: 0.05, rate: 0.3}}
kinetic_energy: (x'^2 + y'^2)/2
forces: {x: -3}
contacts: {up: {gap: 0.2*x - y, restitution: 0.6}, low: {gap: 0.2*x + y, restitution: 0.6}}
simulation: {end: 3, tolerance: 1e-8}
)yaml", ""},
      {"one contact four times", R"yaml(
coordinates: {y: {start: 1}}
kinetic_energy: y'^2/2
potential_energy: 9.81*y
contacts: {a: {gap: y, restitution: 0.5}, b: {gap: y, restitution: 0.5}, c: {gap: 2*y, restitution: 0.4}, d: {gap: y + 1e-13}}
simulation: {end: 3, tolerance: 1e-8}
)yaml", ""},
      {"a gap with a double root", R"yaml(
coordinates: {x: {start: -1, rate: 1}}
kinetic_energy: x'^2/2
contacts: {bump: {gap: x^2, restitution: 0.5}}
simulation: {end: 3, tolerance: 1e-8}
)yaml", "", 0},
      {"a gap that is always zero", R"yaml(
coordinates: {x: {rate: 1}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
contacts: {flat: {gap: y, restitution: 0.5, friction: 0.5, slip: "x'"}, nothing: {gap: 0*x}}
simulation: {end: 1, tolerance: 1e-8}
)yaml", "", 0},
  };
  for (const Hard& hard : cases)
    for (const char* scheme : {"hem5", "generalized-alpha", "auto"}) expect_end(hard, scheme);
}

// a block that rocks to rest on its corners hits infinitely often, each corner by throwing off the other
TEST(RunsEnd, TheRockingBlockComesToRest) {
  for (const char* scheme : {"hem5", "rkf45", "generalized-alpha", "auto"}) {
    const RunReport report = testing::ExampleRun{.model = "rocking_block_free", .scheme = scheme, .tolerance = "1e-8"}();
    EXPECT_NEAR(report.outcome.final.q[2], 0, 1e-9) << scheme;
    // index 3: what rounding of positions made of velocities in a short step after an event stays for a few long ones
    const double slack = scheme == std::string("generalized-alpha") ? 10 : 0.1;
    EXPECT_NEAR(report.outcome.final.v.cwiseAbs().maxCoeff(), 0, slack * 1e-8) << scheme;
    EXPECT_NEAR(report.outcome.final.lambda[0] + report.outcome.final.lambda[1], 9.81, slack * 1e-5) << scheme;
    EXPECT_LT(report.summary.impacts, 100) << scheme;
    EXPECT_LT(report.summary.energy.max_error, 1e-6) << scheme;
  }
}

TEST(RunsEnd, ForcesAndSurfacesOfHighFrequency) {
  const Hard cases[] = {
      {"a contact force that changes sign", R"yaml(
coordinates: {y: {}}
kinetic_energy: y'^2/2
forces: {y: -5*cos(200*t)}
contacts: {floor: {gap: y}}
simulation: {end: 0.3, tolerance: 1e-8}
)yaml", ""},
      {"friction at its limit", R"yaml(
coordinates: {x: {}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
forces: {x: "0.4*9.81*(1 + 1e-3*sin(1000*t))"}
contacts: {floor: {gap: y, slip: "x'", friction: 0.4}}
simulation: {end: 0.3, tolerance: 1e-8}
)yaml", "", 0},
      {"a belt with a stiff spring", R"yaml(
coordinates: {x: {}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 5e5*x^2 + 9.81*y
contacts: {belt: {gap: y, friction: 0.4, slip: "x' - 0.001"}}
simulation: {end: 0.05, tolerance: 1e-8}
)yaml", "", 0},
  };
  for (const Hard& hard : cases)
    for (const char* scheme : {"hem5", "generalized-alpha", "auto"}) expect_end(hard, scheme);
}


// smooth motion takes long steps: what moves faster than it, the surface, is still seen
TEST(RunsEnd, SurfacesFasterThanTheMotionAreNotMissed) {
  const Hard fast{"a fast cam", R"yaml(
coordinates: {y: {start: 0.0015, rate: -0.01}}
kinetic_energy: y'^2/2
contacts: {cam: {gap: "y - 0.001*sin(6000*t)", restitution: 0.5}}
simulation: {end: 0.2, tolerance: 1e-8}
)yaml", "", 1, 1e-9};
  // when y falls to the cam's height: every period is 1.05e-5 m lower
  const EventColumns events = expect_end(fast, "hem5").result.events;
  const std::size_t hit = static_cast<std::size_t>(std::find(events.kind.begin(), events.kind.end(), "impact") - events.kind.begin());
  ASSERT_LT(hit, events.time.size());
  double t = 0;
  while (0.0015 - 0.01 * t > 0.001 * std::sin(6000 * t)) t += 1e-8;
  EXPECT_NEAR(events.time[hit], t, 2e-8);
}

// a force jumps back and forth, alone or around the place where a contact would close
TEST(RunsEnd, StepsWithoutProgressAreReported) {
  const Hard alone{"a force that turns", R"yaml(
coordinates: {y: {}}
kinetic_energy: y'^2/2
forces: {y: "if(y <= 0, 10, -10)"}
simulation: {end: 0.5, tolerance: 1e-8}
)yaml", "changes back and forth"};
  expect_end(alone, "hem5");
  const Hard floor{"a force that turns at the floor", R"yaml(
coordinates: {y: {}}
kinetic_energy: y'^2/2
forces: {y: "if(y <= 0, 10, -10)"}
contacts: {floor: {gap: y}}
simulation: {end: 0.5, tolerance: 1e-8}
)yaml", "contacts chatter"};
  EXPECT_NE(expect_end(floor, "hem5").outcome.message.find("'floor'"), std::string::npos);
}

constexpr Hard sign_friction{"friction by a sign", R"yaml(
coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
forces: {x: "-sign(x') + 0.5*sin(t)"}
simulation: {end: 10}
)yaml",
                             "sign(x')"};

// a force that drives the motion back from both sides of where it jumps: the accelerations there tell it, at the first
// crossing of schemes that end steps on branches and after some turns of the others
TEST(RunsEnd, FrictionWrittenAsASignIsNamedAtOnce) {
  for (const char* scheme : {"auto", "hem5", "phem56", "rkf45", "mexx", "bdf", "generalized-alpha", "moreau-midpoint",
                             "moreau-midpoint-ggl"}) {
    const RunReport report = expect_end(sign_friction, scheme);
    EXPECT_LT(report.outcome.steps, 1000) << scheme;
    EXPECT_NEAR(report.outcome.t, 1.4297, 1e-3) << scheme;
    EXPECT_NE(report.outcome.message.find("drives the motion back from both sides"), std::string::npos)
        << report.outcome.message;
    EXPECT_NE(report.outcome.message.find(".yaml:6:"), std::string::npos) << report.outcome.message;  // its line
    EXPECT_NE(report.outcome.message.find("a contact or a brake with friction"), std::string::npos);
  }
}

// the same sign, crossed every time: the spring is stronger, until the mass comes to rest
TEST(RunsEnd, ASignThatTheMotionPassesIsNoObstacle) {
  const Hard swing{"a swing with dry friction", R"yaml(
coordinates: {x: {start: 1}}
kinetic_energy: x'^2/2
forces: {x: "-4*x - 0.03*sign(x')"}
simulation: {end: 20}
)yaml",
                   "", -1, 1e-2};
  for (const char* scheme : {"auto", "mexx", "moreau-midpoint-ggl"}) {
    const RunReport report = expect_end(swing, scheme);
    // each half swing ends 2 * 0.03/4 nearer to the middle
    const double t = 20, half = std::acos(-1) / 2;
    const int swings = static_cast<int>(t / half);
    const double side = swings % 2 == 0 ? 1 : -1, centre = side * 0.03 / 4, amplitude = 1 - 0.015 * swings - 0.0075;
    EXPECT_NEAR(report.outcome.final.q[0], centre + side * amplitude * std::cos(2 * (t - swings * half)), 2e-4)
        << scheme;
  }
}

// `says` is a pattern here: a row or a coordinate that is to blame
constexpr Hard impossible[] = {
    {"a crank driven past the reach of its rod", R"yaml(
dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  rod: {mass: 1, inertia: 0.1, position: [0, 0.7]}
  slider: {mass: 1, inertia: 0.1, position: [0, 0.4]}
joints:
  m: {revolute: [ground, crank], at: [0, 0], angle: t}
  p: {revolute: [crank, rod], at: [0, 1]}
  q: {revolute: [rod, slider], at: [0, 0.4]}
  r: {prismatic: [ground, slider], at: [0, 0.4], axis: [0, 1]}
assemble: {keep: [crank.angle]}
simulation: {end: 2}
)yaml", R"('(p|q|rod|slider)\.)"},
    {"two drives of one pin", R"yaml(
dimension: 2
bodies: {a: {mass: 1, inertia: 1}}
joints:
  j: {revolute: [ground, a], at: [0, 0], angle: t^2}
  k: {revolute: [ground, a], at: [0, 0], angle: t^3}
simulation: {end: 1}
)yaml", R"('(j|k|a)\.angle')"},
    {"a drive against a stop", R"yaml(
dimension: 2
bodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}
joints: {j: {revolute: [ground, a], at: [0, 0], angle_limits: [-1, 1], angle: t}}
assemble: true
simulation: {end: 2}
)yaml", R"('(j\.angle|a\.))"}};

// bars that cannot stay together are no result, whatever scheme takes them apart
TEST(RunsEnd, ImpossibleMotionsFail) {
  for (const Hard& hard : impossible)
    for (const SchemeEntry& entry : all_schemes()) {
      SCOPED_TRACE(fmt::format("{} with {}", hard.name, entry.info.id));
      const RunReport report = run(hard, entry.info.id, "1e-2");
      EXPECT_EQ(report.outcome.status, Outcome::Status::failed);
      EXPECT_LE(report.outcome.t, 1.01);
      EXPECT_NE(report.outcome.message.find("at t = "), std::string::npos) << report.outcome.message;
      EXPECT_TRUE(std::regex_search(report.outcome.message, std::regex(hard.says))) << report.outcome.message;
    }
}

// with rows that depend on others the multipliers' corrections fall linearly, to a last one that repeats itself
TEST(RunsEnd, BdfConvergesToRoundingOnADrivenHookeJoint) {
  constexpr Hard joint{"a driven universal joint", R"yaml(
parameters: {b: 0.6, w: 3}
dimension: 3
bodies:
  inp: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-0.5, 0, 0], angular_velocity: [w, 0, 0]}
  out: {mass: 1, inertia: [0.2, 0.2, 0.2], position: [0.5*cos(b), 0.5*sin(b), 0]}
joints:
  dr: {revolute: [ground, inp], at: [-0.5, 0, 0], axis: [1, 0, 0], angle: w*t}
  ou: {revolute: [ground, out], at: [0.5*cos(b), 0.5*sin(b), 0], axis: [cos(b), sin(b), 0]}
  hk: {universal: [inp, out], at: [0, 0, 0], axis: [0, 0, 1], axis2: [-sin(b), cos(b), 0]}
assemble: {keep: [inp.wx, inp.orientation]}
simulation: {end: 0.3}
)yaml", "", 0, 1e-4};
  for (double step : {2e-3, 1e-3, 5e-4}) {
    const RunReport report = expect_end(joint, "bdf", fmt::format("{}", step));
    EXPECT_LT(report.summary.max_drift.position, 1e-13);
    // tan(in) = tan(out) cos(b) or tan(out) = tan(in) cos(b), by where the cross stands at the start
    const double angle = 0.9, c = std::cos(0.6), out = report.outcome.final.v.segment(9, 3).norm();
    const double first = 3 * c / (1 - std::pow(std::sin(0.6) * std::sin(angle), 2)), second = 3 * c / (1 - std::pow(std::sin(0.6) * std::cos(angle), 2));
    EXPECT_LT(std::min(std::abs(out - first), std::abs(out - second)), 20 * step * step) << step;
  }
}

// drives at different speeds, tied by a gear
TEST(RunsEnd, ContradictingDrivesAreNamed) {
  constexpr Hard drives{"drives that contradict each other", R"yaml(
dimension: 3
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 1, 0]}
joints:
  p: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], angle: t^2}
  q: {revolute: [ground, b], at: [0, 1, 0], axis: [0, 0, 1], angle: 1.5*t^2}
  g: {gear: [p, q], ratio: 1}
simulation: {end: 1}
)yaml", "'g'"};
  for (const SchemeEntry& entry : all_schemes())
    for (const char* step : {"", "1e-3"}) {
      if (entry.info.error_power == 0 && step[0] == '\0') continue;  // takes no tolerance
      const RunReport report = expect_end(drives, entry.info.id, step);
      EXPECT_TRUE(std::regex_search(report.outcome.message, std::regex(R"('(p|q)\.angle')"))) << report.outcome.message;
    }
}

// who asks for it gets the drift
TEST(RunsEnd, AMechanismMayComeApartWhereThatIsAskedFor) {
  const auto drift = [](const Hard& hard) {
    Overrides overrides;
    overrides.scheme = "hem5";
    overrides.step = "1e-2";
    overrides.options = {{"max_drift", "0"}};
    Model model = read_model("apart.yaml", std::string("escapement: 1\n") + hard.model, overrides);
    const RunReport report = run_model(model);
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << hard.name << ": " << report.outcome.message;
    return report.summary.max_drift.position;
  };
  EXPECT_GT(drift(impossible[0]), 0.1);
  // both drives are missed by the same angle, half of t^2 - t^3, whose largest value is 4/27
  EXPECT_NEAR(drift(impossible[1]), 2.0 / 27, 1e-4);
}

// velocities that a drive prescribes are velocities that the tolerance bounds
TEST(RunsEnd, AToleranceBoundsTheRatesOfDrives) {
  for (const char* scheme : {"generalized-alpha", "newmark", "hht", "hem5"})
    for (double tolerance : {1e-4, 1e-6}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.tolerance = fmt::format("{}", tolerance);
      Model model = read_model("driven.yaml", R"yaml(escapement: 1
dimension: 2
bodies: {a: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {m: {revolute: [ground, a], at: [0, 0], angle: 0.5 - 0.5*cos(2*t)}}
simulation: {end: 2}
)yaml", overrides);
      const RunReport report = run_model(model);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
      EXPECT_NEAR(report.outcome.final.v[2], std::sin(4), 20 * tolerance) << scheme;
    }
}

TEST(RunsEnd, BdfGoesOnAfterTheImpactsOfAJointedBody) {
  constexpr Hard stopped{"a pendulum with a stop", R"yaml(
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {m: {revolute: [ground, a], at: [0, 0], angle_limits: [-1, 1], restitution: 0.7}}
simulation: {end: 3, tolerance: 1e-6}
)yaml", "", 6, 0.01};
  const RunReport reference = expect_end(stopped, "hem5"), report = expect_end(stopped, "bdf");
  EXPECT_NEAR(report.outcome.final.q[2], reference.outcome.final.q[2], 1e-3);
}

// the floor and its friction act on the one way that the pin leaves
TEST(RunsEnd, APinnedRodComesToRestOnARoughFloor) {
  constexpr Hard rod{"a pinned rod on a rough floor", R"yaml(
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 1, inertia: 1/12, position: [0.5, 0]}}
joints: {p: {revolute: [ground, a], at: [0, 0]}}
contacts: {floor: {gap: a.y + 0.5*sin(a.angle) + 0.8, restitution: 0.2, friction: 0.3, slip: "a.x' - 0.5*sin(a.angle)*a.angle'"}}
simulation: {end: 1}
)yaml", ""};
  for (const SchemeEntry& entry : all_schemes()) {
    SCOPED_TRACE(entry.info.id);
    const RunReport report = run(rod, entry.info.id, "1e-3");
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
    EXPECT_NEAR(report.outcome.final.q[0], 0.3, 0.02);
    EXPECT_LT(report.outcome.final.v.norm(), 9.81e-3);  // what gravity makes of a step
  }
}

// the step before falls short of the impact by rounding: what is left of it is no step for velocities that are positions over h
TEST(RunsEnd, AnImpactOnTheGridOfStepsLeavesNoSpikeInTheVelocity) {
  constexpr Hard sleeve{"a sleeve between stops", R"yaml(
dimension: 3
bodies: {a: {mass: 2, inertia: [0.1, 0.1, 0.1], orientation: {axis: [1, 2, 3], angle: 1}, velocity: [2/3, 4/3, 4/3]}}
joints: {c: {cylindrical: [ground, a], at: [0, 0, 0], axis: [1, 2, 2], length_limits: [-1, 1.5], restitution: 0.5}}
simulation: {end: 1}
)yaml", "", 1, 1e-10};
  for (const char* scheme : {"generalized-alpha", "newmark", "hht", "bdf"}) {
    const RunReport report = expect_end(sleeve, scheme, "1e-3");
    EXPECT_LT(report.summary.max_drift.velocity, 1e-9) << scheme;
    EXPECT_NEAR(report.outcome.final.q.head(3).norm(), 1.25, 1e-10) << scheme;
  }
}

// a load that jumps where a step begins: the force at that instant is the one before, and what ends the phase lies behind it
TEST(RunsEnd, ALoadThatJumpsOnTheGridOfStepsOpensAContact) {
  for (const char* scheme : {"hem5", "rkf45", "rk4", "phem56"})
    for (const char* at : {"0.5", "0.37", "0.7"}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.step = "0.01";
      overrides.parameters = {{"at", at}};
      Model model = read_model("jump.yaml", R"yaml(escapement: 1
parameters: {at: 0.5}
coordinates: {y: {}}
kinetic_energy: y'^2/2
forces: {y: "-10 + if(t > at, 12, 0)"}
contacts: {floor: {gap: y}}
simulation: {end: 1}
)yaml", overrides);
      const RunReport report = run_model(model);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << at << report.outcome.message;
      const double left = 1 - std::stod(at);
      EXPECT_NEAR(report.outcome.final.q[0], left * left, 2 * left * 0.01) << scheme << at;  // a stage may see the jump in the step before
      EXPECT_LE(report.result.events.time.size(), 4u) << scheme << at;  // where time is rounded it may close once more
    }
}

// a joint that begins to slide while the velocities lie across the rows by the error of an index-3 scheme
TEST(RunsEnd, SlidingBeginsFromRest) {
  constexpr Hard arm{"a braked arm", R"yaml(
dimension: 3
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 0]}
joints:
  p: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  r: {revolute: [a, b], at: [1, 0, 0], axis: [0, 0.5, 1]}
forces:
  f1: {friction: p, size: 4, law: coulomb}
  f2: {friction: r, size: 1.5, law: coulomb}
simulation: {end: 1.2, tolerance: 1e-6}
)yaml", "", 0, 1e-4};
  const RunReport reference = expect_end(arm, "hem5");
  for (const char* scheme : {"generalized-alpha", "hht"}) {
    const RunReport report = expect_end(arm, scheme);
    EXPECT_LT(report.summary.max_drift.velocity, 1e-4) << scheme;
    EXPECT_LT((report.outcome.final.q - reference.outcome.final.q).norm(), 1e-4) << scheme;
  }
}

// fingers that balance each other through a gear hover at their limits: what the dense output makes of that must not hide that
// the arm meets its own limit. It ends there, at an angle of -1.2
TEST(RunsEnd, FingersOfAGripperHoverAtTheirLimits) {
  constexpr Hard gripper{"a gripper", R"yaml(
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.03, position: [0.3, 0]}
  f1: {mass: 0.1, inertia: 1e-4, position: [0.6, 0]}
  f2: {mass: 0.1, inertia: 1e-4, position: [0.6, 0]}
joints:
  w: {revolute: [ground, arm], at: [0, 0], angle_limits: [-1.2, 1.2]}
  g1: {prismatic: [arm, f1], at: [0.6, 0], axis: [0, 1], length_limits: [0, 0.04]}
  g2: {prismatic: [arm, f2], at: [0.6, 0], axis: [0, -1], length_limits: [0, 0.04]}
  m: {gear: [g1, g2], ratio: 1}
simulation: {end: 1}
)yaml", "", -1, 1e-3};
  for (const char* scheme : {"bdf", "generalized-alpha", "newmark", "hht", "structural-conditional", "rk4", "hem5"}) {
    const RunReport report = expect_end(gripper, scheme, "1e-3");
    EXPECT_NEAR(report.outcome.final.q[2], -1.2, 1e-12) << scheme;
    EXPECT_NEAR(report.summary.energy.final, -0.42 * 9.81 * std::sin(1.2), 1e-7) << scheme;
    // some hundred evaluations per step tell that nothing is to be located, not thousands; forces within the step are among them
    EXPECT_LT(report.summary.work, 2.5e5) << scheme;
  }
}

// without damping index 3 lets ripples across the joints grow, at the same rate with any step: the message tells that, whatever
// gives way first, and what it advises helps
TEST(RunsEnd, UndampedIndexThreeSaysWhatHelps) {
  const auto four_bars = [](const char* scheme, const char* step, std::vector<std::pair<std::string, std::string>> options, double end) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.step = step;
    overrides.end = fmt::format("{}", end);
    overrides.options = std::move(options);
    Model model = load_model(escapement::testing::source_folder() + "/examples/a02_four_bars.yaml", overrides);
    return run_model(model);
  };
  for (const char* step : {"0.01", "0.005"}) {
    const RunReport report = four_bars("newmark", step, {}, 10);
    const std::string& message = report.outcome.message;
    EXPECT_EQ(report.outcome.status, Outcome::Status::failed) << step;
    EXPECT_NE(message.find("across the constraints, by ripples"), std::string::npos) << message;
    EXPECT_NE(message.find("level: ggl"), std::string::npos) << message;
    EXPECT_NE(message.find("hht"), std::string::npos) << message;
  }
  // residuals of both steps at two instants one turn apart: in the ratio of h^2, and grown alike
  const auto residual = [&](const char* step, double end) {
    return four_bars("newmark", step, {}, end).summary.max_drift.velocity;
  };
  const double coarse = residual("0.01", 3.9), fine = residual("0.001", 3.9), before = residual("0.001", 0.5);
  EXPECT_NEAR(coarse / fine, 100, 10);
  EXPECT_GT(fine / before, 100);
  EXPECT_EQ(four_bars("newmark", "0.005", {{"level", "ggl"}}, 10).outcome.status, Outcome::Status::completed);
  EXPECT_EQ(four_bars("hht", "0.005", {}, 10).outcome.status, Outcome::Status::completed);
  EXPECT_EQ(four_bars("generalized-alpha", "0.005", {}, 10).outcome.status, Outcome::Status::completed);
}

constexpr const char* pinned_rod = R"yaml(escapement: 1
dimension: 2
gravity: [0, -9.81]
parameters: {height: 0.6, lift: 0.5, angle: lift - asin(height), mu: 0.1}
bodies: {rod: {mass: 1, inertia: 1/12, position: [cos(angle)/2, height + sin(angle)/2], angle: angle}}
joints:
  pin: {revolute: [ground, rod], at: [0, height]}
contacts: {tip: {gap: rod.y + sin(rod.angle)/2, slip: "rod.x' - sin(rod.angle)/2*rod.angle'", friction: mu}}
simulation: {end: 1}
)yaml";

// A rod on its pin falls with its tip to the floor and cannot move any more. Schemes that hold positions alone bring a velocity
// across the pin to the impact, and in the rest that follows the tip's friction is not determined: neither is to begin a slip
TEST(RunsEnd, APinnedRodRestsOnARoughFloor) {
  struct Floor {
    double height, mu;
  };
  for (const char* scheme : {"generalized-alpha", "hht", "newmark", "bdf", "structural-conditional", "hem5"})
    for (const Floor& floor : {Floor{0.6, 0.1}, Floor{0.1, 0.3}, Floor{0.9, 0.5}, Floor{0.5, 3}})
      for (const char* tolerance : {"1e-4", "1e-6", "1e-8", ""}) {
        SCOPED_TRACE(fmt::format("{} height {} mu {} {}", scheme, floor.height, floor.mu, tolerance));
        Overrides overrides;
        overrides.scheme = scheme;
        (*tolerance ? overrides.tolerance : overrides.step) = *tolerance ? tolerance : "5e-3";
        if (*tolerance && std::string_view(scheme) == "structural-conditional") continue;  // steps are fixed
        if (std::string_view(tolerance) == "1e-8" && (floor.height != 0.6 || std::string_view(scheme) != "generalized-alpha")) continue;  // long
        overrides.parameters = {{"height", fmt::format("{}", floor.height)}, {"mu", fmt::format("{}", floor.mu)}};
        Model model = read_model("rod.yaml", pinned_rod, overrides);
        const RunReport report = run_model(model);
        ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
        EXPECT_EQ(report.summary.impacts, 1);
        EXPECT_EQ(report.result.events.time.size(), 2u);  // it hits, and stays closed
        EXPECT_NEAR(report.outcome.final.q[2], -std::asin(floor.height), 1e-6);  // hem5 drifts within its tolerance
        EXPECT_LT(report.outcome.final.v.cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_NEAR(report.outcome.final.lambda[2], 9.81 / 2, 1e-4);  // of the tip: half the weight, without friction; rounding over h^2
      }
}

// a pin that begins to move drags the tip along: forces by hand from the rod's translation
TEST(RunsEnd, ATipHeldByThePinSlidesWhenThePinMoves) {
  for (const char* scheme : {"generalized-alpha", "hht", "hem5", "rkf45"})
    for (double way : {1.0, -1.0}) {
      SCOPED_TRACE(fmt::format("{} way {}", scheme, way));
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.tolerance = "1e-6";
      overrides.parameters = {{"way", fmt::format("{}", way)}};
      Model model = read_model("dragged.yaml", R"yaml(escapement: 1
parameters: {way: 1}
coordinates: {x: {start: sqrt(3)/4}, y: {start: 0.25}, a: {start: -pi/6}}
kinetic_energy: (x'^2 + y'^2)/2 + a'^2/24
potential_energy: 9.81*y
constraints: {px: "x - cos(a)/2 - way*max(0, t - 0.5)^3", py: y - 0.5 - sin(a)/2}
contacts: {tip: {gap: y + sin(a)/2, slip: "x' - sin(a)/2*a'", friction: 0.5}}
simulation: {end: 1}
)yaml", overrides);
      const RunReport report = run_model(model);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
      // with F_x = 3 way from the acceleration, moments about the pin: N (cos a - mu way sin|a|) = (g cos a + 3 way sin|a|)/2
      const double c = std::sqrt(0.75), normal = (9.81 * c + way * 3 * 0.5) / 2 / (c - way * 0.5 * 0.5);
      EXPECT_NEAR(report.outcome.final.lambda[2], normal, 1e-5);
      EXPECT_NEAR(report.outcome.final.v[0], 0.75 * way, 1e-4);
    }
}

// who contradicts whom: rows of contacts stand behind those of constraints
TEST(RunsEnd, AContradictionIsOfContactsOrOfConstraints) {
  const Model model = read_model("model.yaml", R"yaml(escapement: 1
coordinates: {x: {}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
constraints: {rail: y}
contacts: {wall: {gap: x}}
simulation: {end: 1}
)yaml");
  const auto said = [&](int row) {
    StepReport report;
    report.status = Status::contradicting_rows;
    report.worst[0] = {RowResidual::Kind::row, row, 0.1};
    return describe_failure(*model.system, find_scheme("moreau-midpoint-ggl")->info, report, model.start, 1e-3, "", "");
  };
  EXPECT_NE(said(0).find("the constraints contradict each other; largest residuals: constraint 'rail' 0.1"), std::string::npos) << said(0);
  EXPECT_NE(said(1).find("the contacts contradict each other; largest residuals: contact 'wall' 0.1"), std::string::npos) << said(1);
}

}  // namespace
}  // namespace escapement
