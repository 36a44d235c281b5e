// Energy, drift and distance from the reference of the IFToMM benchmarks A01 to A05, for every scheme that runs them,
// at the steps and tolerances of the tests, as tables of Markdown:
//   bench_mechanisms [A01 ...]
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "support/iftomm.hpp"

using namespace escapement;
using namespace escapement::testing;

namespace {

double cpu_seconds() {
  std::timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int table(const Benchmark& benchmark) {
  int failures = 0;
  std::printf("\n%s (`%s.yaml`), %g s\n\n", benchmark.id.c_str(), benchmark.file.c_str(), benchmark.end);
  std::printf(
      "| scheme | step or tolerance | steps | largest energy error, J | over largest kinetic energy | drift of "
      "positions "
      "| drift of velocities | from the reference | CPU time, s |\n| --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- |\n");
  for (const How& how : benchmark.runs) {
    const double before = cpu_seconds();
    const Measured m = measure(benchmark, how);
    const double seconds = cpu_seconds() - before;
    char step[64], until[32] = "";
    std::snprintf(step, sizeof step, how.step > 0 ? "h = %g" : "tol %g", how.step > 0 ? how.step : how.tolerance);
    if (how.end > 0) std::snprintf(until, sizeof until, ", to %g s", how.end);
    std::printf("| `%s` | %s%s | %ld | %.1e | %.1e | %.1e | %.1e | %.1e | %.2f |%s\n", how.name().c_str(), step, until,
                static_cast<long>(m.outcome.steps), m.energy, m.energy / m.kinetic, m.position, m.velocity, m.deviation,
                seconds,
                m.outcome.status == Outcome::Status::completed ? "" : (" FAILED: " + m.outcome.message).c_str());
    failures += m.outcome.status != Outcome::Status::completed;
    std::fflush(stdout);
  }
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  int failures = 0;
  for (const Benchmark& benchmark : iftomm_benchmarks()) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || benchmark.id == argv[i];
    if (wanted) failures += table(benchmark);
  }
  return failures > 0;
}
