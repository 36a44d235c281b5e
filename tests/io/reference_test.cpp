// The example models against reference solutions of 22 digits: the error falls with the tolerance down to 1e-10
// relative, and every accepted step keeps the levels that the scheme promises.
#include "support/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/run.hpp"
#include "support/source_folder.hpp"

namespace escapement::reference_test {
namespace {

using namespace testing;

struct Case {
  std::string name, example;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string end, every;  // of the run, and between the reference's instants
  std::vector<State> grid;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<State> in_one_angle(std::vector<State> grid) {
  for (State& s : grid) {
    const double x = s.q[0], y = s.q[1];
    s.v = Vec::Constant(1, x * s.v[1] - y * s.v[0]);
    s.q = Vec::Constant(1, std::atan2(x, -y));
    s.lambda.resize(0);
  }
  return grid;
}

std::vector<State> top() {
  std::vector<State> grid;
  const auto data = read_json("002_spinning_top.json");
  for (const auto& entry : data.at("grid")) {
    State& s = grid.emplace_back();
    s.t = std::stod(entry.at("t").get<std::string>());
    s.q = read_vector(entry.at("euler_phi_theta_psi"));
    s.v = read_vector(entry.at("euler_rates"));
  }
  return grid;
}

std::vector<State> every(double distance, const std::vector<State>& grid) {
  std::vector<State> even;
  for (const State& s : grid)
    if (std::abs(s.t - distance * static_cast<double>(even.size())) < 1e-9 * distance) even.push_back(s);
  return even;
}

std::vector<Case> cases() {
  const auto crank = read_json("000_slider_crank.json");
  const auto pendulum = read_grid(read_json("A01_pendulum.json").at("grid"));
  const auto unit = read_grid(read_json("003_pendulum.json").at("grid"));
  const auto andrews = read_grid(read_json("A03_andrews.json").at("grid_0_to_0_05"));
  return {
      {"slider_crank", "slider_crank", {}, "2", "0.1", read_grid(crank.at("uniform_rods").at("grid"))},
      {"slider_crank_masses_at_mid_rod",
       "slider_crank",
       {{"J1", "0"}, {"J2", "0"}},
       "2",
       "0.1",
       read_grid(crank.at("massless_inertia").at("grid"))},
      {"rocking_block", "rocking_block", {}, "0.5", "0.05", read_grid(read_json("000_rocking_block.json").at("grid"))},
      {"pendulum", "pendulum", {}, "10", "0.5", pendulum},
      {"pendulum_angle", "pendulum_angle", {}, "10", "0.5", in_one_angle(pendulum)},
      {"spinning_top", "spinning_top", {}, "10", "0.5", top()},
      {"unit_pendulum", "unit_pendulum", {}, "10", "0.5", every(0.5, unit)},
      {"unit_pendulum_first_millisecond", "unit_pendulum", {}, "1e-3", "1e-3", every(1e-3, unit)},
      {"andrews", "andrews", {}, "0.05", "2e-3", andrews},
  };
}

// multipliers against forces of size 1
double relative(const Vec& x, const Vec& exact) {
  if (exact.size() == 0) return 0;
  return (x - exact).lpNorm<Eigen::Infinity>() / std::max(1.0, exact.lpNorm<Eigen::Infinity>());
}

class Watch : public Observer {
 public:
  Watch(const System& system, const std::vector<State>& grid) : system_(system), grid_(grid) { system.prepare(T_); }

  void sample(const State& s) override {
    ASSERT_LT(next_, grid_.size());
    const State& exact = grid_[next_++];
    ASSERT_NEAR(s.t, exact.t, 1e-12 * (1 + exact.t));
    q = std::max(q, (s.q - exact.q).lpNorm<Eigen::Infinity>() / largest_q());
    v = std::max(v, (s.v - exact.v).lpNorm<Eigen::Infinity>() / largest_v());
    last = s;
  }
  void step(const StepRecord& record) override {
    if (!record.accepted) return;
    system_.evaluate(record.after, Need::gap | Need::jacobian, T_);
    for (int i = 0; i < T_.G.rows(); ++i) {
      double sum = T_.g_t[i], size = 1 + std::abs(T_.g_t[i]);
      T_.G.for_each_in_row(i, [&](int j, double x) {
        sum += x * record.after.v[j];
        size += std::abs(x * record.after.v[j]);
      });
      velocity_rows = std::max(velocity_rows, std::abs(sum) / size);
      position_rows = std::max(position_rows, std::abs(T_.g[i]));
    }
  }
  bool complete() const { return next_ == grid_.size(); }

  double q = 0, v = 0, velocity_rows = 0, position_rows = 0;
  State last;

 private:
  double largest_q() const {
    double x = 0;
    for (const State& s : grid_) x = std::max(x, s.q.lpNorm<Eigen::Infinity>());
    return x;
  }
  double largest_v() const {
    double x = 0;
    for (const State& s : grid_) x = std::max(x, s.v.lpNorm<Eigen::Infinity>());
    return x;
  }
  const System& system_;
  const std::vector<State>& grid_;
  Terms T_;
  std::size_t next_ = 0;
};

class Reference : public ::testing::TestWithParam<std::tuple<std::string, Case>> {};

TEST_P(Reference, TheErrorFallsWithTheToleranceDownToRounding) {
  const auto& [scheme, one] = GetParam();
  double before = 1, error = 1;
  for (const char* tolerance : {"1e-4", "1e-6", "1e-8", "1e-10", "1e-12", "1e-14", "1e-15"}) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.end = one.end;
    overrides.tolerance = tolerance;
    overrides.parameters = one.parameters;
    Model model = load_model(escapement::testing::source_folder() + "/examples/" + one.example + ".yaml", overrides);
    model.settings.save_every = std::stod(one.every);
    Watch watch(*model.system, one.grid);
    RunHooks hooks;
    hooks.observers = {&watch};
    const RunReport report = run_model(model, hooks);
    ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
    ASSERT_TRUE(watch.complete());
    // the multipliers at the end, where no interpolation is between
    const double multipliers = relative(report.outcome.final.lambda, one.grid.back().lambda);
    error = std::max({watch.q, watch.v, multipliers});
    EXPECT_LT(error, 0.7 * before + 1e-13) << tolerance;
    before = error;
    EXPECT_LT(watch.velocity_rows, scheme == "rkf45" ? 1e-13 : 2e-14) << tolerance;
    if (scheme == "rkf45") {
      EXPECT_LT(watch.position_rows, 1e-13) << tolerance;
    }
    if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS"))
      std::printf("%-7s %-32s %-6s %6ld steps, error %.1e %.1e %.1e, rows %.1e %.1e\n", scheme.c_str(),
                  one.name.c_str(), tolerance, report.outcome.steps, watch.q, watch.v, multipliers, watch.position_rows,
                  watch.velocity_rows);
    if (error < 1e-10) break;
  }
  EXPECT_LT(error, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Examples, Reference,
                         ::testing::Combine(::testing::Values("hem5", "phem56", "mexx", "rkf45"),
                                            ::testing::ValuesIn(cases())),
                         [](const auto& p) { return std::get<0>(p.param) + "_" + std::get<1>(p.param).name; });

}  // namespace
}  // namespace escapement
