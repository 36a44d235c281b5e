// The IFToMM benchmarks A01 to A05 as model files: which schemes run them at which step or tolerance, and what comes
// out against the reference solutions. The tests judge it, the benchmark prints it.
#pragma once

#include <functional>
#include <numbers>

#include "io/model_file.hpp"
#include "math/rotation.hpp"
#include "simulate/monitors.hpp"
#include "simulate/simulation.hpp"
#include "support/energy_watch.hpp"
#include "support/reference.hpp"
#include "support/source_folder.hpp"

namespace escapement::testing {

struct How {
  std::string scheme;
  double step = 0, tolerance = 0;  // one of them
  std::map<std::string, OptionValue> options{};
  double end = 0;     // 0: the benchmark's
  bool slow = false;  // takes seconds

  std::string name() const;  // scheme with its options
};

inline std::string How::name() const {
  std::string text = scheme;
  for (const auto& [key, value] : options)
    text += ", " + key + " " +
            (std::holds_alternative<std::string>(value) ? std::get<std::string>(value)
                                                        : std::to_string(std::get<double>(value)));
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const How& how) {
  return out << how.name() << (how.step > 0 ? " step " : " tolerance ") << (how.step > 0 ? how.step : how.tolerance);
}

struct Watch : Observer {
  EnergyWatch energy;
  std::function<void(const State&)> at_sample;
  explicit Watch(const System& system) : energy(system) {}
  void begin(const State& s) override { energy(s); }
  void step(const StepRecord& r) override {
    if (r.accepted) energy(r.after);
  }
  void sample(const State& s) override {
    if (at_sample) at_sample(s);
  }
};

// runs to the end; save: distance of the samples
inline Outcome run_watched(const System& system, const State& start, const How& how, double end, double save, Watch& watch,
                   EnergyMonitor* balance = nullptr) {
  Settings settings;
  settings.end = end;
  settings.scheme = how.scheme;
  if (how.step > 0) settings.step = how.step;
  if (how.step == 0) settings.tolerance = how.tolerance;
  settings.save_every = save;
  settings.options = how.options;
  const RunOptions options = check_options(settings);
  auto scheme = make_scheme(how.scheme, how.options);
  Simulation simulation(system, *scheme, settings, options.loop);
  std::optional<Automatic> automatic;
  if (how.scheme == "auto") simulation.follow(automatic.emplace(system, how.tolerance));
  simulation.observe(watch);
  if (balance) simulation.observe(*balance);
  return simulation.run(start);
}

inline double number(const nlohmann::json& value) { return std::stod(value.get<std::string>()); }

struct Benchmark {
  std::string id, file;
  double end = 0, save = 0;
  // how far a state is from the reference, in metres or radians; 0 where the reference says nothing
  std::function<double(const State&)> deviation;
  std::vector<How> runs;
  std::map<std::string, std::string> not_run{};  // scheme: why
};

struct Measured {
  Outcome outcome;
  double energy = 0, kinetic = 0, deviation = 0, position = 0, velocity = 0;
};

inline Measured measure(const Benchmark& benchmark, const How& how) {
  const Model model = load_model(escapement::testing::source_folder() + "/examples/" + benchmark.file + ".yaml");
  Watch watch(*model.system);
  EnergyMonitor balance(*model.system);  // with the work of torques and dampers
  Measured m;
  watch.at_sample = [&](const State& s) { m.deviation = std::max(m.deviation, benchmark.deviation(s)); };
  m.outcome = run_watched(*model.system, model.start, how, how.end > 0 ? how.end : benchmark.end, benchmark.save, watch, &balance);
  m.energy = balance.max_error();
  m.kinetic = watch.energy.kinetic;
  m.position = watch.energy.position;
  m.velocity = watch.energy.velocity;
  return m;
}

// the entry of a grid with this time, or null
inline const nlohmann::json* entry_at(const nlohmann::json& grid, double t) {
  for (const auto& entry : grid)
    if (std::abs(number(entry["t"]) - t) < 1e-9) return &entry;
  return nullptr;
}

inline double largest_difference(std::initializer_list<double> ours, const nlohmann::json& theirs) {
  double largest = 0;
  int i = 0;
  for (double x : ours) largest = std::max(largest, std::abs(x - number(theirs[i++])));
  return largest;
}

// Newmark's rule with gamma = 1/2 imposed on positions has undamped multipliers, which grow on a curved path: it keeps
// both levels here. Moreau-Jean without a position level leaves the path where rods are aligned. Moreau's rules with
// rows inside the step are of first order and lose energy in proportion to the step: they get small steps, and where
// these are too many a shorter time.
inline const std::map<std::string, OptionValue> both_levels{{"level", std::string("ggl")}},
    to_position{{"projection", std::string("position")}};

inline Benchmark a01() {
  Benchmark b{"A01", "a01_pendulum_body", 10, 1, {}, {}};
  b.deviation = [grid = read_json("A01_pendulum.json")["grid"]](const State& s) {
    const auto* entry = entry_at(grid, s.t);
    return entry ? largest_difference({s.q[0], s.q[1]}, (*entry)["q"]) : 0;
  };
  b.runs = {{"hem5", 0, 1e-7},
            {"hem5", 1e-2},
            {"phem56", 1e-2},
            {"mexx", 1e-2},
            {"rk4", 5e-3},
            {"rkf45", 0, 1e-8},
            {"generalized-alpha", 5e-4},
            {"newmark", 5e-4, 0, both_levels},
            {"hht", 5e-4},
            {"bdf", 2.5e-4},
            {"radau", 1e-2},
            {"structural-explicit", 2e-3},
            {"structural-conditional", 5e-3},
            {"structural-implicit", 5e-3},
            {"moreau-midpoint-ggl", 1e-3},
            {"nonsmooth-generalized-alpha", 5e-4},
            {"nonsmooth-generalized-alpha-ggl", 5e-4},
            {"auto", 0, 1e-7}};
  const char* first_order = "of first order: loses 0.9 J at h = 1e-3, so that 5e-5 J would take h = 5e-8";
  b.not_run = {
      {"moreau-jean", first_order}, {"moreau-midpoint", first_order}, {"moreau-midpoint-ggl-decoupled", first_order}};
  return b;
}

inline Benchmark a02() {
  Benchmark b{"A02", "a02_four_bars", 10, 1, {}, {}};
  b.deviation = [grid = read_json("A02_four_bars.json")["grid"]](const State& s) {
    const auto* entry = entry_at(grid, s.t);
    return entry ? largest_difference({2 * s.q[0], 2 * s.q[1]}, (*entry)["B0"]) : 0;
  };
  b.runs = {{"hem5", 0, 1e-6},
            {"hem5", 0, 1e-8},
            {"hem5", 0, 1e-10},
            {"hem5", 1e-2},
            {"phem56", 0, 1e-8},
            {"mexx", 0, 1e-8},
            {"rk4", 5e-3},
            {"rkf45", 5e-3},
            {"generalized-alpha", 2e-3},
            {"newmark", 2e-3, 0, both_levels},
            {"hht", 2e-3},
            {"bdf", 1e-3},
            {"radau", 0, 1e-8},
            {"structural-explicit", 2e-3},
            {"structural-conditional", 5e-3},
            {"structural-implicit", 5e-3},
            {"moreau-midpoint-ggl", 2e-3},
            {"nonsmooth-generalized-alpha", 2e-3},
            {"nonsmooth-generalized-alpha-ggl", 2e-3},
            {"auto", 0, 1e-8},
            {"moreau-jean", 4e-5, 0, to_position, 1.5, true},
            {"moreau-midpoint", 2e-5, 0, {}, 3, true},
            {"moreau-midpoint-ggl-decoupled", 4e-5, 0, {}, 1.5, true}};
  return b;
}

inline Benchmark a03() {
  Benchmark b{"A03", "a03_andrews_bodies", 0.03, 1e-3, {}, {}};
  b.deviation = [grid = read_json("A03_andrews.json")["grid_0_to_0_05"]](const State& s) {
    const auto* entry = entry_at(grid, s.t);
    if (!entry) return 0.0;
    // beta; theta + beta; gamma; phi + delta; delta; Omega + epsilon; epsilon are the angles of K1 to K7
    const Vec q = read_vector((*entry)["q"]);
    const double angle[] = {q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]};
    double largest = 0;
    for (int k = 0; k < 7; ++k) largest = std::max(largest, std::abs(s.q[3 * k + 2] - angle[k]));
    return largest;
  };
  b.runs = {{"hem5", 0, 1e-7},
            {"phem56", 0, 1e-7},
            {"mexx", 0, 1e-7},
            {"rk4", 1e-5},
            {"rkf45", 0, 1e-8},
            {"generalized-alpha", 5e-6},
            {"newmark", 5e-6, 0, both_levels},
            {"hht", 5e-6},
            {"bdf", 4e-6},
            {"radau", 0, 1e-7},
            {"structural-explicit", 5e-6},
            {"structural-conditional", 1e-5},
            {"structural-implicit", 1e-5},
            {"moreau-midpoint-ggl", 5e-6},
            {"nonsmooth-generalized-alpha", 5e-6},
            {"nonsmooth-generalized-alpha-ggl", 5e-6},
            {"auto", 0, 1e-7}};
  const char* first_order = "of first order: 0.03 rad off at h = 2e-6, so that 1e-4 would take h = 6e-9";
  b.not_run = {
      {"moreau-jean", first_order}, {"moreau-midpoint", first_order}, {"moreau-midpoint-ggl-decoupled", first_order}};
  return b;
}

