// Measures what every scheme of the registry promises in its SchemeInfo. A new scheme needs no line here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "schemes/scheme.hpp"
#include "support/allocations.hpp"
#include "support/convergence.hpp"
#include "support/free_body.hpp"
#include "support/linear_systems.hpp"
#include "support/pendulum.hpp"
#include "support/pendulum_variants.hpp"
#include "support/reference.hpp"
#include "support/rheonomic_pendulum.hpp"
#include "support/slider_crank.hpp"
#include "support/smooth_oscillator.hpp"
#include "support/spatial_top.hpp"
#include "system/counting_system.hpp"

namespace escapement::conformance_test {
namespace {

using namespace testing;

// a scheme with its defaults, or with one of its whole-number options (order, degree) at another value
struct Variant {
  std::string id, name;
  std::map<std::string, OptionValue> options;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const SchemeEntry& entry : all_schemes()) {
    all.push_back({entry.info.id, entry.info.id, {}});
    for (const OptionInfo& option : entry.info.options) {
      if (!option.integer || option.max - option.min > 20) continue;
      for (double x = option.min; x <= option.max; ++x) {
        if (x == std::get<double>(option.value)) continue;
        const std::string name = fmt::format("{}_{}{}", entry.info.id, option.name, x);
        const Variant variant{entry.info.id, name, {{option.name, x}}};
        try {
          make_scheme(variant.id, variant.options);
        } catch (const OptionError&) {
          continue;  // a value the scheme refuses
        }
        all.push_back(variant);
      }
    }
  }
  for (Variant& variant : all)
    for (char& c : variant.name)
      if (c == '-') c = '_';
  return all;
}

// the measured numbers on request, for people
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  if (!std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) return;
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  fmt::print("{}: {}\n", test->name(), fmt::format(format, std::forward<Args>(args)...));
}

class Conformance : public ::testing::TestWithParam<Variant> {
 protected:
  std::unique_ptr<Scheme> make() const { return make_scheme(GetParam().id, GetParam().options); }

  std::unique_ptr<Scheme> scheme = make();
  SchemeInfo info = scheme->info();

  void expect_order(const char* what, const Convergence& measured, double Errors::*part, int promised,
                    bool divided_by_h2 = false) const {
    const double order = measured.order(part, divided_by_h2);
    std::string table;
    for (const Errors& e : measured.errors()) table += fmt::format("  {:6d} steps: {:.3e}\n", e.steps, e.*part);
    EXPECT_GE(order, promised - 0.1 - (promised > 8 ? 0.1 : 0.05) * promised) << what << "\n" << table;
    say("{:3} order {:.3f}, promised {}\n{}", what, order, promised, table);
  }
  void expect_orders(const Convergence& measured, int promised, int multipliers = 0) const {
    expect_order("q", measured, &Errors::q, promised);
    expect_order("v", measured, &Errors::v, promised);
    if (multipliers > 0) expect_order("lambda", measured, &Errors::lambda, multipliers, info.index == 3);
  }
};

State a01(double t) {
  static const std::vector<State> grid = read_grid(read_json("A01_pendulum.json").at("grid"));
  return at_time(grid, t);
}

State slider_crank(double t) {
  static const std::vector<State> grid = read_grid(read_json("000_slider_crank.json").at("uniform_rods").at("grid"));
  return at_time(grid, t);
}

// the exact states of a system at equal distances up to end
template <class System>
std::vector<State> exact_states(const System& system, double end) {
  return {system.exact(0.25 * end), system.exact(0.5 * end), system.exact(0.75 * end), system.exact(end)};
}

bool same_bits(const Vec& a, const Vec& b) {
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0);
}

