// CPU time per step of falling chains with 10 to 10,000 links, in the plane and in space, and how it grows:
//   bench_chain [-m LEAST] [-n LARGEST] [-s STEPS] [-d 2|3] [-t NEWTON_TOLERANCE] [-l LINK | -c CHAIN] [SCHEME ...]
// LINK: length of a link in metres (0.1), CHAIN: length of the whole chain. Steps of 1 ms from rest, of fixed size.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "schemes/scheme.hpp"
#include "support/mechanisms.hpp"
#include "system/counting_system.hpp"

namespace {

using namespace escapement;

struct Settings {
  int least = 10, largest = 10000, steps = 100, dimension = 0;
  double link = 0.1, chain = 0, tolerance = -1;
  double h = 1e-3;
};

double cpu_seconds() {
  std::timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Measured {
  bool ok = true;
  double seconds = 0;                              // per step, the median of five blocks of steps
  double iterations = 0, factors = 0, solves = 0;  // per step
  double drift = 0;                                // largest gap at the end
};

__attribute__((noinline)) bool take_steps(const System& system, Scheme& scheme, double h, int steps, State& s,
                                          State& s1, Measured& sum) {
  for (int i = 0; i < steps; ++i) {
    const StepReport report = scheme.step(system, s, h, s1);
    if (!report.ok()) return false;
    sum.iterations += report.newton_iterations;
    sum.solves += report.linear_solves;
    std::swap(s, s1);
  }
  return true;
}

template <int D>
Measured measure(int n, const std::string& id, const Settings& set) {
  const Mechanism<D> mechanism = testing::chain<D>(n, set.chain > 0 ? set.chain / n : set.link);
  std::map<std::string, OptionValue> options;
  if (set.tolerance >= 0 && id != "hem5") options["newton_tolerance"] = set.tolerance;
  const CountingSystem system(mechanism);
  auto scheme = make_scheme(id, options);
  scheme->estimate_errors(false);  // as in every run of fixed steps
  State s = mechanism.start(), s1;
  scheme->start(system, s);
  s1 = s;
  const long before_steps = system.counts().stiffness;
  Measured result;
  constexpr int blocks = 5;
  const int steps = std::max(1, set.steps / blocks);
  double seconds[blocks];
  for (double& block : seconds) {
    const double before = cpu_seconds();
    result.ok = result.ok && take_steps(system, *scheme, set.h, steps, s, s1, result);
    block = (cpu_seconds() - before) / steps;
  }
  std::sort(seconds, seconds + blocks);
  result.seconds = seconds[blocks / 2];
  // every tangent is factorised once; schemes without tangents factorise for every solution
  result.factors = static_cast<double>(system.counts().stiffness - before_steps);
  if (result.factors == 0) result.factors = result.solves;
  for (double* sum : {&result.iterations, &result.factors, &result.solves}) *sum /= blocks * steps;
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap, T);
  result.drift = T.g.cwiseAbs().maxCoeff();
  return result;
}

template <int D>
void table(const std::string& id, const Settings& set) {
  std::printf("\n%s, %s, h = %g, %d steps, ", id.c_str(), D == 2 ? "plane" : "space", set.h, set.steps);
  set.chain > 0 ? std::printf("chain of %g m\n", set.chain) : std::printf("links of %g m\n", set.link);
  std::printf("  %8s %12s %12s %10s %10s %10s %10s %9s\n", "links", "ms per step", "us per link", "iterations",
              "factors", "solves", "drift", "exponent");
  double hundred = 0, last = 0;
  for (int n = set.least; n <= set.largest; n *= 10) {
    const Measured m = measure<D>(n, id, set);
    std::printf("  %8d", n);
    if (!m.ok) {
      std::printf(" fails\n");
      return;
    }
    std::printf(" %12.4f %12.3f %10.2f %10.2f %10.2f %10.1e", 1e3 * m.seconds, 1e6 * m.seconds / n, m.iterations,
                m.factors, m.solves, m.drift);
    if (last > 0) std::printf(" %9.3f", std::log10(m.seconds / last));
    std::printf("\n");
    std::fflush(stdout);
    last = m.seconds;
    if (n == 100) hundred = m.seconds;
    if (n == 10000 && hundred > 0)
      std::printf("  growth exponent from 100 to 10000: %.3f\n", 0.5 * std::log10(m.seconds / hundred));
  }
}

}  // namespace

int main(int count, char** arguments) {
  Settings set;
  for (int option; (option = getopt(count, arguments, "m:n:s:d:t:l:c:")) != -1;) {
    switch (option) {
      case 'm':
        set.least = std::atoi(optarg);
        break;
      case 'n':
        set.largest = std::atoi(optarg);
        break;
      case 's':
        set.steps = std::atoi(optarg);
        break;
      case 'd':
        set.dimension = std::atoi(optarg);
        break;
      case 't':
        set.tolerance = std::atof(optarg);
        break;
      case 'l':
        set.link = std::atof(optarg);
        break;
      case 'c':
        set.chain = std::atof(optarg);
        break;
      default:
        return 2;
    }
  }
  std::vector<std::string> ids(arguments + optind, arguments + count);
  if (ids.empty()) ids = {"generalized-alpha", "hem5", "moreau-jean"};
  for (const std::string& id : ids) {
    if (!find_scheme(id)) {
      std::fprintf(stderr, "there is no scheme '%s'\n", id.c_str());
      return 2;
    }
    if (set.dimension != 2) table<3>(id, set);
    if (set.dimension != 3) table<2>(id, set);
  }
}