inline Benchmark a04() {
  Benchmark b{"A04", "a04_bricard", 10, 0.5, {}, {}};
  b.deviation = [grid = read_json("A04_bricard.json")["brick"]](const State& s) {
    const auto* entry = entry_at(grid, s.t);
    if (!entry) return 0.0;
    // hinge 3 stands at the end of rod 2
    const Vec3 p = s.q.segment<3>(7) + rotation_matrix(s.q.segment<4>(10)) * Vec3(0, -0.5, 0);
    return largest_difference({p[0], p[1], p[2]}, (*entry)["P3"]);
  };
  b.runs = {{"hem5", 0, 1e-6},
            {"hem5", 1e-2},
            {"phem56", 1e-2},
            {"mexx", 0, 1e-7},
            {"rk4", 5e-3},
            {"rkf45", 0, 1e-7},
            {"generalized-alpha", 5e-3},
            {"newmark", 5e-3, 0, both_levels},
            {"hht", 5e-3},
            {"bdf", 5e-3},
            {"radau", 1e-2},
            {"structural-explicit", 2e-3},
            {"structural-conditional", 1e-2},
            {"structural-implicit", 1e-2},
            {"moreau-midpoint-ggl", 5e-3},
            {"nonsmooth-generalized-alpha", 5e-3},
            {"nonsmooth-generalized-alpha-ggl", 5e-3},
            {"auto", 0, 1e-7},
            {"moreau-jean", 4e-5, 0, {}, 2, true},
            {"moreau-midpoint", 4e-5, 0, {}, 0, true},
            {"moreau-midpoint-ggl-decoupled", 5e-5, 0, {}, 2, true}};
  return b;
}

