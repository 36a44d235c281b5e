// The IFToMM benchmarks A01 to A05 as mechanisms, against reference solutions, with every scheme of the registry that applies.
#include <gtest/gtest.h>

#include "model/mechanism.hpp"
#include "support/iftomm.hpp"
#include "support/mechanisms.hpp"
#include "support/source_folder.hpp"

namespace escapement::benchmark_test {
namespace {

using namespace testing;

struct Case {
  Benchmark benchmark;
  How how;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.benchmark.id << " " << c.how; }

std::vector<Case> cases(bool slow) {
  std::vector<Case> list;
  for (const Benchmark& benchmark : iftomm_benchmarks())
    for (const How& how : benchmark.runs)
      if (how.slow == slow) list.push_back({benchmark, how});
  return list;
}

void check(const Case& c) {
  const testing::Measured m = measure(c.benchmark, c.how);
  ASSERT_EQ(m.outcome.status, Outcome::Status::completed) << c << ": " << m.outcome.message;
  const std::string& id = c.benchmark.id;
  // energy alone would not tell an error of phase
  double energy = INFINITY, deviation = INFINITY;
  if (id == "A01") energy = 5e-5, deviation = 2e-3;
  if (id == "A02") energy = 1e-3 * m.kinetic, deviation = 0.05;
  if (id == "A03") deviation = 1e-4;
  if (id == "A04") energy = 1e-3 * m.kinetic, deviation = 0.02;
  if (id == "A05") deviation = 1e-4;
  EXPECT_LT(m.energy, energy) << c;
  EXPECT_LT(m.deviation, deviation) << c;
}

class Iftomm : public ::testing::TestWithParam<Case> {};
class IftommSlow : public ::testing::TestWithParam<Case> {};
TEST_P(Iftomm, StaysWithinItsBound) { check(GetParam()); }
TEST_P(IftommSlow, StaysWithinItsBound) { check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Schemes, Iftomm, ::testing::ValuesIn(cases(false)));
INSTANTIATE_TEST_SUITE_P(Schemes, IftommSlow, ::testing::ValuesIn(cases(true)));

// a scheme that joins the registry runs them all, or the benchmark says why not
TEST(IftommSchemes, AreAllOfTheRegistry) {
  for (const Benchmark& benchmark : iftomm_benchmarks())
    for (const SchemeEntry& entry : all_schemes()) {
      bool runs = false;
      for (const How& how : benchmark.runs) runs = runs || how.scheme == entry.info.id;
      EXPECT_NE(runs, benchmark.not_run.contains(entry.info.id)) << benchmark.id << " " << entry.info.id;
    }
}

// the row that is left out is held by the others, with every scheme
class LeftOutRow : public ::testing::TestWithParam<How> {};
TEST_P(LeftOutRow, IsHeldByTheOthers) {
  const Model model = load_model(escapement::testing::source_folder() + "/examples/a04_bricard.yaml");
  EXPECT_EQ(model.system->first_rows().left_out.size(), 1u);
  const Mechanism<3> all = bricard();  // the same mechanism with all rows
  Terms T;
  all.prepare(T);
  Watch watch(*model.system);
  double worst = 0;
  watch.at_sample = [&](const State& s) {
    State same = all.start();
    // the bodies of the two stand alike but are turned differently about themselves
    for (int b = 0; b < 5; ++b) {
      same.q.segment<3>(7 * b) = s.q.segment<3>(7 * b);
      const Vec4 from = conjugate(Vec4(model.start.q.segment<4>(7 * b + 3))), now = s.q.segment<4>(7 * b + 3);
      same.q.segment<4>(7 * b + 3) = product(product(now, from), Vec4(all.start().q.segment<4>(7 * b + 3)));
    }
    all.evaluate(same, Need::gap, T);
    worst = std::max(worst, T.g.lpNorm<Eigen::Infinity>());
  };
  const Outcome outcome = run_watched(*model.system, model.start, GetParam(), 1, 0.1, watch);
  EXPECT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
  EXPECT_LT(worst, GetParam().tolerance);
}
// here tolerance is the distance by which joints may open
INSTANTIATE_TEST_SUITE_P(Schemes, LeftOutRow,
                         ::testing::Values(How{"hem5", 1e-2, 1e-8}, How{"rk4", 1e-2, 1e-12},
                                           How{"generalized-alpha", 1e-2, 1e-12}, How{"moreau-jean", 1e-3, 1e-3},
                                           How{"moreau-midpoint", 1e-3, 1e-3},
                                           How{"moreau-midpoint-ggl-decoupled", 1e-2, 1e-10},
                                           How{"moreau-midpoint-ggl", 1e-2, 1e-10},
                                           How{"nonsmooth-generalized-alpha", 1e-2, 1e-3},
                                           How{"nonsmooth-generalized-alpha-ggl", 1e-2, 1e-10}));

// N = 40: plane and space; in space 121 of the 605 rows are redundant
class ManyFourBarsSlow : public ::testing::TestWithParam<How> {};
TEST_P(ManyFourBarsSlow, KeepTheirEnergy) {
  Mechanism<2> plane(down_y<2>());
  Mechanism<3> space(down_y<3>());
  build_four_bars(plane, 40);
  build_four_bars(space, 40);
  plane.finish();
  space.finish();
  const auto check = [](const System& system, const State& start) {
    Watch watch(system);
    const Outcome outcome = run_watched(system, start, GetParam(), GetParam().end, 1, watch);
    EXPECT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
    EXPECT_LT(watch.energy.error, 1e-3 * watch.energy.kinetic);
    EXPECT_LT(watch.energy.position, 1e-6) << "the bars stay together";
  };
  check(plane, plane.start());
  check(space, space.start());
}
INSTANTIATE_TEST_SUITE_P(Schemes, ManyFourBarsSlow,
                         ::testing::Values(How{"hem5", 1e-2, 0, {}, 10}, How{"rk4", 1e-2, 0, {}, 2}, How{"generalized-alpha", 5e-3, 0, {}, 2},
                                           How{"bdf", 2e-3, 0, {}, 1}, How{"structural-conditional", 1e-2, 0, {}, 2},
                                           How{"moreau-midpoint-ggl", 5e-3, 0, {}, 1}, How{"nonsmooth-generalized-alpha-ggl", 5e-3, 0, {}, 1}));

}  // namespace
}  // namespace escapement