bool same_bits(const State& a, const State& b) {
  bool same = std::memcmp(&a.t, &b.t, sizeof a.t) == 0 && same_bits(a.q, b.q) && same_bits(a.v, b.v) &&
              same_bits(a.vdot, b.vdot) && same_bits(a.lambda, b.lambda) && same_bits(a.z, b.z) &&
              a.memory.vectors.size() == b.memory.vectors.size() && a.memory.numbers == b.memory.numbers;
  for (std::size_t i = 0; same && i < a.memory.vectors.size(); ++i)
    same = same_bits(a.memory.vectors[i], b.memory.vectors[i]);
  return same;
}

TEST_P(Conformance, OrderOnASmoothOde) {
  const SmoothOscillator system;
  expect_orders(Convergence(*scheme, {system, system.exact(0), exact_states(system, 4), 5}), info.order);
}

// the largest step with which the free motion of a damped oscillator does not grow
double stability_limit(Scheme& scheme, const StiffOscillator& system) {
  auto stable = [&](double h) {
    State s = system.exact(0);
    scheme.start(system, s);
    const double before = s.q.norm() + s.v.norm() / system.fastest();
    if (!run_steps(scheme, system, 400, h, s)) return false;
    return s.q.norm() + s.v.norm() / system.fastest() < 2 * before;
  };
  const double unit = 1 / system.fastest();
  if (stable(100 * unit)) return 100 * unit;
  double low = 0.01 * unit, high = 100 * unit;
  while (high / low > 1.02) (stable(std::sqrt(low * high)) ? low : high) = std::sqrt(low * high);
  return low;
}

TEST_P(Conformance, OrderOnAStiffLinearSystem) {
  const StiffOscillator system;
  const double limit = stability_limit(*scheme, system), unit = 1 / system.fastest();
  say("stable up to omega h = {:.3g}", limit / unit);
  ASSERT_GT(limit, 0.05 * unit) << "no useful step is stable";
  const double end = 0.4, coarsest = std::min(0.8 * limit, unit);
  const int steps = static_cast<int>(std::ceil(0.25 * end / coarsest));
  expect_orders(Convergence(*scheme, {system, system.exact(0), exact_states(system, end), steps}), info.order);
}

TEST_P(Conformance, OrderOnAPendulum) {
  const Pendulum system;
  const Convergence measured(*scheme, {system, a01(0), {a01(0.5), a01(1), a01(1.5)}, 10});
  expect_orders(measured, info.order_on_constraints(), info.order_of_multipliers());
}

TEST_P(Conformance, OrderOnTheSliderCrank) {
  const SliderCrank system;
  const std::vector<State> exact{slider_crank(0.2), slider_crank(0.4), slider_crank(0.6), slider_crank(0.8)};
  const Convergence measured(*scheme, {system, slider_crank(0), exact, 10});
  expect_orders(measured, info.order_on_constraints(), info.order_of_multipliers());
}

TEST_P(Conformance, OrderOnARheonomicConstraint) {
  const RheonomicPendulum system;
  const Convergence measured(*scheme, {system, system.exact(0), exact_states(system, 1.6), 8});
  expect_orders(measured, info.order_on_constraints(), info.order_of_multipliers());
}

TEST_P(Conformance, HoldsARowWithoutAPositionLevel) {
  const Skate system;
  const Convergence measured(*scheme, {system, system.exact(0), exact_states(system, 2), 3});
  expect_orders(measured, info.order_on_constraints());
}

TEST_P(Conformance, OrderWithAFirstOrderState) {
  const MaxwellElement system;
  const Convergence measured(*scheme, {system, system.exact(0), exact_states(system, 4), 5});
  expect_orders(measured, info.order);
  expect_order("z", measured, &Errors::z, info.order);
}

TEST_P(Conformance, OrderOnAFreelyRotatingBody) {
  const FreeBody system;
  const double end = info.order > 8 ? 6 : 2;
  expect_orders(Convergence(*scheme, {system, system.exact(0), exact_states(system, end), 4}), info.order);
}

