// Contact schemes on the example models: order, levels, friction, singular places, and what they do in hard cases.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "support/example_run.hpp"

namespace escapement::contact_runs_test {
namespace {

using testing::ExampleRun;
using testing::time_stepping_schemes;

const char* const both_level_schemes[] = {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"};

// the slope of log(error) over log(h)
double fitted_order(const std::vector<double>& h, const std::vector<double>& error) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(error[i]);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// samples of a column by time, the later of two at an impact
std::map<long, double> samples(const Result& result, const DataTable& table, const std::string& name) {
  std::map<long, double> values;
  const Column column = table[name];
  for (std::size_t i = 0; i < column.size(); ++i)
    if (const double k = result.time[i] / 0.002; std::abs(k - std::round(k)) < 1e-6) values[std::lround(k)] = column[i];
  return values;
}

double mean_difference(const std::map<long, double>& a, const std::map<long, double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (const auto& [k, value] : a) sum += std::abs(value - b.at(k));
  return sum / static_cast<double>(a.size());
}

struct RodOrders {
  std::map<std::string, double> order, finest;
  double position = 0, velocity = 0, penetration = 0;  // largest over all runs
};

// the hinged rod and wall: orders of the mean error over the samples, against the event-driven run at tolerance 1e-12
RodOrders measure_rod(const std::string& scheme, const std::string& restitution) {
  const ExampleRun::Pairs parameters{{"restitution", restitution}};
  const RunReport exact = ExampleRun{.model = "hinged_rod_wall", .scheme = "hem5", .tolerance = "1e-12", .parameters = parameters}();
  RodOrders measured;
  std::vector<double> steps;
  std::map<std::string, std::vector<double>> errors;
  for (int k = 0; k <= 5; ++k) {
    const double h = 0.002 / (1 << k);
    steps.push_back(h);
    const RunReport run = ExampleRun{.model = "hinged_rod_wall", .scheme = scheme, .step = fmt::format("{}", h), .parameters = parameters}();
    auto add = [&](const std::string& what, const std::string& name, DataTable Result::* columns) {
      errors[what].push_back(mean_difference(samples(exact.result, exact.result.*columns, name), samples(run.result, run.result.*columns, name)));
    };
    add("rod q", "th", &Result::q);
    add("rod v", "th", &Result::v);
    add("mass q", "x2", &Result::q);
    add("mass v", "x2", &Result::v);
    add("oscillator q", "x3", &Result::q);
    add("oscillator v", "x3", &Result::v);
    measured.position = std::max<double>(measured.position, run.summary.max_drift.position);
    measured.velocity = std::max<double>(measured.velocity, run.summary.max_drift.velocity);
    measured.penetration = std::max<double>(measured.penetration, run.summary.max_penetration);
  }
  for (const auto& [what, list] : errors) {
    measured.order[what] = fitted_order(steps, list);
    measured.finest[what] = list.back();
    if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS"))
      fmt::print("{} e = {}: {} order {:.3f}, error {:.2e} at h = {:.2e}\n", scheme, restitution, what, measured.order[what], list.back(), steps.back());
  }
  return measured;
}

TEST(HingedRod, PlasticImpactsLeaveTheOrderAtTwo) {
  for (const char* scheme : both_level_schemes) {
    const RodOrders measured = measure_rod(scheme, "0");
    for (const auto& [what, order] : measured.order) EXPECT_NEAR(order, 2, 0.1) << scheme << ' ' << what;
    EXPECT_LT(measured.position, 1e-14) << scheme;
    EXPECT_LT(measured.velocity, 1e-14) << scheme;
    EXPECT_LT(measured.penetration, 1e-14) << scheme;
  }
}

// the impact's time is wrong by O(h): what it is coupled to has order one, however good the scheme is between impacts
TEST(HingedRod, RestitutionLeavesOrderTwoOnlyWhereNothingIsCoupled) {
  for (const char* scheme : both_level_schemes) {
    const RodOrders measured = measure_rod(scheme, "0.8");
    for (const auto& [what, order] : measured.order) {
      if (what == "rod v") continue;  // it jumps: samples between the two times of an impact make its mean a matter of luck
      EXPECT_NEAR(order, what.rfind("oscillator", 0) == 0 ? 2 : 1, 0.15) << scheme << ' ' << what;
    }
    EXPECT_LT(measured.position, 1e-14) << scheme;
    EXPECT_LT(measured.velocity, 1e-14) << scheme;
    EXPECT_LT(measured.penetration, 1e-14) << scheme;
  }
}

// the work of a moving partner and of friction is accounted for: belt and cam
TEST(EnergyBalance, HoldsWithMovingPartners) {
  for (const char* model : {"stick_slip_belt", "cam_follower"}) {
    const RunReport run = ExampleRun{.model = model, .scheme = "auto", .tolerance = "1e-9"}();
    if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("{}: {:.2e}\n", model, run.summary.energy.max_error);
    EXPECT_LT(run.summary.energy.max_error, 1e-5) << model;
  }
}

// a driven ram throws a ball, and a pendulum on a shaking pivot hits its stops: the drives work at the impacts too
TEST(EnergyBalance, HoldsWhereDrivesTakePartInImpacts) {
  const char* ram = R"yaml(
escapement: 1
dimension: 2
bodies:
  ram: {mass: 1, inertia: 1, velocity: [1, 0]}
  ball: {mass: 2, inertia: 1, position: [0.5, 0]}
joints:
  motor: {prismatic: [ground, ram], at: [0, 0], axis: [1, 0], length: t + t^2/4}
contacts:
  hit: {gap: ball.x - ram.x - 0.2, restitution: 0.5}
simulation: {end: 1}
)yaml";
  const char* pivot = R"yaml(
escapement: 1
parameters: {m: 1, l: 0.5, g: 9.81, a: 0.02, W: 60}
coordinates: {theta: {start: 0.1}}
kinetic_energy: m/2*((l*theta'*cos(theta))^2 + (a*W*cos(W*t) + l*theta'*sin(theta))^2)
potential_energy: m*g*(a*sin(W*t) - l*cos(theta))
contacts: {right: {gap: 0.3 - theta, restitution: 0.5}, left: {gap: theta + 0.05, restitution: 0.8}}
simulation: {end: 1}
)yaml";
  for (const char* text : {ram, pivot})
    for (const char* scheme : {"hem5", "mexx", "rkf45", "bdf", "generalized-alpha"}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.tolerance = "1e-7";
      Model model = read_model("drive.yaml", text, overrides);
      const RunReport run = run_model(model);
      EXPECT_EQ(to_string(run.summary.status), "completed") << run.summary.message;
      EXPECT_GE(run.summary.impacts, 1) << scheme;
      EXPECT_LT(run.summary.energy.max_error, 1e-4) << scheme;
    }
}

// a cam that throws its follower adds energy, by its work and not by the impact law
TEST(EnergyBalance, WorkOfAMovingPartnerIsNoGainOfTheImpactLaw) {
  for (const char* scheme : {"hem5", "moreau-jean"}) {
    const RunReport run = ExampleRun{.model = "cam_follower", .scheme = scheme, .tolerance = "1e-6", .end = "0.3", .parameters = {{"omega", "120"}}}();
    EXPECT_GT(run.summary.impacts, 3) << scheme;
    EXPECT_EQ(run.summary.impacts_with_energy_gain, 0) << scheme;
  }
}

// a mass from a flat onto a parabola z = x^2 and back: x' sqrt(1 + 4 x^2) from the energy, the time by quadrature
TEST(Singularity, FlatThenParabola) {
  const double speed = 2, g = 9.81, top = speed / std::sqrt(2 * g);
  // with x = top sin(phi): dt = sqrt(1 + 4 top^2 sin^2 phi) dphi / sqrt(2 g)
  double up = 0;
  const int n = 2000;
  for (int i = 0; i <= 2 * n; ++i) {
    const double phi = std::acos(-1.0) / 2 * i / (2 * n), weight = i == 0 || i == 2 * n ? 1 : i % 2 ? 4 : 2;
    up += weight * std::sqrt(1 + 4 * top * top * std::pow(std::sin(phi), 2));
  }
  up *= std::acos(-1.0) / 2 / (2 * n) / 3 / std::sqrt(2 * g);
  const double back = 0.5 + 2 * up;  // at x = 0 again
  for (const char* remedy : {"moreau-jean", "lcp"})
    for (const char* scheme : {"hem5", "auto"}) {
      SCOPED_TRACE(std::string(remedy) + ' ' + scheme);
      const RunReport run = ExampleRun{.model = "flat_then_parabola", .scheme = scheme, .tolerance = "1e-11", .options = {{"singularity", remedy}}}();
      EXPECT_NEAR(run.outcome.final.q[0], -speed * (2 - back), 1e-8);
      EXPECT_NEAR(run.outcome.final.q[1], 0, 1e-9);
      EXPECT_NEAR(run.outcome.final.v[0], -speed, 1e-8);
      EXPECT_LT(run.summary.max_penetration, 1e-9);
    }
}

// back onto the flat, whose gap touches zero without closing: a dip of the dense output below it is no impact, wherever
// the steps fall
TEST(Singularity, SurfacesThatTouchDoNotClose) {
  for (const char* safety : {"0.7", "0.8", "0.85", "0.9"})
    for (const char* tolerance : {"1e-8", "1e-11", "3e-12"}) {
      SCOPED_TRACE(fmt::format("safety {} tolerance {}", safety, tolerance));
      const RunReport run = ExampleRun{.model = "flat_then_parabola", .scheme = "auto", .tolerance = tolerance, .options = {{"singularity", "lcp"}, {"safety", safety}}}();
      EXPECT_NEAR(run.outcome.final.v[0], -2, 1e-5);
      EXPECT_LT(run.summary.energy.max_error, 1e-5);
      EXPECT_LT(run.summary.max_penetration, 1e-12);
    }
}

// a disc over the edge of a table onto a slope: flat, an arc about the edge, flat again
TEST(Singularity, DiscOverAnEdge) {
  const double r = 0.1, g = 9.81, beta = 0.5, speed = 0.3, at_edge = 0.15 / speed, end = 0.9;
  // on the arc: (r th')^2 = speed^2 + 2 g r (1 - cos th)
  auto fast = [&](double th) { return std::sqrt(speed * speed + 2 * g * r * (1 - std::cos(th))); };
  double arc = 0;
  const int n = 2000;
  for (int i = 0; i <= 2 * n; ++i) arc += (i == 0 || i == 2 * n ? 1 : i % 2 ? 4 : 2) * r / fast(beta * i / (2 * n));
  arc *= beta / (2 * n) / 3;
  ASSERT_GT(std::cos(beta), (2 + speed * speed / (g * r)) / 3) << "the disc would fly off";
  const double left = end - at_edge - arc, along = fast(beta) * left + 0.5 * g * std::sin(beta) * left * left;
  ASSERT_GT(left, 0);
  for (const char* remedy : {"moreau-jean", "lcp"}) {
    SCOPED_TRACE(remedy);
    const RunReport run = ExampleRun{.model = "edges", .scheme = "hem5", .tolerance = "1e-11", .options = {{"singularity", remedy}}}();
    EXPECT_NEAR(run.outcome.final.q[0], r * std::sin(beta) + along * std::cos(beta), 1e-7);
    EXPECT_NEAR(run.outcome.final.q[1], r * std::cos(beta) - along * std::sin(beta), 1e-7);
    EXPECT_LT(run.summary.max_penetration, 1e-9);
  }
}

// hard numbers: every run completes or stops with a reason, and what it has is finite
TEST(Robustness, SliderCrankWithAnyClearanceRestitutionAndStep) {
  int completed = 0, stopped = 0;
  for (const char* clearance : {"1e-6", "1e-4", "1e-2", "1e-1"})
    for (const char* restitution : {"0", "0.5", "1"}) {
      // a slider so tilted that its corners are about to touch
      const ExampleRun::Pairs parameters{{"c", clearance}, {"restitution", restitution}, {"tilt", "0.9*asin(c/2/a)"}};
      auto check = [&](const std::string& scheme, const std::string& step, const std::string& tolerance) {
        const std::string end = step.empty() ? "0.02" : fmt::format("{}", std::min(0.05, 200 * std::stod(step)));
        SCOPED_TRACE(scheme + " step " + step + " tolerance " + tolerance + " c = " + clearance + " e = " + restitution);
        const RunReport run = ExampleRun{.model = "slider_crank_clearance", .scheme = scheme, .step = step, .tolerance = tolerance, .end = end, .parameters = parameters}.try_it();
        EXPECT_TRUE(run.outcome.final.q.allFinite() && run.outcome.final.v.allFinite() && run.outcome.final.lambda.allFinite());
        EXPECT_TRUE(std::isfinite(run.summary.energy.final));
        if (run.outcome.status == Outcome::Status::completed) {
          ++completed;
        } else {
          ++stopped;
          EXPECT_NE(run.outcome.message.find("'g"), std::string::npos) << run.outcome.message;  // names a contact
          if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("{} {}{} c = {} e = {}: {}\n", scheme, step, tolerance, clearance, restitution, run.outcome.message);
        }
      };
      for (const char* scheme : time_stepping_schemes)
        for (const char* step : {"1e-3", "1e-5", "1e-7"}) check(scheme, step, "");
      for (const char* scheme : {"auto", "hem5"})
        for (const char* tolerance : {"1e-4", "1e-7", "1e-10"}) check(scheme, "", tolerance);
    }
  EXPECT_EQ(completed + stopped, 12 * 24);
  EXPECT_LE(stopped, 6) << "most of these are ordinary runs";
}

// a contact that a joint holds in place beside one that works: no impulse for the former, all that is due for the latter
TEST(Robustness, AContactHeldFastByAJoint) {
  std::vector<std::string> schemes(std::begin(time_stepping_schemes), std::end(time_stepping_schemes));
  schemes.insert(schemes.end(), {"hem5", "auto"});
  for (const std::string& scheme : schemes) {
    SCOPED_TRACE(scheme);
    Overrides overrides;
    overrides.scheme = scheme;
    if (find_scheme(scheme)->info.time_stepping) overrides.step = "1e-4";
    Model model = read_model("held.yaml", R"yaml(
escapement: 1
name: a contact in a guide
parameters: {alpha: 0.3}
coordinates: {x: {}, y: {start: 0.1}}
kinetic_energy: (x'^2 + 0.4*x'*y' + 3*y'^2)/2
potential_energy: 9.81*3*y
constraints: {guide: x*cos(alpha) + x^3}
contacts:
  wall: {gap: x*cos(alpha) + x^3, restitution: 0.5}
  floor: {gap: y, restitution: 0.5}
simulation: {end: 0.25, tolerance: 1e-9}
)yaml", overrides);
    const RunReport run = run_model(model);
    EXPECT_EQ(to_string(run.summary.status), "completed") << run.summary.message;
    // falls 0.1 m, bounces at half the speed
    const double fall = std::sqrt(0.2 / 9.81), later = 0.25 - fall;
    EXPECT_NEAR(run.outcome.final.q[1], 0.5 * 9.81 * fall * later - 0.5 * 9.81 * later * later, scheme == "hem5" || scheme == "auto" ? 1e-8 : 1e-3);
    EXPECT_NEAR(run.outcome.final.q[0], 0, 1e-9);
  }
}

// `auto`: which scheme and why, as events and in the summary
TEST(Automatic, SaysWhichSchemeAndWhy) {
  struct Row {
    const char *model, *first, *then;
  };
  for (const Row& row : {Row{"pendulum", "hem5", ""}, Row{"bouncing_ball", "hem5", ""}, Row{"woodpecker", "hem5", ""}}) {
    const RunReport run = ExampleRun{.model = row.model, .scheme = "auto"}();
    const EventColumns& events = run.result.events;
    std::vector<std::string> choices;
    for (std::size_t i = 0; i < events.kind.size(); ++i)
      if (events.kind[i] == "scheme") choices.push_back(events.note[i]);
    ASSERT_FALSE(choices.empty()) << row.model;
    EXPECT_EQ(choices[0].rfind(std::string(row.first) + ": ", 0), 0u) << choices[0];
    EXPECT_NE(run.summary.scheme_choice, "");
    if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS"))
      for (const std::string& choice : choices) fmt::print("{}: {}\n", row.model, choice);
  }
}

std::vector<std::string> choices_of(const std::string& text) {
  Overrides overrides;
  overrides.scheme = "auto";
  Model model = read_model("model.yaml", text, overrides);
  const RunReport run = run_model(model);
  EXPECT_EQ(to_string(run.summary.status), "completed") << run.summary.message;
  std::vector<std::string> choices;
  const EventColumns& events = run.result.events;
  for (std::size_t i = 0; i < events.kind.size(); ++i)
    if (events.kind[i] == "scheme") choices.push_back(events.note[i]);
  return choices;
}

TEST(Automatic, TurnsToAnImplicitSchemeWhereTheMotionIsStiff) {
  for (const char* tolerance : {"1e-3", "1e-6"}) {
    const std::vector<std::string> choices = choices_of(fmt::format(R"(
escapement: 1
name: a slow and a fast direction
coordinates: {{x: {{start: 1}}, y: {{start: 0}}}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: x^2/2 + 1e8/2*(y - 1e-3*x)^2
forces: {{y: -2e4*y'}}
simulation: {{end: 3, tolerance: {}}}
)", tolerance));
    ASSERT_EQ(choices.size(), 2u) << tolerance;
    EXPECT_EQ(choices[0].rfind("hem5: ", 0), 0u);
    EXPECT_EQ(choices[1].rfind("radau: the motion is stiff", 0), 0u) << choices[1];
  }
}

// friction smoothed to a millimetre per second: what creeps on where it would stick is a hundredth of the way
TEST(Automatic, FollowsSteepFrictionAtALooseTolerance) {
  const auto end = [](const char* tolerance) {
    Model model = read_model("model.yaml", fmt::format(R"yaml(
escapement: 1
name: steep friction
coordinates: {{x: {{}}}}
kinetic_energy: x'^2/2
forces: {{x: "-5*tanh(x'/1e-3) + 5.2*sin(t) + 20*exp(-((t - 15.5)/0.01)^2)"}}
simulation: {{end: 20, tolerance: {}}}
)yaml", tolerance));
    return run_model(model).outcome.final.q[0];
  };
  EXPECT_NEAR(end("1e-4"), end("1e-9"), 20 * 1e-4);
}

TEST(Automatic, StepsThroughManyClosedContacts) {
  std::string coordinates, energy = "0", potential = "0", contacts;
  for (int i = 0; i < 20; ++i) {
    coordinates += fmt::format("  y{}: {{start: 0}}\n", i);
    energy += fmt::format(" + y{}'^2/2", i);
    potential += fmt::format(" + 9.81*y{}", i);
    contacts += fmt::format("  c{}: {{gap: y{}}}\n", i, i);
  }
  const std::vector<std::string> choices = choices_of("escapement: 1\nname: twenty balls on the floor\ncoordinates:\n" + coordinates + "kinetic_energy: " + energy +
                                                      "\npotential_energy: " + potential + "\ncontacts:\n" + contacts + "simulation: {end: 0.1}\n");
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[1], "moreau-midpoint-ggl: 20 contacts are closed");
}

// five discs fall between walls three of them apart: one is wedged in by others, in an impact that no solver meets, and a
// time-stepping scheme takes over until they have come past; each is an event
TEST(Automatic, GoesOverToTimeSteppingAndBack) {
  const double x[] = {-0.026, 0, 0.026, -0.013, 0.013};
  std::string bodies, contacts;
  for (int i = 0; i < 5; ++i) {
    bodies += fmt::format("  b{}: {{mass: 1, inertia: 0.005, position: [{}, {}]}}\n", i, x[i], 0.1 + 0.25 * i);
    contacts += fmt::format("  f{0}: {{gap: b{0}.y - 0.1}}\n  l{0}: {{gap: b{0}.x + 0.2}}\n  r{0}: {{gap: 0.2 - b{0}.x}}\n", i);
    for (int j = 0; j < i; ++j)
      contacts += fmt::format("  c{0}_{1}: {{gap: sqrt((b{0}.x - b{1}.x)^2 + (b{0}.y - b{1}.y)^2) - 0.2}}\n", j, i);
  }
  const std::vector<std::string> choices =
      choices_of("escapement: 1\nname: pile\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n" + bodies + "contacts:\n" + contacts +
                 "simulation: {end: 3}\n");
  ASSERT_GE(choices.size(), 3u);
  EXPECT_EQ(choices[1], "moreau-midpoint-ggl: an event that no contact problem solves");
  EXPECT_EQ(choices[2], "hem5: 20 steps without a new impact");
}

// The gap is 0.5 + 100 (t - 1/2) t^2 (1 - t)^2, which is 0.5 and at rest at both ends of the only step and 0.5 in its
// middle: it dips below zero in between, on either side
TEST(ContactRuns, ADipWithinAStepIsFound) {
  const auto gap = [](double t) { return 0.5 + 100 * (t - 0.5) * t * t * (1 - t) * (1 - t); };
  double low = 0, high = 0.276;
  for (int i = 0; i < 60; ++i) (gap(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  for (const char* scheme : {"rkf45", "hem5", "phem56"})
    for (const int side : {1, -1}) {
      Overrides overrides;
      overrides.scheme = scheme;
      overrides.step = "1";
      Model model = read_model("dip.yaml", fmt::format(R"yaml(escapement: 1
coordinates: {{x: {{start: 0.5}}}}
kinetic_energy: x'^2/2
forces: {{x: {}*(20*t^3 - 30*t^2 + 12*t - 1)}}
contacts: {{floor: {{gap: x}}}}
simulation: {{end: 1}}
)yaml", 100 * side), overrides);
      const EventColumns events = run_model(model).result.events;
      ASSERT_FALSE(events.time.empty()) << scheme << ' ' << side;
      EXPECT_EQ(events.kind[0], "impact");
      if (side > 0) EXPECT_NEAR(events.time[0], low, 1e-4) << scheme;
    }
}

}  // namespace
}  // namespace escapement
