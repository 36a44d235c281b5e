// Spheres that fall into an open box, k x k columns: what a step costs, and what of it are sweeps of Gauss-Seidel, beside a sweep
// that is written by hand for spheres on the same contacts.
//   bench_spheres cost N K SWEEPS   steps of 5e-3 s to 1.5 s with so many sweeps, then projection
//   bench_spheres residual N K END  to the residual 1e-3, at most 500 sweeps: shares of steps that reached 1e-2 and 1e-3
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "model/mechanism.hpp"
#include "nonsmooth/many_contacts.hpp"
#include "schemes/contact_rows.hpp"
#include "schemes/scheme.hpp"
#include "system/contact_memory.hpp"

using namespace escapement;

namespace {

constexpr double radius = 0.1, density = 1000, mu = 0.5, step = 5e-3;

// of the processor, so that others on the machine do not count
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_since(double start) { return now() - start; }

Mechanism<3> make_box_of_spheres(int n, int k) {
  Mechanism<3> mechanism(Vector<3>(0, 0, -9.81));
  TouchRules<3> rules;
  const double side = 0.23 * k, mass = density * 4 / 3 * M_PI * std::pow(radius, 3);
  const auto wall = [&](const Vector<3>& normal) {
    Solid<3> plane;
    plane.kind = Solid<3>::Kind::plane;
    plane.normal = normal;
    plane.at = normal[2] > 0 ? Vector<3>(0, 0, 0) : Vector<3>(-0.5 * side * normal);
    rules.add(plane, -1);
  };
  wall({0, 0, 1}), wall({1, 0, 0}), wall({-1, 0, 0}), wall({0, 1, 0}), wall({0, -1, 0});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> one(-1, 1);
  std::vector<int> bodies{ground};
  std::vector<std::string> names;
  for (int b = 0; b < n; ++b) {
    Body<3> body;
    body.name = "ball" + std::to_string(b);
    body.mass = mass;
    body.inertia = 0.4 * mass * radius * radius * Turn<3>::Identity();
    const int layer = b / (k * k), i = b % k, j = b / k % k;
    body.pose.x = Vector<3>((i - 0.5 * (k - 1)) * 0.23 + 0.01 * one(random), (j - 0.5 * (k - 1)) * 0.23 + 0.01 * one(random), 0.13 + 0.22 * layer + 0.01 * one(random));
    body.velocity = 0.3 * Vector<3>(one(random), one(random), one(random));
    names.push_back(body.name);
    Solid<3> ball;
    ball.radius = radius;
    ball.body = mechanism.add(body);
    rules.add(ball, -1);
    bodies.push_back(ball.body);
  }
  const int contact = rules.add_contact("grains", {.restitution = 0, .friction = mu, .rolling = 0, .spinning = 0});
  rules.let_touch_among(contact, bodies);
  rules.finish(names);
  mechanism.set_touching(std::move(rules));
  mechanism.finish();
  return mechanism;
}

// the same sweep for spheres alone
struct HandContact {
  int a, b;
  double n[3], t[3], s[3], P[3], bias, normal, across;  // 1/W of both directions
};
struct HandBody {
  double v[3], w[3], mass, turning;
};

void sweep_by_hand(std::vector<HandContact>& contacts, std::vector<HandBody>& bodies) {
  for (HandContact& c : contacts) {
    HandBody &a = bodies[static_cast<std::size_t>(c.a)], &b = bodies[static_cast<std::size_t>(c.b)];
    double d[3], w[3];
    for (int i = 0; i < 3; ++i) {
      d[i] = b.v[i] - a.v[i];
      w[i] = radius * (a.w[i] + b.w[i]);
    }
    d[0] -= w[1] * c.n[2] - w[2] * c.n[1];
    d[1] -= w[2] * c.n[0] - w[0] * c.n[2];
    d[2] -= w[0] * c.n[1] - w[1] * c.n[0];
    double P[3] = {c.P[0] - c.normal * (d[0] * c.n[0] + d[1] * c.n[1] + d[2] * c.n[2] + c.bias),
                   c.P[1] - c.across * (d[0] * c.t[0] + d[1] * c.t[1] + d[2] * c.t[2]),
                   c.P[2] - c.across * (d[0] * c.s[0] + d[1] * c.s[1] + d[2] * c.s[2])};
    if (P[0] <= 0) {
      P[0] = P[1] = P[2] = 0;
    } else if (const double size = std::sqrt(P[1] * P[1] + P[2] * P[2]); size > mu * P[0]) {
      P[1] *= mu * P[0] / size;
      P[2] *= mu * P[0] / size;
    }
    const double dP[3] = {P[0] - c.P[0], P[1] - c.P[1], P[2] - c.P[2]};
    double p[3];
    for (int i = 0; i < 3; ++i) {
      c.P[i] = P[i];
      p[i] = dP[0] * c.n[i] + dP[1] * c.t[i] + dP[2] * c.s[i];
      a.v[i] -= a.mass * p[i];
      b.v[i] += b.mass * p[i];
    }
    // both arms turn alike: radius n x p
    const double m[3] = {radius * (c.n[1] * p[2] - c.n[2] * p[1]), radius * (c.n[2] * p[0] - c.n[0] * p[2]), radius * (c.n[0] * p[1] - c.n[1] * p[0])};
    for (int i = 0; i < 3; ++i) {
      a.w[i] -= a.turning * m[i];
      b.w[i] -= b.turning * m[i];
    }
  }
}

struct SweepTimes {
  double ours = 0, by_hand = 0;
  long contacts = 0;
};

// 60 sweeps each from the same impulses
void time_sweeps(const Mechanism<3>& mechanism, const State& s, ContactSearch& search, ContactRows& rows, ManyContacts& problem, SweepTimes& times) {
  const int n = static_cast<int>(mechanism.bodies().size());
  std::vector<double> reach(static_cast<std::size_t>(n), step * 0.1);
  std::vector<ContactPoint> points;
  search.find(s, reach, points);
  rows.set(points, search.places(), false, problem);
  problem.take(s.v);
  std::vector<HandBody> bodies(static_cast<std::size_t>(n) + 1, HandBody{});
  for (int b = 0; b < n; ++b) {
    const Body<3>& body = mechanism.bodies()[static_cast<std::size_t>(b)];
    problem.bodies()[static_cast<std::size_t>(b)].mass = 1 / body.mass;
    problem.bodies()[static_cast<std::size_t>(b)].turning = Eigen::Matrix3d(body.inertia).inverse();
    problem.bodies()[static_cast<std::size_t>(b)].v[2] -= 9.81 * step;
    HandBody& hand = bodies[static_cast<std::size_t>(b)];
    hand.mass = 1 / body.mass;
    hand.turning = 1 / body.inertia(0, 0);
    const Eigen::Vector3d w = search.places()[static_cast<std::size_t>(b)].R * problem.bodies()[static_cast<std::size_t>(b)].w;
    for (int i = 0; i < 3; ++i) {
      hand.v[i] = problem.bodies()[static_cast<std::size_t>(b)].v[i];
      hand.w[i] = w[i];
    }
  }
  ContactRows::set_responses(problem);
  std::vector<HandContact> contacts;
  for (std::size_t k = 0; k < points.size(); ++k) {
    ManyContacts::Contact& c = problem.contacts()[k];
    c.bias[0] = std::max(0.0, points[k].gap) / step;
    HandContact& hand = contacts.emplace_back();
    hand.a = c.a;
    hand.b = c.b;
    for (int i = 0; i < 3; ++i) hand.n[i] = c.D(0, i), hand.t[i] = c.D(1, i), hand.s[i] = c.D(2, i), hand.P[i] = 0;
    hand.bias = c.bias[0];
    hand.normal = 1 / c.W(0, 0);
    hand.across = 1 / c.W(1, 1);
  }
  double start = now();
  for (int k = 0; k < 60; ++k) problem.sweep();
  times.ours += seconds_since(start);
  start = now();
  for (int k = 0; k < 60; ++k) sweep_by_hand(contacts, bodies);
  times.by_hand += seconds_since(start);
  times.contacts += static_cast<long>(points.size());
  double off = 0, largest = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    off = std::max(off, std::abs(contacts[k].P[0] - problem.contacts()[k].P[0]));
    largest = std::max(largest, contacts[k].P[0]);
  }
  // by hand arms end at the surface, here in the middle of a gap
  if (off > 1e-2 * largest) std::printf("the sweeps differ: %g of %g\n", off, largest);
}