TEST_P(Conformance, OrderOnAConstrainedRotatingBody) {
  const SpatialTop system;
  const double end = info.order > 8 ? 3.2 : 0.8;
  const Convergence measured(*scheme, {system, system.exact(0), exact_states(system, end), 5});
  expect_orders(measured, info.order_on_constraints(), info.order_of_multipliers());
}

TEST_P(Conformance, OrderThroughARestartWithAnotherStep) {
  const Runner restarted = [](Scheme& run, const System& system, int n, double end, State& s) {
    const double half = 0.5 * (end - s.t);
    if (!run_steps(run, system, n, half / n, s)) return false;
    run.start(system, s);
    return run_steps(run, system, 2 * n, half / (2 * n), s);
  };
  const Pendulum system;
  const Convergence measured(*scheme, {system, a01(0), {a01(0.5), a01(1), a01(1.5)}, 5}, restarted);
  expect_orders(measured, info.order_on_constraints());
}

TEST_P(Conformance, OrderWithStepsThatChangeSmoothly) {
  if (info.error_power == 0) GTEST_SKIP() << "a scheme for fixed steps";
  const Runner changing = [](Scheme& run, const System& system, int n, double end, State& s) {
    const double pi = std::acos(-1.0), begin = s.t;
    State s1 = s;
    for (int i = 0; i < n; ++i) {
      const double x = (i + 1.0) / n;
      const double t = begin + (end - begin) * (x - 0.4 * std::sin(2 * pi * x) / (2 * pi));
      if (!run.step(system, s, t - s.t, s1).ok()) return false;
      std::swap(s, s1);
    }
    return true;
  };
  const Pendulum system;
  const double part = info.order > 8 ? 2.5 : 0.5;
  const Convergence measured(*scheme, {system, a01(0), {a01(part), a01(2 * part), a01(3 * part)}, 10}, changing);
  expect_order("q", measured, &Errors::q, info.order_on_constraints());
}

TEST_P(Conformance, TheErrorEstimateFallsWithItsPower) {
  if (info.error_power == 0) GTEST_SKIP() << "a scheme without an estimate";
  // high powers show only between the coarse steps' higher terms and rounding: on a smoother motion, and the best pair counts
  const bool high = info.error_power > 6;
  const SliderCrank crank;
  const Pendulum pendulum;
  const System& system = high ? static_cast<const System&>(pendulum) : crank;
  // the others: of the last of equal steps, since a scheme with a history looks back over steps of the same size
  auto estimate = [&](double h) {
    State s = high ? a01(1.5) : slider_crank(0);
    scheme->start(system, s);
    EXPECT_TRUE(high || run_steps(*scheme, system, static_cast<int>(std::lround(0.2 / h)) - 1, h, s));
    State s1 = s;
    const StepReport report = scheme->step(system, s, h, s1);
    EXPECT_TRUE(report.ok());
    return report.error;
  };
  std::vector<double> errors;
  for (double h = high ? 0.64 : 0.02; h > 1e-4; h *= 0.5) errors.push_back(estimate(h));
  double power = 0;
  for (std::size_t i = 1; i < errors.size() && errors[i] > (high ? 3e-15 : 1e-13); ++i) {
    const double measured = std::log2(errors[i - 1] / errors[i]);
    power = high ? std::max(power, measured) : measured;
  }
  say("error estimate of power {:.3f}, promised {}", power, info.error_power);
  EXPECT_NEAR(power, info.error_power, high ? 0.1 + 0.1 * info.error_power : 0.5);
}

