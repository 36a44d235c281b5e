// Spheres that fly far from each other: what a step of moreau-jean costs with shapes that may all touch, and without.
//   bench_scattered N shapes|none STEPS   scattered.sh counts the instructions of fly()
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "model/mechanism.hpp"
#include "schemes/scheme.hpp"

using namespace escapement;

namespace {

// on a grid with room for each to move; sizes are mixed
Mechanism<3> make_cloud(int n, bool shapes) {
  Mechanism<3> mechanism;
  TouchRules<3> rules;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> one(-1, 1);
  const int side = static_cast<int>(std::ceil(std::cbrt(n)));
  std::vector<int> bodies;
  std::vector<std::string> names;
  for (int k = 0; k < n; ++k) {
    Body<3> body;
    body.name = "ball" + std::to_string(k);
    body.pose.x = Vector<3>(k % side + 0.1 * one(random), k / side % side + 0.1 * one(random), k / side / side + 0.1 * one(random));
    body.velocity = 0.5 * Vector<3>(one(random), one(random), one(random));
    names.push_back(body.name);
    Solid<3> ball;
    ball.radius = 0.15 + 0.1 * one(random);
    ball.body = mechanism.add(body);
    rules.add(ball, -1);
    bodies.push_back(ball.body);
  }
  if (shapes) {
    rules.let_touch_among(rules.add_contact("all", {.restitution = 0.5, .friction = 0.5, .rolling = 0, .spinning = 0}), bodies);
    rules.finish(names);
    mechanism.set_touching(std::move(rules));
  }
  mechanism.finish();
  return mechanism;
}

__attribute__((noinline)) bool fly(Scheme& scheme, const Mechanism<3>& mechanism, State& s, State& s1, int steps) {
  for (int k = 0; k < steps; ++k) {
    if (!scheme.step(mechanism, s, 1e-3, s1).ok()) return false;
    std::swap(s, s1);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const Mechanism<3> mechanism = make_cloud(std::atoi(argv[1]), std::string(argv[2]) == "shapes");
  const auto scheme = make_scheme("moreau-jean", {});
  scheme->estimate_errors(false);
  State s = mechanism.start();
  scheme->start(mechanism, s);
  State s1 = s;
  if (!fly(*scheme, mechanism, s, s1, std::atoi(argv[3]))) return 1;
  std::printf("%s: %s balls, x = %.17g\n", argv[2], argv[1], s.q[0]);
  return 0;
}
