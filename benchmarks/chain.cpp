// CPU time per step of falling chains with 10 to 10,000 links, in the plane and in space, and how it grows:
//   bench_chain [-m LEAST] [-n LARGEST] [-s STEPS] [-d 2|3] [-t NEWTON_TOLERANCE] [-l LINK | -c CHAIN] [SCHEME ...]
// LINK: length of a link in metres (0.1), CHAIN: length of the whole chain. Steps of 1 ms from rest, of fixed size. The
// chains take turns, seven blocks of steps each: times are medians, exponents come from the median of the blocks'
// ratios, so that a clock whose rate drifts does not count as growth.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "schemes/scheme.hpp"
#include "support/mechanisms.hpp"
#include "system/counting_system.hpp"

namespace {

using namespace escapement;

struct Settings {
  int least = 10, largest = 10000, steps = 105, dimension = 0;
  double link = 0.1, chain = 0, tolerance = -1;
  double h = 1e-3;
};

double cpu_seconds() {
  std::timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr int rounds = 7;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

__attribute__((noinline)) bool take_steps(const System& system, Scheme& scheme, double h, int steps, State& s,
                                          State& s1, double& iterations, double& solves) {
  for (int i = 0; i < steps; ++i) {
    const StepReport report = scheme.step(system, s, h, s1);
    if (!report.ok()) return false;
    iterations += report.newton_iterations;
    solves += report.linear_solves;
    std::swap(s, s1);
  }
  return true;
}

// a chain on its way
template <int D>
class Falling {
 public:
  Falling(int links, const std::string& id, const Settings& set)
      : n(links), mechanism_(testing::chain<D>(n, set.chain > 0 ? set.chain / n : set.link)), system_(mechanism_) {
    std::map<std::string, OptionValue> options;
    if (set.tolerance >= 0 && id != "hem5") options["newton_tolerance"] = set.tolerance;
    scheme_ = make_scheme(id, options);
    scheme_->estimate_errors(false);  // as in every run of fixed steps
    s_ = mechanism_.start();
    scheme_->start(system_, s_);
    s1_ = s_;
    factors_ = -static_cast<double>(system_.counts().stiffness);
  }

  void go_on(const Settings& set) {
    const int steps = std::max(1, set.steps / rounds);
    const double before = cpu_seconds();
    ok = ok && take_steps(system_, *scheme_, set.h, steps, s_, s1_, iterations, solves);
    seconds.push_back((cpu_seconds() - before) / steps);
    steps_ += steps;
  }

  void finish() {
    // every tangent is factorised once; schemes without tangents factorise for every solution
    factors_ += static_cast<double>(system_.counts().stiffness);
    factors = factors_ == 0 ? solves : factors_;
    for (double* sum : {&iterations, &factors, &solves}) *sum /= steps_;
    Terms T;
    system_.prepare(T);
    system_.evaluate(s_, Need::gap, T);
    drift = T.g.cwiseAbs().maxCoeff();
  }

  int n;
  bool ok = true;
  std::vector<double> seconds;                     // per step, round by round
  double iterations = 0, factors = 0, solves = 0;  // per step
  double drift = 0;                                // largest gap at the end

 private:
  Mechanism<D> mechanism_;
  CountingSystem system_;
  std::unique_ptr<Scheme> scheme_;
  State s_, s1_;
  double factors_ = 0;
  int steps_ = 0;
};

// log(time of b over time of a)/log(links of b over links of a): times of one round, whose clock rates are alike
template <int D>
double exponent(const Falling<D>& a, const Falling<D>& b) {
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) ratios.push_back(b.seconds[i] / a.seconds[i]);
  return std::log(median(ratios)) / std::log(static_cast<double>(b.n) / a.n);
}

template <int D>
void table(const std::string& id, const Settings& set) {
  std::printf("\n%s, %s, h = %g, %d steps, ", id.c_str(), D == 2 ? "plane" : "space", set.h, set.steps);
  set.chain > 0 ? std::printf("chain of %g m\n", set.chain) : std::printf("links of %g m\n", set.link);
  std::printf("  %8s %12s %12s %10s %10s %10s %10s %9s\n", "links", "ms per step", "us per link", "iterations",
              "factors", "solves", "drift", "exponent");
  std::vector<std::unique_ptr<Falling<D>>> chains;
  for (int n = set.least; n <= set.largest; n *= 10) chains.push_back(std::make_unique<Falling<D>>(n, id, set));
  for (int i = 0; i < rounds; ++i)
    for (auto& chain : chains) chain->go_on(set);
  const Falling<D>*last = nullptr, *hundred = nullptr;
  for (auto& chain : chains) {
    std::printf("  %8d", chain->n);
    if (!chain->ok) {
      std::printf(" fails\n");
      return;
    }
    chain->finish();
    const double seconds = median(chain->seconds);
    std::printf(" %12.4f %12.3f %10.2f %10.2f %10.2f %10.1e", 1e3 * seconds, 1e6 * seconds / chain->n,
                chain->iterations, chain->factors, chain->solves, chain->drift);
    if (last) std::printf(" %9.3f", exponent(*last, *chain));
    std::printf("\n");
    last = chain.get();
    if (chain->n == 100) hundred = last;
    if (chain->n == 10000 && hundred)
      std::printf("  growth exponent from 100 to 10000: %.3f\n", exponent(*hundred, *last));
  }
  std::fflush(stdout);
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