// the largest scaled violation of the constraints over a run
struct Drift {
  double position = 0, velocity = 0;
  void look(const System& system, const State& s, Terms& T) {
    system.evaluate(s, Need::gap | Need::jacobian, T);
    look_at_rows(system, s, T);
  }
  // the velocity level with G inside the step from s to s1, at the explicit midpoint or at the implicit one
  void look_inside(const System& system, const State& s, const State& s1, Terms& T) {
    State at = s1;
    double both[2];
    for (int implicit : {0, 1}) {
      Drift one;
      const Vec mean = implicit ? Vec(0.5 * (s.v + s1.v)) : s.v;
      system.retract(s.q, 0.5 * (s1.t - s.t) * mean, at.q);
      at.t = 0.5 * (s.t + s1.t);
      one.look(system, at, T);
      both[implicit] = one.velocity;
    }
    velocity = std::max(velocity, std::min(both[0], both[1]));
    at = s1;
    system.evaluate(at, Need::gap, T);
    for (int i = 0; i < T.G.rows(); ++i)
      if (system.level(i) == Level::position) position = std::max(position, std::abs(T.g[i]));
  }
  void look_at_rows(const System& system, const State& s, const Terms& T) {
    for (int i = 0; i < T.G.rows(); ++i) {
      double sum = T.g_t[i], size = 1 + std::abs(T.g_t[i]);
      T.G.for_each_in_row(i, [&](int j, double x) {
        sum += x * s.v[j];
        size += std::abs(x * s.v[j]);
      });
      velocity = std::max(velocity, std::abs(sum) / size);
      // a row without a position level is held at the velocity level by every scheme
      position = std::max(position, system.level(i) == Level::position ? std::abs(T.g[i]) : std::abs(sum) / size);
    }
  }
};

void expect_levels(Scheme& scheme, const System& system, State s, double h, int steps, const std::string& name) {
  Drift drift;
  Terms T;
  system.prepare(T);
  scheme.start(system, s);
  State s1 = s;
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(scheme.step(system, s, h, s1).ok());
    std::swap(s, s1);
    scheme.info().rows_inside ? drift.look_inside(system, s1, s, T) : drift.look(system, s, T);
  }
  const SchemeInfo& info = scheme.info();
  const double bound = 2e-14;
  if (info.keeps_position) {
    EXPECT_LT(drift.position, bound) << name;
  }
  if (info.keeps_velocity) {
    EXPECT_LT(drift.velocity, bound) << name;
  }
  say("drift on the {}: {:.1e} in position, {:.1e} in velocity", name, drift.position, drift.velocity);
}

TEST_P(Conformance, KeepsTheLevelsItPromises) {
  // multipliers that are not promised oscillate and grow until no step is accepted any more: only a run of 2 s
  const bool lasting = info.order_of_multipliers() > 0;
  expect_levels(*scheme, Pendulum(), a01(0), 0.01, lasting ? 1000 : 200, "pendulum");
  expect_levels(*scheme, SliderCrank(), slider_crank(0), 0.005, 400, "slider-crank");
  expect_levels(*scheme, RheonomicPendulum(), RheonomicPendulum().exact(0), 0.01, lasting ? 500 : 200,
                "rheonomic pendulum");
  expect_levels(*scheme, SpatialTop(), SpatialTop().exact(0), 0.01, 300, "spatial top");
  expect_levels(*scheme, Skate(), Skate().exact(0), 0.02, 500, "skate");
}

TEST_P(Conformance, SurvivesRedundantAndSwitchedOffRows) {
  const Pendulum one;
  const RedundantPendulum three;
  State s = a01(0), r = make_state(three.dim());
  r.q = s.q;
  r.v = s.v;
  auto other = make();
  scheme->start(one, s);
  other->start(three, r);
  ASSERT_TRUE(run_steps(*scheme, one, 200, 0.005, s));
  ASSERT_TRUE(run_steps(*other, three, 200, 0.005, r));
  EXPECT_LT((r.q - s.q).norm(), 1e-9);
  EXPECT_LT((r.v - s.v).norm(), 1e-9);
  // the force on the mass is the same whichever row carries it; the row that is off carries none
  EXPECT_NEAR(r.lambda[0] + 2 * r.lambda[1], s.lambda[0], 1e-6);
  EXPECT_EQ(r.lambda[2], 0);
}