int cost(int n, int k, int sweeps) {
  Mechanism<3> mechanism = make_box_of_spheres(n, k);
  const auto scheme = make_scheme("moreau-jean", {{"contact_solver", std::string("gauss-seidel")}, {"contact_tolerance", 1e-12}, {"sweeps", double(sweeps)}});
  scheme->estimate_errors(false);
  State s = mechanism.start(), s1 = s;
  scheme->start(mechanism, s);
  s1 = s;
  const auto search = mechanism.make_search();
  ContactRows rows;
  rows.start(mechanism, *mechanism.touching());
  ManyContacts problem;
  problem.resize(n, 6);
  SweepTimes times;
  ContactMemory memory;
  double stepping = 0, deepest = 0;
  int steps = 0, looks = 0;
  for (; s.t < 1.5 - 0.5 * step; ++steps) {
    const double start = now();
    const StepReport report = scheme->step(mechanism, s, step, s1);
    stepping += seconds_since(start);
    if (!report.ok()) return std::printf("step %d failed\n", steps), 1;
    memory.recall(s1.memory);
    deepest = std::max(deepest, memory.penetration);
    std::swap(s, s1);
    if (steps % 10 == 0) time_sweeps(mechanism, s, *search, rows, problem, times), ++looks;
  }
  std::printf("n %d: step %.3f ms, 60 sweeps %.3f ms, by hand %.3f ms, %.1f ns per contact and sweep (by hand %.1f), %ld contacts, penetration %.2g %% R\n", n,
              1e3 * stepping / steps, 1e3 * times.ours / looks, 1e3 * times.by_hand / looks, 1e9 * times.ours / 60 / static_cast<double>(times.contacts),
              1e9 * times.by_hand / 60 / static_cast<double>(times.contacts), times.contacts / looks, 100 * deepest / radius);
  return 0;
}

