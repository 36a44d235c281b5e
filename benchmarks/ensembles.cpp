// Steps of many slider-cranks with clearance, [004], that differ in restitution and start speed: over lanes, against the loop by hand
// that makes one after the other, in turns on one core.
//   bench_ensembles [ROUNDS]              prints nanoseconds of CPU time per step of a member, the smallest of the rounds
//   bench_ensembles gpu SCHEME MEMBERS [BLOCK BLOCKS]   on a GPU, 10,000 steps, as steps per second; see GpuShape
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string_view>

#include "ensemble/gpu.hpp"
#include "ensemble/lanes.hpp"
#include "ensemble/members.hpp"
#include "slider_crank_by_hand.hpp"

using namespace escapement;

namespace {

constexpr int steps = 10000, members = 32;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

__attribute__((noinline)) double by_hand() {
  double sum = 0;
  for (int k = 0; k < members; ++k) {
    ByHand crank;
    crank.v[0] -= 0.1 * k;
    crank.v[1] += 0.05 * k;
    for (int i = 0; i < steps; ++i) crank.step();
    sum += crank.v[0];
  }
  return sum;
}

EnsembleScheme scheme_of(std::string_view id) {
  return id == "moreau-midpoint-ggl" ? EnsembleScheme::moreau_midpoint_ggl : id == "moreau-jean" ? EnsembleScheme::moreau_jean : EnsembleScheme::moreau_midpoint;
}

int on_gpu(EnsembleScheme scheme, int count, const GpuShape& shape) {
  escapement::testing::MemberFormulas m({"e", "speed"});
  escapement::testing::add_slider_crank(m, "e", "0.001", "speed");
  m.sample(Reduction::final, "th1'");
  m.sample(Reduction::max, "g1.force");
  const Ensemble ensemble = m.make({.scheme = scheme, .start = 0, .end = steps * ByHand::h, .step = ByHand::h, .save_every = 1e-4});
  std::vector<double> parameters;
  for (int k = 0; k < count; ++k) parameters.insert(parameters.end(), {0.1 + 0.8 * k / count, 150 - 0.01 * (k % 1000)});
  EnsembleResult result;
  GpuTimes times;
  for (int round = 0; round < 2; ++round) {
    run_gpu(ensemble, parameters, {}, result, &times, shape);
    double impacts = 0, failed = 0;
    for (int k = 0; k < count; ++k) {
      impacts += result.impacts[static_cast<std::size_t>(k)];
      failed += result.failure[static_cast<std::size_t>(k)] != 0;
    }
    std::printf("%s, %d members, block %d, %d: %.3g steps/s (%.3f s; device %.3f s, kernel %.3f s%s), %.1f impacts each, %g failed\n", times.device.c_str(), count,
                shape.block, shape.blocks, 1.0 * steps * count / times.run, times.run, times.prepare, times.kernel_code, times.from_cache ? " from the cache" : "", impacts / count, failed);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3 && std::string_view(argv[1]) == "gpu") {
    try {
      return on_gpu(scheme_of(argv[2]), std::atoi(argv[3]), argc > 5 ? GpuShape{std::atoi(argv[4]), std::atoi(argv[5])} : GpuShape{});
    } catch (const GpuError& error) {
      std::printf("%s\n", error.what());
      return 1;
    }
  }
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  escapement::testing::MemberFormulas m({"e", "speed"});
  escapement::testing::add_slider_crank(m, "e", "0.001", "speed");
  m.sample(Reduction::final, "th1'");
  const Ensemble ensemble = m.make({.start = 0, .end = steps * ByHand::h, .step = ByHand::h, .save_every = steps * ByHand::h});
  std::vector<double> parameters;
  for (int k = 0; k < members; ++k) parameters.insert(parameters.end(), {0.1, 150 - 0.1 * k});

  const std::vector<LaneEngine> engines = lane_engines();
  std::vector<double> best(engines.size() + 1, std::numeric_limits<double>::infinity());
  double sum = 0;
  EnsembleResult result;
  for (int r = 0; r < rounds; ++r) {
    double begin = cpu_seconds();
    sum = by_hand();
    best[0] = std::min(best[0], cpu_seconds() - begin);
    for (std::size_t i = 0; i < engines.size(); ++i) {
      begin = cpu_seconds();
      run_lanes(ensemble, engines[i], parameters, 1, {}, result);
      best[i + 1] = std::min(best[i + 1], cpu_seconds() - begin);
    }
  }
  double other = 0;
  for (int k = 0; k < members; ++k) other += result.value[static_cast<std::size_t>(k)];
  constexpr double each = 1e9 / (1.0 * steps * members);
  std::printf("by hand             %7.1f ns\n", each * best[0]);
  for (std::size_t i = 0; i < engines.size(); ++i)
    std::printf("%-19s %7.1f ns   %.2f of the loop by hand\n", engines[i].name, each * best[i + 1], best[0] / best[i + 1]);
  std::printf("mean speeds of the cranks at the end, by hand and over lanes: %.9g %.9g\n", sum / members, other / members);
  return 0;
}
