// Steps of the slider-crank with clearance, [004]: Moreau's midpoint rule written by hand for this one mechanism against the
// schemes of the library on the model file. contact_steps.sh counts the instructions of each loop.
//   bench_contact_steps LOOP [STEPS]   LOOP: hand, or a time-stepping scheme; STEPS of 1e-5 s, 10000 unless given
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "slider_crank_by_hand.hpp"
#include "io/model_file.hpp"
#include "support/source_folder.hpp"

using namespace escapement;

namespace {

constexpr double h = ByHand::h;

__attribute__((noinline)) void loop_by_hand(ByHand& crank, int steps) {
  for (int i = 0; i < steps; ++i) crank.step();
}

// the last state, or nothing where a step fails
__attribute__((noinline)) const State* loop_by_scheme(Scheme& scheme, const System& system, State& first, State& second, int steps, std::map<int, long>* histogram) {
  State *s = &first, *s1 = &second;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = scheme.step(system, *s, h, *s1);
    if (!report.ok()) return nullptr;
    std::swap(s, s1);
    if (histogram) ++(*histogram)[report.newton_iterations];
  }
  return s;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  const std::string loop = argc > 1 ? argv[1] : "hand";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10000;
  if (loop == "hand") {
    ByHand crank;
    const double begin = seconds();
    loop_by_hand(crank, steps);
    std::printf("%.3f us per step, v = %.12g %.12g %.12g\n", 1e6 * (seconds() - begin) / steps, crank.v[0], crank.v[1], crank.v[2]);
    return 0;
  }
  const Model model = load_model(escapement::testing::source_folder() + "/examples/slider_crank_clearance.yaml");
  const auto scheme = make_scheme(loop);
  scheme->estimate_errors(false);  // as runs with fixed steps do
  State s = model.start;
  scheme->start(*model.system, s);
  State s1 = s;
  const double begin = seconds();
  const State* const end = loop_by_scheme(*scheme, *model.system, s, s1, steps, nullptr);
  if (!end) return 1;
  std::printf("%.3f us per step, v = %.12g %.12g %.12g\n", 1e6 * (seconds() - begin) / steps, end->v[0], end->v[1], end->v[2]);

  std::map<int, long> histogram;
  s = model.start;
  scheme->start(*model.system, s);
  loop_by_scheme(*scheme, *model.system, s, s1, steps, &histogram);
  std::printf("steps by Newton iterations:");
  for (const auto& [iterations, count] : histogram) std::printf("  %d: %ld", iterations, count);
  std::printf("\n");
  return 0;
}