int residual(int n, int k, double end) {
  Mechanism<3> mechanism = make_box_of_spheres(n, k);
  const auto scheme = make_scheme("moreau-jean", {{"contact_solver", std::string("gauss-seidel")}, {"contact_tolerance", 1e-3}, {"sweeps", 500.0}});
  scheme->estimate_errors(false);
  State s = mechanism.start();
  scheme->start(mechanism, s);
  State s1 = s;
  int steps = 0, loose = 0, tight = 0;
  ContactMemory memory;
  double deepest = 0;
  const double start = now();
  for (; s.t < end - 0.5 * step; ++steps) {
    const StepReport report = scheme->step(mechanism, s, step, s1);
    if (!report.ok()) return std::printf("step %d failed\n", steps), 1;
    tight += report.excess <= 1;
    loose += report.excess <= 10;
    memory.recall(s1.memory);
    deepest = std::max(deepest, memory.penetration);
    std::swap(s, s1);
  }
  std::printf("n %d: %d steps, %.1f %% at 1e-2, %.1f %% at 1e-3, penetration %.2g %% R, %.2f ms a step\n", n, steps, 100.0 * loose / steps, 100.0 * tight / steps,
              100 * deepest / radius, 1e3 * seconds_since(start) / steps);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  return std::string(argv[1]) == "cost" ? cost(n, k, std::atoi(argv[4])) : residual(n, k, std::atof(argv[4]));
}
