// First-order states in formula systems and mechanisms, under every scheme; and compliant contacts.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>

#include "io/model_file.hpp"
#include "io/run.hpp"
#include "support/derivative_check.hpp"

namespace escapement::states_test {
namespace {

using std::numbers::pi;

Model read(const std::string& text, const Overrides& overrides = {}) {
  return read_model("m.yaml", "escapement: 1\n" + text, overrides);
}

RunReport run(const std::string& text, const Overrides& overrides = {}, Observer* observer = nullptr) {
  Model model = read(text, overrides);
  RunHooks hooks;
  if (observer) hooks.observers.push_back(observer);
  RunReport report = run_model(model, hooks);
  EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
  return report;
}

// an oscillator that feeds a state and is pulled by it
const std::string formula = R"(coordinates: {x: {start: 1}}
kinetic_energy: x'^2/2
potential_energy: 2*x^2
forces: {x: -0.3*x' + 3*u + w}
states:
  u: {start: 0.5, rate: -2*u + x + 0.2*x'}
  w: {rate: u - w}
simulation: {end: 2}
)";
const std::string mechanism = R"(dimension: 2
bodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}
joints: {guide: {prismatic: [ground, a], at: [0, 0], axis: [1, 0]}}
states:
  u: {start: 0.5, rate: -2*u + a.x + 0.2*a.x'}
  w: {rate: u - w}
forces:
  pull: {force: a, value: [-4*a.x - 0.3*a.x' + 3*u + w, 0]}
simulation: {end: 2}
)";

// x, x', u, w at a time
Eigen::Vector4d exact(double t) {
  Eigen::Matrix4d A;
  A << 0, 1, 0, 0, -4, -0.3, 3, 1, 1, 0.2, -2, 0, 0, 0, 1, -1;
  return Eigen::Matrix4d((A * t).exp()) * Eigen::Vector4d(1, 0, 0.5, 0);
}

Eigen::Vector4d end_of(const State& s) { return {s.q[0], s.v[0], s.z[0], s.z[1]}; }

TEST(States, EverySchemeIntegratesThem) {
  for (const SchemeEntry& entry : all_schemes()) {
    if (entry.info.id == "auto") continue;
    for (const std::string* text : {&formula, &mechanism}) {
      const auto error = [&](const char* step) {
        Overrides overrides;
        overrides.scheme = entry.info.id;
        overrides.step = step;
        return (end_of(run(*text, overrides).outcome.final) - exact(2)).norm();
      };
      const double coarse = error("0.02"), fine = error("0.01");
      // schemes of time-stepping take them with order 1 or 2
      EXPECT_LT(fine, 2e-2) << entry.info.id;
      if (fine > 1e-11) {
        EXPECT_GT(std::log2(coarse / fine), 0.9) << entry.info.id << " " << coarse << " " << fine;
      }
    }
  }
}

TEST(States, DerivativesAgreeWithDifferences) {
  const std::string rough = R"(dimension: 3
bodies: {a: {mass: 1, inertia: [1, 2, 3]}, b: {mass: 2, inertia: [2, 3, 4], position: [1, 0.2, 0.1]}}
joints: {pin: {revolute: [a, b], at: [0.5, 0, 0], axis: [0, 0, 1]}}
states:
  u: {start: 0.5, rate: "sin(u*w) - a.x*b.y' + pin.angle"}
  w: {start: 0.2, rate: u' - w^2*a.wx}
forces:
  f: {force: a, at: [0.1, 0, 0], value: [u*a.z, w^2*b.x', u*w], frame: body}
  g: {torque: [a, b], value: [u, 0, w]}
contacts:
  c: {gap: "b.z - 0.2*a.x^2 - 1", slip: b.x' - b.z*a.y', stiffness: 50, damping: 0.3, law: hunt_crossley, friction_law: lugre, mu_k: 0.3, mu_s: 0.5, v_s: 0.1, sigma0: 30, sigma1: 0.1, sigma2: 0.05}
simulation: {end: 1}
)";
  EXPECT_THROW(read(rough), ModelError);  // the rate of one in that of another
  std::string text = rough;
  text.replace(text.find("u' - w^2"), 8, "u - w^2");
  const std::string changed = text;
  for (const std::string* one : {&changed, &mechanism, &formula}) {
    const Model model = read(*one);
    for (int sample = 0; sample < 4; ++sample) {
      State s = testing::random_state(*model.system, model.start, 0.3, 1);
      s.z += 0.1 * Vec::Random(s.z.size());
      testing::DerivativeCheck(*model.system, s).run();
    }
  }
}

// Nothing feels this state, so that positions and velocities say nothing of the steps it needs. What each step may add, a
// tolerance in the rms over three numbers, times 1 + |u|, grows by u'(end)/u'(start) at most
TEST(States, TheToleranceSeesThem) {
  for (const char* scheme :
       {"hem5", "rkf45", "phem56", "mexx", "bdf", "generalized-alpha", "moreau-jean", "moreau-midpoint",
        "moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"}) {
    double last = 1;
    for (const char* tolerance : {"1e-4", "1e-6", "1e-8"}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.tolerance = tolerance;
      const RunReport report = run(R"(coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
states: {u: {start: 0.01, rate: 10*u*(1 - u)}}
simulation: {end: 0.5}
)", overrides);
      const double end = 1 / (1 + 99 * std::exp(-5)), growth = end * (1 - end) / (0.01 * 0.99);
      const double error = std::abs(report.outcome.final.z[0] - end);
      const double steps = static_cast<double>(report.summary.steps);
      EXPECT_LT(error, steps * std::stod(tolerance) * std::sqrt(3.0) * (1 + end) * growth) << scheme;
      EXPECT_LT(error, last) << scheme;
      last = error;
    }
  }
}

// samples that fall between the ends of steps
class Path : public Observer {
 public:
  void sample(const State& s) override { error = std::max(error, std::abs(s.z[0] - std::sin(5 * s.t))); }
  double error = 0;
};

// by straight lines they would be off by h^2/8 times 25, 0.03
TEST(States, SamplesBetweenStepsLieOnTheirPath) {
  for (const char* scheme : {"hem5", "phem56", "rkf45", "rk4", "mexx"}) {
    Overrides overrides;
    overrides.scheme = scheme;
    Path path;
    run(R"(coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
states: {u: {rate: 5*cos(5*t)}}
simulation: {end: 2, step: 0.1, save_every: 0.01}
)", overrides, &path);
    EXPECT_LT(path.error, 625e-4 / 384 + 2e-5) << scheme;  // of a cubic, and of the steps
  }
}

TEST(States, OutputsReadThem) {
  const Model model =
      read(formula.substr(0, formula.find("simulation")) + "outputs: {a: u + 1, b: u', c: w}\nsimulation: {end: 1}\n");
  StateFunction outputs = model.outputs;
  double value[3];
  outputs.evaluate(model.start, value);
  EXPECT_EQ(value[0], 1.5);
  EXPECT_EQ(value[1], 0);  // -2*0.5 + 1
  EXPECT_EQ(value[2], 0);
}

TEST(States, TellMistakes) {
  const auto expect = [](const std::string& text, const std::string& part) {
    try {
      read(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\n expected: " << part;
    }
  };
  const std::string start = "coordinates: {x: {}}\nkinetic_energy: x'^2/2\n", end = "simulation: {end: 1}\n";
  expect(start + "states: {u: {start: 1}}\n" + end, "the key 'rate' is missing");
  expect(start + "states: {x: {rate: 1}}\n" + end, "has the name of a coordinate");
  expect(start + "parameters: {p: u}\nstates: {u: {rate: 1}}\n" + end, "it is a state and varies");
  expect(start + "states: {u: {rate: 1}}\nconstraints: {c: x - u}\n" + end, "no states");
  expect("coordinates: {x: {}}\nkinetic_energy: u*x'^2/2\nstates: {u: {rate: 1}}\n" + end, "no states");
  const std::string contact = start + "contacts: {c: {gap: x, slip: x', ";
  expect(contact + "damping: 1}}\n" + end, "belongs to a compliant contact");
  expect(contact + "friction_law: lugre}}\n" + end, "belongs to a compliant contact");
  expect(contact + "stiffness: 1, restitution: 0.5}}\n" + end, "has no restitution");
  expect(contact + "stiffness: 1, exponent: 2}}\n" + end, "take 'law: hertz'");
  expect(contact + "stiffness: 1, friction: 0.3, friction_law: coulomb}}\n" + end, "not available in this version");
  expect(contact + "stiffness: 1, mu_k: 0.3, friction_law: lugre}}\n" + end, "the key 'sigma0' is missing");
  expect(contact + "stiffness: 1, friction: 0.3, sigma1: 1}}\n" + end, "belongs to 'friction_law: lugre'");
  expect(contact + "stiffness: 1, friction_law: stribeck}}\n" + end, "has no size");
  expect(start + "contacts: {c: {gap: x, stiffness: 1, friction: 0.3}}\n" + end, "add its tangential velocity");
}

// compliant contacts

// the deepest point and the speed after the impact of a mass that falls onto a compliant floor
struct Impact {
  double deepest, speed;
};

class Deepest : public Observer {
 public:
  void step(const StepRecord& record) override {
    if (record.accepted) value = std::min(value, record.after.q[0]);
  }
  double value = 0;
};

Impact impact(const std::string& contact, bool as_mechanism, const std::string& scheme) {
  Overrides overrides;
  overrides.scheme = scheme;
  overrides.tolerance = "1e-8";
  Deepest deepest;
  const std::string text =
      as_mechanism ? "dimension: 2\nbodies: {a: {mass: 2, inertia: 1, position: [0.1, 0], velocity: [-3, "
                     "0]}}\ncontacts: {c: {gap: a.x, " +
                         contact + "}}\nsimulation: {end: 0.2}\n"
                   : "coordinates: {x: {start: 0.1, rate: -3}}\nkinetic_energy: x'^2\ncontacts: {c: {gap: x, " +
                         contact + "}}\nsimulation: {end: 0.2}\n";
  const RunReport report = run(text, overrides, &deepest);
  EXPECT_EQ(report.summary.verdict(), "sound") << scheme << to_text(report.summary);
  return {-deepest.value, report.outcome.final.v[0]};
}

TEST(CompliantContact, ImpactsEndAsTheyShould) {
  const double m = 2, v = 3, k = 1e5;
  for (bool as_mechanism : {false, true})
    for (const char* scheme : {"hem5", "bdf", "generalized-alpha"}) {
      const double close = scheme == std::string("generalized-alpha") ? 1e-3 : 1e-4;
      const Impact linear = impact("stiffness: 1e5", as_mechanism, scheme);
      EXPECT_NEAR(linear.deepest, v * std::sqrt(m / k), 1e-2 * v * std::sqrt(m / k)) << scheme;
      EXPECT_NEAR(linear.speed, v, close * v) << scheme;
      const Impact hertz = impact("stiffness: 1e7, law: hertz", as_mechanism, scheme);
      const double depth = std::pow(1.25 * m * v * v / 1e7, 0.4);
      EXPECT_NEAR(hertz.deepest, depth, 1e-2 * depth) << scheme;
      EXPECT_NEAR(hertz.speed, v, close * v) << scheme;
      // v dv/(1 + d v) integrates alike into the contact and out of it
      const double d = 0.2;
      const Impact damped = impact("stiffness: 1e7, law: hunt_crossley, damping: 0.2", as_mechanism, scheme);
      const auto into = [&](double u) { return u / d - std::log(1 + d * u) / (d * d); };
      const auto out = [&](double u) { return -u / d - std::log(1 - d * u) / (d * d); };
      EXPECT_NEAR(out(damped.speed), into(v), 10 * close * into(v)) << scheme;
    }
}

// what the force of a contact adds up to is what changes the momentum
TEST(CompliantContact, RatesReadItsForce) {
  const std::string contact =
      "law: hunt_crossley, stiffness: 1e5, damping: 0.1}\nstates: {impulse: {rate: floor.force}}\n"
      "simulation: {end: 1, tolerance: 1e-8, scheme: hem5}\n";
  for (const std::string& text :
       {"coordinates: {y: {start: 0.3}}\nkinetic_energy: 2*y'^2/2\npotential_energy: 2*9.81*y\ncontacts:\n  floor: {gap: y, " +
            contact,
        "dimension: 2\ngravity: [0, -9.81]\nbodies: {a: {mass: 2, inertia: 1, position: [0, 0.3]}}\ncontacts:\n  floor: "
        "{gap: a.y, " +
            contact}) {
    const State end = run(text).outcome.final;
    EXPECT_GT(end.z[0], 5);  // it has struck
    EXPECT_NEAR(end.z[0], 2 * (end.v[end.v.size() == 1 ? 0 : 1] + 9.81), 1e-5);
  }
}

TEST(CompliantContact, RegularisedAndStribeckFriction) {
  const auto speed = [](const std::string& law) {
    Overrides overrides;
    overrides.scheme = "bdf";
    overrides.tolerance = "1e-7";
    return run("coordinates: {x: {rate: 5}, y: {start: -1e-4}}\nkinetic_energy: (x'^2 + y'^2)/2\nforces: {y: -10 - "
               "100*y'}\n"
               "contacts: {c: {gap: y, slip: x', stiffness: 1e5, " +
                   law + "}}\nsimulation: {end: 1}\n",
               overrides)
        .outcome.final.v[0];
  };
  EXPECT_NEAR(speed("friction: 0.3"), 2, 1e-3);
  EXPECT_NEAR(speed("friction_law: stribeck, mu_k: 0.3, mu_s: 0.5, v_s: 0.01"), 2, 1e-3);
  EXPECT_NEAR(speed("friction_law: stribeck, mu_k: 0.3, sigma2: 0.05"), 11 * std::exp(-0.5) - 6, 1e-3);  // v' = -3 - v/2
}

// dragged along at a constant speed V the bristles bend to mu (1 - exp(-sigma0 V t/mu)), and the drive carries N times that
TEST(CompliantContact, LuGreBristlesBendAsTheyShould) {
  for (const char* scheme : {"hem5", "bdf", "generalized-alpha"}) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.tolerance = "1e-8";
    const double V = 0.02, mu = 0.3, sigma0 = 1e3, N = 2 * 9.81;
    const RunReport report = run(R"(coordinates: {x: {rate: 0.02}, y: {start: -2*9.81/1e5}}
kinetic_energy: x'^2 + y'^2
potential_energy: 2*9.81*y
constraints: {drive: x - 0.02*t}
contacts: {floor: {gap: y, slip: x', stiffness: 1e5, friction_law: lugre, sigma0: 1e3, mu_k: 0.3, mu_s: 0.3, v_s: 1e-3}}
outputs: {friction: floor.friction}
simulation: {end: 0.05, save_every: 0}
)", overrides);
    const double close = scheme == std::string("hem5") ? 1e-6 : 1e-4;
    const DataTable& z = report.result.states;
    ASSERT_EQ(z.names(), std::vector<std::string>{"floor.bristles"});
    for (std::size_t i = 0; i < z.rows(); ++i) {
      const double t = report.result.time[i], bent = mu * (1 - std::exp(-sigma0 * V * t / mu));
      EXPECT_NEAR(z(i, 0), bent, close) << scheme << " at " << t;
      EXPECT_NEAR(std::abs(report.result.outputs(i, 0)), N * bent, N * close) << scheme << " at " << t;
    }
  }
}

// a small force bends the bristles and moves the mass by F/(sigma0 N), as a spring would; no steady creep follows
TEST(CompliantContact, LuGreSticks) {
  Overrides overrides;
  overrides.scheme = "bdf";
  overrides.tolerance = "1e-7";
  const RunReport report = run(R"(coordinates: {x: {}, y: {start: -2*9.81/1e5}}
kinetic_energy: x'^2 + y'^2
potential_energy: 2*9.81*y
forces: {x: 1 - 400*x'}
contacts: {floor: {gap: y, slip: x', stiffness: 1e5, friction_law: lugre, sigma0: 100, mu_k: 0.3, mu_s: 0.3, v_s: 1e-3}}
simulation: {end: 3}
)", overrides);
  // at rest u N = F; the way there is known from u' = sigma0 (s - |s| u/mu): x = -mu/sigma0 log(1 - u/mu)
  const double u = 1 / (2 * 9.81);
  EXPECT_NEAR(report.outcome.final.z[0], u, 1e-4);
  EXPECT_NEAR(report.outcome.final.q[0], -0.3 / 100 * std::log(1 - u / 0.3), 1e-5);
}

}  // namespace
}  // namespace escapement