inline Benchmark a05() {
  Benchmark b{"A05", "a05_governor", 1, 0.1, {}, {}};
  b.deviation = [grid = read_json("A05_governor.json")["grid"]](const State& s) {
    const auto* entry = entry_at(grid, s.t);
    return entry ? std::abs(s.q[7 + 2] - number((*entry)["s"])) : 0;
  };
  b.runs = {{"hem5", 1.5e-4},
            {"phem56", 1.5e-4},
            {"mexx", 2e-4},
            {"rk4", 2.5e-4},
            {"rkf45", 2.5e-4},
            {"generalized-alpha", 5e-4},
            {"newmark", 5e-4, 0, both_levels},
            {"hht", 5e-4},
            {"bdf", 5e-4},
            {"radau", 5e-4},
            {"structural-explicit", 2.5e-5},
            {"structural-conditional", 1e-4},
            {"structural-implicit", 1e-4},
            {"moreau-jean", 1e-5, 0, {}, 0.5, true},
            {"moreau-midpoint", 1e-5},
            {"moreau-midpoint-ggl-decoupled", 2e-5, 0, {}, 0, true},
            {"moreau-midpoint-ggl", 5e-4},
            {"nonsmooth-generalized-alpha", 5e-4},
            {"nonsmooth-generalized-alpha-ggl", 5e-4},
            {"auto", 0, 1e-6}};
  return b;
}

inline std::vector<Benchmark> iftomm_benchmarks() { return {a01(), a02(), a03(), a04(), a05()}; }

}  // namespace escapement::testing