// a system that breaks at the n-th evaluation of its forces
class Breaking : public CountingSystem {
 public:
  enum class How { nan_force, nan_mass, singular_mass };
  using CountingSystem::CountingSystem;
  void arm(How how, int n) { how_ = how, left_ = n, delivered_ = false; }
  void disarm() { left_ = -1; }
  bool delivered() const { return delivered_; }
  void evaluate(const State& s, Need need, Terms& T) const override {
    CountingSystem::evaluate(s, need, T);
    if (left_ < 0 || !has(need, how_ == How::nan_force ? Need::force : Need::mass) || left_-- > 0) return;
    delivered_ = true;
    left_ = 0;  // stays broken
    if (how_ == How::nan_force) T.f.setConstant(std::nan(""));
    if (how_ == How::nan_mass) T.M.dense().setConstant(std::nan(""));
    if (how_ == How::singular_mass) T.M.dense().setZero();
  }

 private:
  How how_ = How::nan_force;
  mutable int left_ = -1;
  mutable bool delivered_ = false;
};

TEST_P(Conformance, AFailedStepLeavesNoTrace) {
  const SmoothOscillator oscillator;
  const SliderCrank crank;
  const std::pair<const System*, State> cases[] = {{&oscillator, oscillator.exact(0)}, {&crank, slider_crank(0)}};
  for (const auto& [plain, start] : cases) {
    const double h = 0.01;
    auto healthy = make();
    State expected = start;
    healthy->start(*plain, expected);
    ASSERT_TRUE(run_steps(*healthy, *plain, 4, h, expected));

    for (const auto how : {Breaking::How::nan_force, Breaking::How::nan_mass, Breaking::How::singular_mass}) {
      for (int n = 0; n < 30; ++n) {
        Breaking system(*plain);
        auto broken = make();
        State s = start;
        broken->start(system, s);
        ASSERT_TRUE(run_steps(*broken, system, 3, h, s));
        const State before = s;
        State s1 = s;
        system.arm(how, n);
        const StepReport report = broken->step(system, s, h, s1);
        system.disarm();
        if (!system.delivered()) break;
        // damping or stiffness may do for an implicit scheme what the mass did
        if (how == Breaking::How::singular_mass && report.newton_iterations > 0 && report.ok()) continue;
        EXPECT_FALSE(report.ok()) << "evaluation " << n << " broke";
        EXPECT_TRUE(same_bits(s, before));
        ASSERT_TRUE(broken->step(system, s, h, s1).ok());
        EXPECT_TRUE(same_bits(s1, expected)) << "after evaluation " << n << " broke";
      }
    }
  }
}

TEST_P(Conformance, ARejectedStepLeavesNoTrace) {
  const SliderCrank system;
  State s = slider_crank(0), expected = s;
  scheme->start(system, s);
  ASSERT_TRUE(run_steps(*scheme, system, 3, 0.01, s));
  State s1 = s;
  ASSERT_TRUE(scheme->step(system, s, 0.02, s1).ok());
  ASSERT_TRUE(scheme->step(system, s, 0.01, s1).ok());
  auto other = make();
  other->start(system, expected);
  ASSERT_TRUE(run_steps(*other, system, 4, 0.01, expected));
  EXPECT_TRUE(same_bits(s1, expected));
}

TEST_P(Conformance, RepeatedRunsGiveTheSameBits) {
  const SliderCrank system;
  State first = slider_crank(0), again = first, fresh = first;
  scheme->start(system, first);
  ASSERT_TRUE(run_steps(*scheme, system, 20, 0.01, first));
  scheme->start(system, again);
  ASSERT_TRUE(run_steps(*scheme, system, 20, 0.01, again));
  auto other = make();
  other->start(system, fresh);
  ASSERT_TRUE(run_steps(*other, system, 20, 0.01, fresh));
  EXPECT_TRUE(same_bits(first, again));
  EXPECT_TRUE(same_bits(first, fresh));
}

