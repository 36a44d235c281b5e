// The slider-crank with clearance of [004] against the event-driven reference in quad precision, with every contact scheme.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/run.hpp"
#include "support/source_folder.hpp"

namespace escapement {
namespace {

using nlohmann::json;

const json& reference() {
  static const json data = [] {
    std::ifstream in(escapement::testing::source_folder() + "/tests/data/004_slider_crank_clearance.json");
    return json::parse(in);
  }();
  return data;
}

double number(const json& text) { return std::stod(text.get<std::string>()); }

struct StepWatcher : Observer {
  const System& system;
  Terms terms;
  double largest_rise = 0, energy = 0;
  int most_iterations = 0;
  long steps = 0, iterations = 0, contact_steps = 0, contact_iterations = 0;
  explicit StepWatcher(const System& s) : system(s) { s.prepare(terms); }
  double total(const State& s) {
    const Energy e = system.energy(s, terms);
    return e.kinetic + e.potential;
  }
  void begin(const State& s) override { energy = total(s); }
  void step(const StepRecord& r) override {
    if (!r.accepted) return;
    const double now = total(r.after);
    largest_rise = std::max(largest_rise, now - energy);
    energy = now;
    const int n = r.report.newton_iterations;
    most_iterations = std::max(most_iterations, n);
    ++steps;
    iterations += n;
    if (r.after.lambda.maxCoeff() <= 0) return;
    ++contact_steps;
    contact_iterations += n;
  }
};

// Both levels as the schemes promise them: gaps, and |min(impulse/m_j, law row)| over the contacts a step holds, with the law
// row G(q1) v1 + e G(q) v and the effective mass m_j = 1/(G M^-1 G^T)_jj at the step's start
struct LevelWatcher : Observer {
  const System& system;
  double restitution;
  Terms before, after;
  double lowest_gap = 0, law = 0;
  long held = 0;
  LevelWatcher(const System& s, double e) : system(s), restitution(e) {
    s.prepare(before);
    s.prepare(after);
  }
  void step(const StepRecord& r) override {
    if (!r.accepted) return;
    system.evaluate(r.before, Need::mass | Need::gap | Need::jacobian, before);
    system.evaluate(r.after, Need::gap | Need::jacobian, after);
    for (int j = 0; j < system.dim().unilateral; ++j) {
      lowest_gap = std::min(lowest_gap, after.g[j]);
      const double impulse = r.h * r.after.lambda[j];
      // contacts of a step's set end with an impulse or at gap 0 give or take rounding; a gap above that may belong to a
      // contact outside the set, which is free to approach
      if (impulse == 0 && after.g[j] > 0) continue;
      ++held;
      const double row = after.G.row_dot(j, r.after.v) + restitution * before.G.row_dot(j, r.before.v);
      if (impulse > 0) {
        const Vec G = before.G.dense().row(j).transpose();
        law = std::max(law, std::abs(std::min(impulse * G.dot(before.M.dense().ldlt().solve(G)), row)));
      } else {
        law = std::max(law, std::abs(std::min(impulse, row)));
      }
    }
  }
};

struct Case {
  std::string scheme, step, tolerance, restitution = "0.1", tilt = "0", end = "0.1";
  std::vector<std::pair<std::string, std::string>> options{};
};

struct Ran {
  RunReport report;
  double largest_rise = 0;
  int most_iterations = 0;
  double mean_iterations = 0, mean_contact_iterations = 0;
  double lowest_gap = 0, law = 0;  // where asked for
  long held = 0;
  double energy() const { return report.summary.energy.final; }
  double penetration() const { return report.summary.max_penetration; }
};

Ran run(const Case& c, bool watch_levels = false) {
  Overrides overrides;
  overrides.scheme = c.scheme;
  if (!c.step.empty()) overrides.step = c.step;
  if (!c.tolerance.empty()) overrides.tolerance = c.tolerance;
  overrides.end = c.end;
  overrides.parameters = {{"restitution", c.restitution}, {"tilt", c.tilt}};
  overrides.options = c.options;
  Model model = load_model(escapement::testing::source_folder() + "/examples/slider_crank_clearance.yaml", overrides);
  StepWatcher watcher(*model.system);
  RunHooks hooks;
  hooks.observers.push_back(&watcher);
  LevelWatcher levels(*model.system, std::stod(c.restitution));
  if (watch_levels) hooks.observers.push_back(&levels);
  Ran ran{.report = run_model(model, hooks)};
  ran.largest_rise = watcher.largest_rise;
  ran.most_iterations = watcher.most_iterations;
  ran.mean_iterations = static_cast<double>(watcher.iterations) / static_cast<double>(watcher.steps);
  ran.mean_contact_iterations = static_cast<double>(watcher.contact_iterations) / static_cast<double>(std::max(1L, watcher.contact_steps));
  ran.lowest_gap = levels.lowest_gap;
  ran.law = levels.law;
  ran.held = levels.held;
  EXPECT_EQ(to_string(ran.report.summary.status), "completed") << ran.report.summary.message;
  return ran;
}

class Clearance : public ::testing::TestWithParam<const char*> {};

TEST_P(Clearance, EventDrivenReproducesEveryImpact) {
  const json& expected = reference()["cases"][GetParam()];
  const Ran ran = run({.scheme = "hem5", .step = "", .tolerance = "1e-12", .restitution = GetParam()});
  const EventColumns& events = ran.report.result.events;
  std::size_t next = 0;
  int compared = 0;
  for (const json& e : expected["events"]) {
    if (e["type"] != "impact" || number(e["gdot_minus"][0]) > -1e-4) continue;
    const std::string contacts = e["contacts"];
    for (char contact : contacts) {
      // the next recorded impact of any contact with that approach speed
      while (next < events.time.size() && !(events.kind[next] == "impact" && events.velocity_before[next] < -1e-4)) ++next;
      ASSERT_LT(next, events.time.size());
      EXPECT_NEAR(events.time[next], number(e["t"]), 1e-9);
      EXPECT_EQ(events.contact[next], std::string("g") + contact);
      EXPECT_NEAR(events.velocity_before[next], number(e["gdot_minus"][0]), 1e-6);
      ++next;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
  EXPECT_NEAR(ran.energy(), number(expected["state_at_0_1"]["E"]), 1e-10);
  EXPECT_LT(ran.penetration(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Restitution, Clearance, ::testing::Values("0.1", "0.4", "0.7", "0.95"),
                         [](const auto& test) { return "e" + std::string(test.param).substr(2); });

// no penetration and the impact law at rounding, at any restitution, symmetric and tilted, with few Newton iterations
void expect_both_levels(const char* step) {
  for (const char* scheme : {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"})
    for (const char* e : {"0.1", "0.4", "0.7", "0.95"})
      for (const char* tilt : {"0", "2e-3"}) {
        SCOPED_TRACE(std::string(scheme) + " e=" + e + " tilt=" + tilt + " h=" + step);
        const Ran ran = run({.scheme = scheme, .step = step, .tolerance = "", .restitution = e, .tilt = tilt}, true);
        EXPECT_GT(ran.lowest_gap, -1e-12);
        EXPECT_GT(ran.held, 0);
        EXPECT_LT(ran.law, 1e-10);
        EXPECT_LE(ran.most_iterations, tilt[0] == '0' ? 6 : 12);
      }
}

TEST(ClearanceSchemes, BothLevelsHold) {
  expect_both_levels("1e-4");
  expect_both_levels("1e-5");
}

TEST(ClearanceSlow, BothLevelsHoldWithTinySteps) { expect_both_levels("1e-6"); }

TEST(ClearanceSchemes, NewtonIterationsOnAverage) {
  // where a motion goes on as before the guess is as good as the second iterate was; no trial
  EXPECT_LT(run({.scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-5", .tolerance = ""}).mean_iterations, 1.4);
  EXPECT_LT(run({.scheme = "moreau-midpoint-ggl", .step = "1e-5", .tolerance = ""}).mean_contact_iterations, 1.5);
}

// energy errors at 0.1 s that independent prototypes of the same formulas gave
TEST(ClearanceSchemes, EnergyErrorsAtTheReferencesDigits) {
  const double exact = number(reference()["cases"]["0.1"]["state_at_0_1"]["E"]);
  struct Row {
    Case run;
    double error, within;
  };
  const Row rows[] = {
      {{.scheme = "moreau-midpoint", .step = "1e-5", .tolerance = ""}, 7.35727295431 - 7.405219930338, 1e-8},
      {{.scheme = "moreau-midpoint-ggl-decoupled", .step = "1e-5", .tolerance = ""}, -0.0435, 0.0010},
      {{.scheme = "moreau-midpoint-ggl", .step = "1e-4", .tolerance = ""}, -8.4e-5, 0.1e-5},
      {{.scheme = "moreau-midpoint-ggl", .step = "1e-5", .tolerance = ""}, 2.2e-6, 0.1e-6},
      {{.scheme = "moreau-midpoint-ggl", .step = "1e-5", .tolerance = "", .options = {{"variant", "paper"}}}, 1.4e-3, 0.1e-3},
      {{.scheme = "moreau-midpoint-ggl", .step = "1e-5", .tolerance = "", .options = {{"variant", "reference"}}}, -3.1e-3, 0.1e-3},
      {{.scheme = "nonsmooth-generalized-alpha", .step = "1e-5", .tolerance = ""}, -2.3e-3, 0.1e-3},
      {{.scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-5", .tolerance = ""}, -2.3e-3, 0.1e-3},
      {{.scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-5", .tolerance = "", .options = {{"closed_contacts", "smooth"}}}, -8.2e-4, 0.1e-4},
  };
  for (const Row& row : rows) EXPECT_NEAR(run(row.run).energy() - exact, row.error, row.within) << row.run.scheme;
}

TEST(ClearanceSchemes, MoreauMidpointPenetratesAsItMust) {
  EXPECT_NEAR(run({.scheme = "moreau-midpoint", .step = "1e-4", .tolerance = ""}).penetration(), 5.072e-4, 1e-7);
  EXPECT_NEAR(run({.scheme = "moreau-midpoint", .step = "1e-5", .tolerance = ""}).penetration(), 4.953e-5, 1e-8);
}

TEST(ClearanceSchemes, TheLargestEnergyRiseFallsAsTheCubeOfTheStep) {
  const double coarse = run({.scheme = "moreau-midpoint-ggl", .step = "1e-4", .tolerance = ""}).largest_rise;
  const double fine = run({.scheme = "moreau-midpoint-ggl", .step = "1e-5", .tolerance = ""}).largest_rise;
  EXPECT_NEAR(std::log10(coarse / fine), 3, 0.1);
}

// corners one at a time
TEST(ClearanceSchemes, NoEnergyJumpsOnTheTiltedSlider) {
  for (const char* e : {"0.7", "0.95"}) {
    EXPECT_LT(run({.scheme = "moreau-midpoint-ggl", .step = "1e-4", .tolerance = "", .restitution = e, .tilt = "2e-3"}).largest_rise, 1e-4) << e;
    EXPECT_LT(run({.scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-4", .tolerance = "", .restitution = e, .tilt = "2e-3"}).largest_rise, 3e-4) << e;
  }
}

// the prox parameter only selects sets
TEST(ClearanceSchemes, KappaDoesNotMatter) {
  for (const char* scheme : {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"}) {
    const double one = run({.scheme = scheme, .step = "1e-5", .tolerance = "", .restitution = "0.4", .end = "0.02"}).energy();
    for (const char* kappa : {"1e-6", "1e-3", "1e3"})
      EXPECT_NEAR(run({.scheme = scheme, .step = "1e-5", .tolerance = "", .restitution = "0.4", .end = "0.02", .options = {{"kappa", kappa}}}).energy(), one, 1e-9 * one) << scheme << kappa;
  }
}

TEST(ClearanceSchemes, AutoKeepsBothLevelsAndSaysWhy) {
  const Ran ran = run({.scheme = "auto", .step = "", .tolerance = "1e-8"});
  const double exact = number(reference()["cases"]["0.1"]["state_at_0_1"]["E"]);
  EXPECT_NEAR(ran.energy(), exact, 1e-5);
  EXPECT_LT(ran.penetration(), 1e-12);
  EXPECT_NE(ran.report.summary.scheme_choice, "");
  const EventColumns& events = ran.report.result.events;
  EXPECT_GE(std::count(events.kind.begin(), events.kind.end(), "scheme"), 1);
}

// error control through impacts: the error falls with the tolerance
TEST(ClearanceSchemes, TolerancesControlTimeStepping) {
  const double exact = number(reference()["cases"]["0.1"]["state_at_0_1"]["E"]);
  double last = 1;
  for (const char* tolerance : {"1e-3", "1e-5", "1e-7"}) {
    const double error = std::abs(run({.scheme = "moreau-midpoint-ggl", .step = "", .tolerance = tolerance}).energy() - exact);
    EXPECT_LT(error, 0.1 * last);
    last = error;
  }
  EXPECT_LT(last, 1e-5);
}

// four seconds, 630 hard impacts: E = 4.743496508 J
TEST(ClearanceSlow, FourSeconds) {
  const double exact = number(reference()["cases"]["0.1"]["E_at_4s"]);
  EXPECT_NEAR(run({.scheme = "hem5", .step = "", .tolerance = "1e-12", .end = "4"}).energy(), exact, 1e-8);
  EXPECT_NEAR(run({.scheme = "moreau-midpoint", .step = "1e-5", .tolerance = "", .end = "4"}).energy() - exact, -0.738, 0.00738);
  EXPECT_NEAR(run({.scheme = "moreau-midpoint-ggl", .step = "1e-5", .tolerance = "", .end = "4"}).energy(), exact, 1e-4);
  EXPECT_NEAR(run({.scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-5", .tolerance = "", .end = "4"}).energy() - exact, -0.042, 0.0042);
  EXPECT_NEAR(run({.scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-5", .tolerance = "", .end = "4", .options = {{"closed_contacts", "smooth"}}}).energy() - exact, -0.016, 0.0016);
}

}  // namespace
}  // namespace escapement
