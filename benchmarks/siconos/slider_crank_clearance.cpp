// The slider-crank with clearance of [004] with Siconos: Moreau-Jean with theta = 1/2 and Lemke's method, h = 1e-5, e = 0.1.
// contact_steps.sh compiles it where the libraries of Siconos are installed.
#include <SiconosKernel.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, d = 0.051, m1 = 0.038, m2 = 0.038, m3 = 0.076;
constexpr double J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81;
constexpr double coupling = l1 * l2 * (m2 / 2 + m3), weight1 = g * l1 * (m1 / 2 + m2 + m3), weight2 = g * l2 * (m2 / 2 + m3);

void mass(unsigned, double* q, double* M, unsigned, double*) {
  M[0] = J1 + l1 * l1 * (m1 / 4 + m2 + m3);
  M[4] = J2 + l2 * l2 * (m2 / 4 + m3);
  M[8] = J3;
  M[1] = M[3] = coupling * std::cos(q[0] - q[1]);
  M[2] = M[5] = M[6] = M[7] = 0;
}

// Siconos has M v' + fGyr = 0
void forces(unsigned, double* q, double* v, double* f, unsigned, double*) {
  const double s12 = coupling * std::sin(q[0] - q[1]);
  f[0] = s12 * v[1] * v[1] + weight1 * std::cos(q[0]);
  f[1] = -s12 * v[0] * v[0] + weight2 * std::cos(q[1]);
  f[2] = 0;
}

void forces_q(unsigned, double* q, double* v, double* K, unsigned, double*) {
  const double c12 = coupling * std::cos(q[0] - q[1]);
  for (int i = 0; i < 9; ++i) K[i] = 0;
  K[0] = c12 * v[1] * v[1] - weight1 * std::sin(q[0]);
  K[1] = -c12 * v[0] * v[0];
  K[3] = -c12 * v[1] * v[1];
  K[4] = c12 * v[0] * v[0] - weight2 * std::sin(q[1]);
}

void forces_v(unsigned, double* q, double* v, double* D, unsigned, double*) {
  const double s12 = coupling * std::sin(q[0] - q[1]);
  for (int i = 0; i < 9; ++i) D[i] = 0;
  D[1] = -2 * s12 * v[0];
  D[3] = 2 * s12 * v[1];
}

// a corner at the upper (side 1) or lower wall
class Corner : public LagrangianScleronomousR {
 public:
  Corner(double side, double end) : side_(side), end_(end) {}
  void initialize(Interaction& inter) override {
    LagrangianScleronomousR::initialize(inter);
    if (!_jachq) _jachq = std::make_shared<SimpleMatrix>(1, 3);
  }
  void computeh(const BlockVector& q, BlockVector&, SiconosVector& y) override {
    y.setValue(0, d / 2 - side_ * (l1 * std::sin(q(0)) + l2 * std::sin(q(1)) - end_ * a * std::sin(q(2))) - b * std::cos(q(2)));
  }
  void computeJachq(const BlockVector& q, BlockVector&) override {
    _jachq->setValue(0, 0, -side_ * l1 * std::cos(q(0)));
    _jachq->setValue(0, 1, -side_ * l2 * std::cos(q(1)));
    _jachq->setValue(0, 2, side_ * end_ * a * std::cos(q(2)) + b * std::sin(q(2)));
  }

 private:
  double side_, end_;
};

}  // namespace

// counted between these two marks
__attribute__((noinline)) void loop_by_siconos(TimeStepping& simulation, int steps) {
  for (int i = 0; i < steps; ++i) {
    simulation.computeOneStep();
    simulation.nextStep();
  }
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 10000;
  const double h = 1e-5;
  auto q = std::make_shared<SiconosVector>(3), v = std::make_shared<SiconosVector>(3);
  q->zero();
  v->zero();
  v->setValue(0, 150);
  v->setValue(1, -75);
  auto crank = std::make_shared<LagrangianDS>(q, v);
  crank->setComputeMassFunction(mass);
  crank->setComputeFGyrFunction(forces);
  crank->setComputeJacobianFGyrqFunction(forces_q);
  crank->setComputeJacobianFGyrqDotFunction(forces_v);

  auto model = std::make_shared<NonSmoothDynamicalSystem>(0, (steps + 10) * h);
  model->insertDynamicalSystem(crank);
  auto law = std::make_shared<NewtonImpactNSL>(0.1);
  for (const auto& [side, end] : {std::pair{1.0, 1.0}, {1.0, -1.0}, {-1.0, 1.0}, {-1.0, -1.0}})
    model->link(std::make_shared<Interaction>(law, std::make_shared<Corner>(side, end)), crank);

  auto integrator = std::make_shared<MoreauJeanOSI>(0.5);
  auto lcp = std::make_shared<LCP>(SICONOS_LCP_LEMKE);
  auto simulation = std::make_shared<TimeStepping>(model, std::make_shared<TimeDiscretisation>(0, h), integrator, lcp);
  simulation->setNewtonTolerance(1e-10);
  simulation->setNewtonMaxIteration(20);

  simulation->initialize();
  const auto begin = std::chrono::steady_clock::now();
  loop_by_siconos(*simulation, steps);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.3f us per step, v = %.12g %.12g %.12g\n", 1e6 * seconds / steps, (*crank->velocity())(0), (*crank->velocity())(1), (*crank->velocity())(2));
  return 0;
}
