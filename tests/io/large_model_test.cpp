// Whole runs of models with many bodies: what a body costs does not depend on how many there are. Nothing here is timed.
#include <gtest/gtest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "io/model_file.hpp"
#include "io/result_file.hpp"
#include "io/run.hpp"
#include "schemes/registry.hpp"
#include "support/allocations.hpp"

namespace escapement::large_model_test {
namespace {

namespace fs = std::filesystem;

// every link has a force and a gap given by formulas
constexpr const char* chain = R"(escapement: 1
parameters: {n: 10}
dimension: 2
gravity: [0, -9.81]
bodies:
  link{k}: {repeat: {k: [1, n]}, mass: 1, inertia: 1/12, position: [k - 0.5, 0], shapes: [{box: [1, 0.1]}]}
joints:
  pin1: {revolute: [ground, link1], at: [0, 0]}
  pin{k}: {repeat: {k: [2, n]}, revolute: ["link{k - 1}", "link{k}"], at: [k - 1, 0]}
forces:
  pull{k}: {repeat: {k: [1, n]}, force: "link{k}", value: [0, "-0.1*link{k}.y'"]}
contacts:
  floor{k}: {repeat: {k: [1, n]}, gap: "link{k}.y + 3"}
outputs: {height: link1.y}
simulation: {end: 2e-3, scheme: generalized-alpha, step: 1e-3, save_every: 0}
)";

struct Cost {
  double allocations, bytes;  // per link
};

template <class Action>
Cost cost(int links, Action action) {
  const long allocations = testing::allocations;
  const double bytes = testing::allocated_bytes;
  action();
  return {static_cast<double>(testing::allocations - allocations) / links, (testing::allocated_bytes - bytes) / links};
}

Model read_chain(int links) {
  Overrides overrides;
  overrides.parameters.emplace_back("n", std::to_string(links));
  return read_model("chain.yaml", chain, overrides);
}

TEST(LargeModel, ALinkIsReadRunAndWrittenAtTheSameCostInALongChain) {
  const fs::path file = fs::temp_directory_path() / ("escapement_large_" + std::to_string(getpid()) + ".h5");
  Cost read[2], run[2], write[2];
  double size[2];
  for (const int k : {0, 1}) {
    const int links = k == 0 ? 100 : 800;
    read[k] = cost(links, [&] { read_chain(links); });
    Model model = read_chain(links);
    RunReport report;
    run[k] = cost(links, [&] { report = run_model(model); });
    ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
    EXPECT_EQ(report.summary.drift_by_constraint.size(), 2u * links);
    write[k] = cost(links, [&] { write_result(report.result, file); });
    size[k] = static_cast<double>(fs::file_size(file)) / links;
  }
  fs::remove(file);
  // anything made for each link as large as the whole would make these 8
  const auto expect_same = [](const Cost& few, const Cost& many, const char* what) {
    EXPECT_LT(many.allocations, 1.2 * few.allocations) << what;
    EXPECT_LT(many.bytes, 1.5 * few.bytes) << what;
  };
  expect_same(read[0], read[1], "read");
  expect_same(run[0], run[1], "run");
  expect_same(write[0], write[1], "write");
  EXPECT_LT(size[1], 1.05 * size[0]);
}

// Contacts that stay open: what a run takes for one of them does not depend on how many there are, by any scheme that has contacts. One
// number for every pair of them would make this 4
TEST(LargeModel, ContactsThatStayOpenTakeMemoryEachForItself) {
  const auto bytes = [](const std::string& scheme, int contacts) {
    std::string text = "escapement: 1\ncoordinates: {x: {start: 0.3}, y: {start: 0.2}}\nkinetic_energy: (x'^2 + y'^2)/2\n"
                       "potential_energy: 20*x^2 + 30*y^2\nsimulation: {end: 0.02}\ncontacts:\n";
    for (int k = 0; k < contacts; ++k)
      text += fmt::format("  wall{}: {{gap: x + {} + 0.01*cos(y + {}), friction: 0.3, slip: y'}}\n", k, 10 + 1e-3 * k, 0.1 * k);
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.step = "1e-3";
    Model model = read_model("open.yaml", text, overrides);
    RunReport report;
    const Cost run = cost(contacts, [&] { report = run_model(model); });
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << report.outcome.message;
    return run.bytes;
  };
  for (const SchemeEntry& entry : all_schemes()) {
    const std::string scheme(entry.info.id);
    if (scheme == "auto" || scheme.starts_with("structural")) continue;  // one of the others; without contacts
    EXPECT_LT(bytes(scheme, 1000), 1.5 * bytes(scheme, 250)) << scheme;
  }
}

}  // namespace
}  // namespace escapement
