// A run that goes on from a checkpoint ends with the same bits as one that never stopped, for every scheme.
#include <gtest/gtest.h>

#include <cmath>

#include "io/run.hpp"

namespace escapement {
namespace {

const std::string examples = std::string(ESCAPEMENT_SOURCE_DIR) + "/examples";

RunReport whole_run(const std::string& file, const Overrides& overrides) {
  Model model = load_model(file, overrides);
  return run_model(model);
}

// stops at the first chance after t, as a kill would, and goes on from the checkpoint taken there
RunReport broken_run(const std::string& file, const Overrides& overrides, double t) {
  Result kept;
  bool taken = false;
  {
    Model model = load_model(file, overrides);
    RunHooks hooks;
    hooks.wants_result = [&](double now) { return !taken && now >= t; };
    hooks.take_result = [&](const Result& result) {
      kept = result;
      taken = true;
    };
    run_model(model, hooks);
  }
  EXPECT_TRUE(taken);
  EXPECT_FALSE(kept.checkpoint.empty());
  Model model = read_model_of(kept, file);
  RunHooks hooks;
  hooks.resume = &kept;
  return run_model(model, hooks);
}

void expect_same_bits(RunReport& a, RunReport& b) {
  ASSERT_EQ(a.outcome.status, b.outcome.status) << b.outcome.message;
  std::vector<std::vector<double>*> columns;
  for_each_sample_column(a.result, [&](std::vector<double>& column) { columns.push_back(&column); });
  std::size_t k = 0;
  for_each_sample_column(b.result, [&](std::vector<double>& column) {
    EXPECT_EQ(*columns[k], column) << "column " << k;
    ++k;
  });
  EXPECT_EQ(a.result.events.time, b.result.events.time);
  EXPECT_EQ(a.result.events.impulse, b.result.events.impulse);
  EXPECT_EQ(a.result.events.note, b.result.events.note);
  EXPECT_EQ(a.result.steps.time, b.result.steps.time);
  EXPECT_EQ(a.result.steps.error, b.result.steps.error);
  EXPECT_EQ(a.result.steps.rejected, b.result.steps.rejected);
  a.summary.erase("wall_seconds");
  b.summary.erase("wall_seconds");
  EXPECT_EQ(a.summary.dump(), b.summary.dump());
}

struct Case {
  std::string model, scheme, end;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const SchemeEntry& scheme : schemes()) {
    for (const auto& [model, end] : {std::pair{"slider_crank", "0.5"}, std::pair{"slider_crank_clearance", "0.02"},
                                     std::pair{"stick_slip_belt", "1"}})
      list.push_back({model, scheme.info.id, end});
  }
  return list;
}

class Checkpoint : public testing::TestWithParam<Case> {};

TEST_P(Checkpoint, GoesOnWithTheSameBits) {
  const Case& c = GetParam();
  const std::string file = examples + "/" + c.model + ".yaml";
  Overrides overrides;
  overrides.scheme = c.scheme;
  overrides.end = c.end;
  overrides.lenient_options = true;
  const SchemeInfo& info = find_scheme(c.scheme)->info;
  const bool adaptive = info.error_power > 0 && !info.time_stepping;
  (adaptive ? overrides.tolerance : overrides.step) = adaptive ? "1e-5" : "1e-4";
  Settings settings = load_model(file, overrides).settings;
  try {
    check_options(settings);
  } catch (const OptionError&) {
    GTEST_SKIP() << "the model's options are not this scheme's";
  }
  RunReport whole = whole_run(file, overrides);
  for (const double part : {0.37, 0.81}) {
    RunReport broken = broken_run(file, overrides, part * std::strtod(c.end.c_str(), nullptr));
    SCOPED_TRACE(part);
    expect_same_bits(whole, broken);
  }
}

TEST(CheckpointFile, HoldsForErrorControlledTimeStepping) {
  Overrides overrides;
  overrides.scheme = "moreau-midpoint-ggl";
  overrides.tolerance = "1e-6";
  overrides.end = "0.02";
  const std::string file = examples + "/slider_crank_clearance.yaml";
  RunReport whole = whole_run(file, overrides), broken = broken_run(file, overrides, 0.011);
  expect_same_bits(whole, broken);
}

INSTANTIATE_TEST_SUITE_P(EveryScheme, Checkpoint, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param.model + "_" + test.param.scheme;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(CheckpointFile, RefusesTheCheckpointOfAnotherModel) {
  Model model = load_model(examples + "/slider_crank.yaml"), other = load_model(examples + "/bouncing_ball.yaml");
  Result kept;
  RunHooks hooks;
  hooks.wants_result = [](double t) { return t > 1; };
  hooks.take_result = [&](const Result& result) { kept = result; };
  run_model(model, hooks);
  RunHooks resume;
  resume.resume = &kept;
  EXPECT_THROW(run_model(other, resume), SnapshotError);
}

}  // namespace
}  // namespace escapement
