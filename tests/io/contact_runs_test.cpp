// Contact schemes on the example models: order, levels, friction, singular places, and what they do in hard cases.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "support/example_run.hpp"

namespace escapement {
namespace {

using testing::ExampleRun;

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
std::map<long, double> samples(const Result& result, const std::vector<Column>& columns, const std::string& name) {
  std::map<long, double> values;
  for (const Column& column : columns)
    if (column.name == name)
      for (std::size_t i = 0; i < column.values.size(); ++i)
        if (const double k = result.time[i] / 0.002; std::abs(k - std::round(k)) < 1e-6) values[std::lround(k)] = column.values[i];
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
    auto add = [&](const std::string& what, const std::string& name, std::vector<Column> Result::*columns) {
      errors[what].push_back(mean_difference(samples(exact.result, exact.result.*columns, name), samples(run.result, run.result.*columns, name)));
    };
    add("rod q", "th", &Result::q);
    add("rod v", "th", &Result::v);
    add("mass q", "x2", &Result::q);
    add("mass v", "x2", &Result::v);
    add("oscillator q", "x3", &Result::q);
    add("oscillator v", "x3", &Result::v);
    measured.position = std::max<double>(measured.position, run.summary["max_drift"]["position"]);
    measured.velocity = std::max<double>(measured.velocity, run.summary["max_drift"]["velocity"]);
    measured.penetration = std::max<double>(measured.penetration, run.summary["max_penetration"]);
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

}  // namespace
}  // namespace escapement
