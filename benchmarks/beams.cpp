// Steps of a flexible beam that falls clamped at one end, in space or in the plane: elements of the beam, or bushings.
//   bench_beams [-n NODES] [-s STEPS] [-d 2|3] [-b]
// -b: bushings in place of the elements. Fixed steps of generalized-alpha from rest, 1 ms; prints what a node and step costs.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "model/beam.hpp"
#include "model/bushing.hpp"
#include "model/mechanism.hpp"
#include "schemes/scheme.hpp"

namespace {

using namespace escapement;

// a steel strip of 20 x 5 mm, elements of 25 mm
constexpr double length = 0.025, EA = 2.1e7, GA = 6.7e6, EI_2 = 700, EI_3 = 43.75, GJ = 58, mass = 0.785;

template <int D>
BeamSection<D> section() {
  BeamSection<D> s;
  s.mass = mass;
  if constexpr (D == 2) {
    s.stretching << EA, GA;
    s.bending << EI_3;
    s.inertia << mass * EI_3 / EA;
  } else {
    s.stretching << EA, GA, GA;
    s.bending << GJ, EI_2, EI_3;
    s.inertia << mass * (EI_2 + EI_3) / EA, mass * EI_2 / EA, mass * EI_3 / EA;
  }
  return s;
}

template <int D>
Pose<D> place(int k) {
  Vector<D> x = Vector<D>::Zero();
  x[0] = k * length;
  if constexpr (D == 2) {
    return make_pose(x, 0);
  } else {
    return make_pose(x, Vec4(1, 0, 0, 0));
  }
}

template <int D>
Mechanism<D> beam(int nodes, bool bushings) {
  Vector<D> gravity = Vector<D>::Zero();
  gravity[1] = -9.81;
  Mechanism<D> m(gravity);
  const BeamSection<D> s = section<D>();
  for (int k = 0; k < nodes; ++k)
    m.add({"node" + std::to_string(k), length * s.mass, Turn<D>((length * s.inertia).asDiagonal()), place<D>(k)});
  for (int k = 0; k + 1 < nodes; ++k) {
    const Pose<D> a = place<D>(k), b = place<D>(k + 1);
    if (!bushings) {
      m.add(std::make_unique<BeamElement<D>>(k, k + 1, a, b, length, s));
      continue;
    }
    BushingData<D> data;
    data.stiffness = s.stretching / length;
    data.turning_stiffness = s.bending / length;
    for (auto& force : make_bushing<D>(m.between(k, k + 1), Vector<D>(0.5 * (a.x + b.x)), data)) m.add(std::move(force));
  }
  m.add(fixed<D>("clamp", m.between(ground, 0), place<D>(0).x));
  m.finish();
  return m;
}

double cpu_seconds() {
  std::timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

__attribute__((noinline)) bool take_steps(const System& system, Scheme& scheme, int steps, State& s, State& s1, int& iterations) {
  for (int i = 0; i < steps; ++i) {
    const StepReport report = scheme.step(system, s, 1e-3, s1);
    if (!report.ok()) return false;
    iterations += report.newton_iterations;
    std::swap(s, s1);
  }
  return true;
}

template <int D>
int measure(int nodes, int steps, bool bushings) {
  const Mechanism<D> m = beam<D>(nodes, bushings);
  const auto scheme = make_scheme("generalized-alpha");
  scheme->estimate_errors(false);
  State s = m.start();
  scheme->start(m, s);
  State s1 = s;
  int iterations = 0;
  const double before = cpu_seconds();
  const bool ok = take_steps(m, *scheme, steps, s, s1, iterations);
  const double seconds = cpu_seconds() - before;
  std::printf("%s of %d nodes, dimension %d: %s, %.3f us per node and step, %.2f iterations\n", bushings ? "bushings" : "beam",
              nodes, D, ok ? "completed" : "failed", 1e6 * seconds / steps / nodes, static_cast<double>(iterations) / steps);
  return ok ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  int nodes = 100, steps = 14, dimension = 3;
  bool bushings = false;
  for (int option; (option = getopt(count, arguments, "n:s:d:b")) != -1;) {
    switch (option) {
      case 'n':
        nodes = std::atoi(optarg);
        break;
      case 's':
        steps = std::atoi(optarg);
        break;
      case 'd':
        dimension = std::atoi(optarg);
        break;
      case 'b':
        bushings = true;
        break;
      default:
        return 2;
    }
  }
  return dimension == 2 ? measure<2>(nodes, steps, bushings) : measure<3>(nodes, steps, bushings);
}
