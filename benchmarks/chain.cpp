// CPU time per step of falling chains with 10 to 10,000 links, in the plane and in space, and how it grows:
//   bench_chain [largest n] [scheme ...]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "schemes/scheme.hpp"
#include "support/mechanisms.hpp"

namespace {

using namespace escapement;

double cpu_seconds() {
  std::timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Measured {
  double seconds = 0;     // per step, the best of several runs of steps
  double iterations = 0;  // of Newton's method per step
};

template <int D>
Measured measure(int n, const std::string& id, double h) {
  const Mechanism<D> system = testing::chain<D>(n);
  auto scheme = make_scheme(id);
  State s = system.start(), s1;
  scheme->start(system, s);
  s1 = s;
  const int steps = std::max(3, 2000 / n);
  Measured result{INFINITY, 0};
  long iterations = 0, total = 0;
  for (int run = 0; run < 4; ++run) {
    const double before = cpu_seconds();
    for (int i = 0; i < steps; ++i) {
      const StepReport report = scheme->step(system, s, h, s1);
      if (!report.ok()) {
        std::printf("  %s fails at n = %d\n", id.c_str(), n);
        return {};
      }
      iterations += report.newton_iterations;
      ++total;
      std::swap(s, s1);
    }
    result.seconds = std::min(result.seconds, (cpu_seconds() - before) / steps);
  }
  result.iterations = static_cast<double>(iterations) / static_cast<double>(total);
  return result;
}

template <int D>
void table(const std::string& id, int largest) {
  constexpr double h = 1e-3;
  std::printf("\n%s, %s, h = %g\n  %8s %14s %14s %10s %10s\n", id.c_str(), D == 2 ? "plane" : "space", h, "links",
              "ms per step", "us per link", "iterations", "exponent");
  double first = 0, last = 0;
  for (int n = 10; n <= largest; n *= 10) {
    const Measured m = measure<D>(n, id, h);
    if (m.seconds == 0) return;
    std::printf("  %8d %14.4f %14.3f %10.2f", n, 1e3 * m.seconds, 1e6 * m.seconds / n, m.iterations);
    if (last > 0) std::printf(" %10.2f", std::log10(m.seconds / last));
    std::printf("\n");
    std::fflush(stdout);
    last = m.seconds;
    if (n == 100) first = m.seconds;
    if (n == 10000) std::printf("  growth exponent from 100 to 10000: %.3f\n", 0.5 * std::log10(m.seconds / first));
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int largest = count > 1 ? std::atoi(arguments[1]) : 10000;
  std::vector<std::string> ids(arguments + std::min(count, 2), arguments + count);
  if (ids.empty()) ids = {"generalized-alpha", "hem5", "moreau-jean"};
  for (const std::string& id : ids) {
    if (!find_scheme(id)) {
      std::printf("\nthere is no scheme '%s'\n", id.c_str());
      continue;
    }
    table<3>(id, largest);
    table<2>(id, largest);
  }
}