void expect_no_allocation(Scheme& scheme, const System& system, State s, double h, const std::string& name) {
  scheme.start(system, s);
  State s1 = s;
  const long before = allocations;
  for (int i = 0; i < 10; ++i) {
    scheme.step(system, s, h, s1);
    std::swap(s, s1);
  }
  EXPECT_EQ(allocations - before, 0) << name;
}

TEST_P(Conformance, AStepAllocatesNothing) {
  expect_no_allocation(*scheme, SmoothOscillator(), SmoothOscillator().exact(0), 0.01, "oscillator");
  expect_no_allocation(*scheme, MaxwellElement(), MaxwellElement().exact(0), 0.01, "first-order state");
  expect_no_allocation(*scheme, Pendulum(), a01(0), 0.01, "pendulum");
  expect_no_allocation(*scheme, SliderCrank(), slider_crank(0), 0.01, "slider-crank");
  expect_no_allocation(*scheme, SpatialTop(), SpatialTop().exact(0), 0.01, "spatial top");
  expect_no_allocation(*scheme, FreeBody(), FreeBody().exact(0), 0.01, "free body");
  State redundant = make_state(RedundantPendulum().dim());
  redundant.q = a01(0).q;
  expect_no_allocation(*scheme, RedundantPendulum(), redundant, 0.01, "redundant rows");
}

TEST_P(Conformance, DenseOutputJoinsTheSteps) {
  const SliderCrank system;
  State s = slider_crank(0);
  scheme->start(system, s);
  ASSERT_TRUE(run_steps(*scheme, system, 3, 0.01, s));
  State s1 = s, out = s;
  ASSERT_TRUE(scheme->step(system, s, 0.01, s1).ok());
  for (const auto& [theta, end] : {std::pair<double, const State*>{0, &s}, {1, &s1}}) {
    scheme->interpolate(system, s, s1, theta, out);
    EXPECT_LT((out.q - end->q).norm(), 1e-14);
    EXPECT_LT((out.v - end->v).norm(), 1e-12);
  }
}

TEST_P(Conformance, DenseOutputHasItsOrderUpToFive) {
  const SmoothOscillator system;
  std::vector<Errors> errors;
  for (int n = info.order > 6 ? 1 : 10; n <= 320; n *= 2) {
    State s = system.exact(0);
    scheme->start(system, s);
    State s1 = s, out = s;
    Errors& e = errors.emplace_back();
    for (int i = 0; i < n; ++i) {
      ASSERT_TRUE(scheme->step(system, s, 2.0 / n, s1).ok());
      for (const double theta : {0.2, 0.5, 0.9}) {
        scheme->interpolate(system, s, s1, theta, out);
        e.look(system, out, system.exact(s.t + theta * 2.0 / n));
      }
      std::swap(s, s1);
    }
  }
  for (double Errors::*part : {&Errors::q, &Errors::v}) {
    const int promised = std::min(info.order, 5);
    double order = 0;
    for (std::size_t i = 1; i < errors.size() && errors[i].*part > 1e-11; ++i)
      order = std::log2(errors[i - 1].*part / errors[i].*part);
    say("dense output of order {:.3f}", order);
    EXPECT_GE(order, promised - 0.1 - 0.05 * promised);
  }
}

// positions have 16 digits, of which a step of 1e-12 s leaves four
TEST(DenseOutput, VelocitiesInShortStepsAreFreeOfTheRoundingOfPositions) {
  const SmoothOscillator system;
  const std::unique_ptr<Scheme> scheme = make_scheme("hem5");
  constexpr double h = 1e-12;
  State s = system.exact(0.3);
  scheme->start(system, s);
  State s1 = s, out = s;
  s1.t += h;
  s1.q += h * s.v;
  s1.v += h * s.vdot;
  for (const double theta : {0.1, 0.25, 0.5, 0.8}) {
    scheme->interpolate(system, s, s1, theta, out);
    EXPECT_LT((out.v - s.v - theta * h * s.vdot).norm(), 1e-15) << theta;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Conformance, ::testing::ValuesIn(variants()),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace escapement
