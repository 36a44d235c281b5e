// An oscillator that just reaches a wall: the gap falls below zero for an instant at the end of its swing.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "simulate/simulation.hpp"

namespace escapement {
namespace {

// x'' = -x, gap = wall - x
class Oscillator : public System {
 public:
  explicit Oscillator(double wall) : wall_(wall) {
    dim_.q = dim_.v = dim_.unilateral = 1;
    names_ = {{"x"}, {"x"}, {}, {"wall"}};
    contacts_ = {{"wall", 1.0, 0.0, -1}};
  }
  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  std::span<const ContactLaw> contacts() const override { return contacts_; }
  void prepare(Terms& T) const override {
    T.M.resize(1, 1);
    T.G.resize(1, 1);
    T.T.resize(0, 1);
    T.f.setZero(1);
    T.zdot.setZero(0);
    for (Vec* x : {&T.g, &T.g_t, &T.kappa}) x->setZero(1);
    T.t0.setZero(0);
    T.kappa_T.setZero(0);
  }
  void prepare(Tangent& D) const override {
    for (Matrix* m : {&D.K, &D.D, &D.V_q, &D.kappa_q, &D.kappa_v}) m->resize(1, 1);
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << -s.q[0];
    if (has(need, Need::gap)) T.g << wall_ - s.q[0];
    if (has(need, Need::jacobian)) T.G.dense() << -1;
  }
  void tangent(const State&, const Vec&, const Vec&, Parts parts, Tangent& D) const override {
    for (Matrix* m : {&D.K, &D.D, &D.V_q, &D.kappa_q, &D.kappa_v}) m->set_zero();
    if (has(parts, Parts::force)) D.K.dense() << 1;
  }
  Energy energy(const State& s, Terms&) const override { return {0.5 * s.v.squaredNorm(), 0.5 * s.q.squaredNorm(), 0}; }

 private:
  double wall_;
  Dim dim_;
  Names names_;
  std::vector<ContactLaw> contacts_;
};

struct Hits : Observer {
  int count = 0;
  void event(const Event& e) override { count += e.kind == Event::Kind::impact; }
};

// of 75: walls 0.03 to 0.0003 of the swing before its end, starts at 15 phases, up to the first end of the swing and a little beyond
int missed(const char* scheme_id, double tolerance) {
  int missed = 0;
  for (const double depth : {3e-2, 1e-2, 3e-3, 1e-3, 3e-4})
    for (int k = 0; k < 15; ++k) {
      const Oscillator system(1 - depth);
      const double phase = 0.9 + 0.13 * k;  // from here to the end of the swing
      State start = make_state(system.dim());
      start.q[0] = std::cos(phase);
      start.v[0] = std::sin(phase);
      Settings settings;
      settings.scheme = scheme_id;
      settings.tolerance = tolerance;
      settings.end = phase + 1;
      const auto scheme = make_scheme(scheme_id);
      Simulation simulation(system, *scheme, settings, check_options(settings).loop);
      Hits hits;
      simulation.observe(hits);
      const Outcome outcome = simulation.run(start);
      EXPECT_EQ(outcome.status, Outcome::Status::completed) << scheme_id << ' ' << outcome.message;
      missed += hits.count == 0;
    }
  return missed;
}

// mexx and bdf: where their own errors are smaller than the shallowest graze
TEST(Graze, IsFoundWhereTheSchemeItselfReachesTheWall) {
  for (const char* scheme : {"hem5", "phem56", "rkf45", "generalized-alpha"})
    for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) EXPECT_EQ(missed(scheme, tolerance), 0) << scheme << ' ' << tolerance;
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6}) EXPECT_EQ(missed("mexx", tolerance), 0) << tolerance;
  for (const double tolerance : {1e-5, 1e-6}) EXPECT_EQ(missed("bdf", tolerance), 0) << tolerance;
}

}  // namespace
}  // namespace escapement
