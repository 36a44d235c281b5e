// The nonsmooth generalized-alpha scheme with both levels written once more, from its formulas, with what the library does not
// do: contacts activated as [001] (5e) prints it, and a restitution term clamped to approaching contacts.
#include <gtest/gtest.h>

#include <cmath>

#include "support/example_run.hpp"

namespace escapement::activation_test {
namespace {

using testing::ExampleRun;

struct Variation {
  bool literal_activation = false;   // the velocity law where g(q_{n+1}) <= 0, instead of in the position set
  bool clamped_restitution = false;  // e min(0, gdot_n), instead of e gdot_n
};

// unilateral contacts only. Unknowns y = (h v~', W, U/h, Lam, nu/h)
class AlphaByHand {
 public:
  AlphaByHand(const System& system, Variation variation) : system_(system), variation_(variation), end_(make_state(system.dim())) {
    system.prepare(T_);
    system.prepare(T0_);
    for (Tangent* D : {&D1_, &D2_, &D3_, &D4_}) system.prepare(*D);
  }

  // false: no convergence in 40 iterations
  bool step(const State& s, double h, State& s1) {
    const int v = system_.dim().v, u = system_.dim().unilateral, n = 3 * v + 2 * u;
    const Vec &a = s.memory.vectors[0], &vdot = s.memory.vectors[1];
    const double c = (1 - alpha_f) / (1 - alpha_m);
    system_.evaluate(s, Need::mass | Need::jacobian, T0_);
    const Vec before = T0_.G.dense() * s.v + T0_.g_t;
    const Vec mass = (T0_.G.dense() * T0_.M.dense().inverse() * T0_.G.dense().transpose()).diagonal().cwiseInverse();
    Vec y = Vec::Zero(n), h_a(v), v_tilde(v);
    y.head(v) = h * vdot;
    int small = 0;
    const double scale = std::max(s.v.cwiseAbs().maxCoeff(), 1e-3);
    std::vector<char> set(2 * u, 0), old;
    for (int iteration = 0; iteration < 40; ++iteration) {
      const Vec y1 = y.head(v), W = y.segment(v, v), y5 = y.segment(2 * v, v), Lam = y.segment(3 * v, u), y6 = y.tail(u);
      auto place = [&] {
        h_a = ((1 - alpha_f) * y.head(v) + h * (alpha_f * vdot - alpha_m * a)) / (1 - alpha_m);
        v_tilde = s.v + h * (1 - gamma) * a + gamma * h_a;
        end_.t = s.t + h;
        end_.q = s.q + h * s.v + h * h * (0.5 - beta) * a + h * beta * h_a + h * y.segment(2 * v, v);
        end_.v = v_tilde + y.segment(v, v);
        system_.evaluate(end_, Need::mass | Need::force | Need::gap | Need::jacobian, T_);
      };
      place();
      const Mat &M = T_.M.dense(), &G = T_.G.dense();
      system_.tangent(end_, y1 / h, Vec::Zero(u), Parts::mass | Parts::force, D1_);
      system_.tangent(end_, W, Lam, Parts::mass | Parts::constraint, D2_);
      system_.tangent(end_, y5, y6, Parts::mass | Parts::constraint, D3_);
      system_.tangent(end_, W, Lam, Parts::velocity_rows, D4_);

      // how q and v follow the unknowns
      Mat q_y = Mat::Zero(v, n), v_y = Mat::Zero(v, n);
      q_y.leftCols(v) = h * beta * c * Mat::Identity(v, v);
      q_y.middleCols(2 * v, v) = h * Mat::Identity(v, v);
      v_y.leftCols(v) = gamma * c * Mat::Identity(v, v);
      v_y.middleCols(v, v) = Mat::Identity(v, v);

      Mat J = Mat::Zero(n, n);
      Vec R(n);
      R.head(v) = M * y1 - h * T_.f;  // (5a)
      J.topRows(v) = h * D1_.K.dense() * q_y + h * D1_.D.dense() * v_y;
      J.topLeftCorner(v, v) += M;
      R.segment(v, v) = M * W - G.transpose() * Lam;  // (5b)
      J.middleRows(v, v) = D2_.K.dense() * q_y;
      J.block(v, v, v, v) += M;
      J.block(v, 3 * v, v, u) -= G.transpose();
      R.segment(2 * v, v) = M * y5 - G.transpose() * y6;  // (5c)
      J.middleRows(2 * v, v) = D3_.K.dense() * q_y;
      J.block(2 * v, 2 * v, v, v) += M;
      J.block(2 * v, 3 * v + u, v, u) -= G.transpose();
      old = set;
      for (int j = 0; j < u; ++j) {
        const double e = system_.contacts()[j].restitution;
        const double law = G.row(j).dot(end_.v) + e * (variation_.clamped_restitution ? std::min(0.0, before[j]) : before[j]);
        const bool in_position = y6[j] - mass[j] * T_.g[j] / h >= 0;
        const bool activated = variation_.literal_activation ? T_.g[j] <= 0 : in_position;
        const bool in_velocity = activated && Lam[j] - mass[j] * law >= 0;
        set[2 * j] = in_position;
        set[2 * j + 1] = in_velocity;
        const int row5 = 3 * v + j, row6 = 3 * v + u + j;
        R[row5] = in_velocity ? law : Lam[j] / mass[j];  // (5e)
        if (in_velocity) {
          J.row(row5) = G.row(j) * v_y + D4_.V_q.dense().row(j) * q_y;
        } else {
          J(row5, row5) = 1 / mass[j];
        }
        R[row6] = in_position ? T_.g[j] / h : y6[j] / mass[j];  // (5d)
        if (in_position) {
          J.row(row6) = G.row(j) * q_y / h;
        } else {
          J(row6, row6) = 1 / mass[j];
        }
      }
      Vec dy = J.fullPivLu().solve(R);
      y -= dy;
      for (int j = 0; j < u; ++j)
        for (int row : {3 * v + j, 3 * v + u + j}) dy[row] /= mass[j];
      const double tolerance = std::max(1e-10, 30 * 2.2e-16 * (1 + s.q.cwiseAbs().maxCoeff()) / (h * scale));
      small = dy.cwiseAbs().maxCoeff() / scale < tolerance ? small + 1 : 0;
      // sets that flip for ever are a failure unless the increments have become nothing
      if (small >= 1 && (set == old || (small >= 2 && !variation_.literal_activation))) {
        place();
        s1.t = s.t + h;
        s1.q = end_.q;
        s1.v = end_.v;
        s1.memory.vectors[0] = h_a / h;
        s1.memory.vectors[1] = y.head(v) / h;
        s1.lambda = y.segment(3 * v, u) / h;
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr double rho = 0.8, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
  static constexpr double gamma = 0.5 + alpha_f - alpha_m, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  const System& system_;
  Variation variation_;
  Terms T_, T0_;
  Tangent D1_, D2_, D3_, D4_;
  State end_;
};

Model slider_crank(const char* restitution, const char* tilt) {
  return ExampleRun{.model = "slider_crank_clearance", .scheme = "nonsmooth-generalized-alpha-ggl", .step = "1e-4", .parameters = {{"restitution", restitution}, {"tilt", tilt}}}.load();
}

double energy(const System& system, const State& s) {
  Terms T;
  system.prepare(T);
  const Energy e = system.energy(s, T);
  return e.kinetic + e.potential;
}

// what the library steps through, the same formulas step through too; with the printed activation many contact steps never end
TEST(Activation, AsPrintedCyclesOnRounding) {
  const Model model = slider_crank("0.1", "0");
  auto scheme = make_scheme("nonsmooth-generalized-alpha-ggl");
  AlphaByHand ours(*model.system, {}), printed(*model.system, {.literal_activation = true});
  State s = model.start;
  scheme->start(*model.system, s);
  State s1 = s, other = s;
  const double h = 1e-4;
  int contact_steps = 0, cycles = 0, early = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(scheme->step(*model.system, s, h, s1).ok());
    other.memory = s.memory;
    ASSERT_TRUE(ours.step(s, h, other)) << "t = " << s.t;
    EXPECT_LT((other.v - s1.v).cwiseAbs().maxCoeff(), 1e-8 * s1.v.cwiseAbs().maxCoeff());
    EXPECT_LT((other.q - s1.q).cwiseAbs().maxCoeff(), 1e-12);
    if (s1.lambda.maxCoeff() > 0) {
      ++contact_steps;
      other.memory = s.memory;
      cycles += !printed.step(s, h, other);
    }
    if (i < 200) early = cycles;
    std::swap(s, s1);
  }
  if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("{} of {} contact steps cycle\n", cycles, contact_steps);
  EXPECT_GT(contact_steps, 500);
  EXPECT_GT(cycles, 0.35 * contact_steps);
  EXPECT_GT(cycles - early, 5 * early) << "gaps are rounded the more, the further the crank has turned";
}

// with two corners in one impact, restitution of the approaching corner alone adds energy
TEST(Activation, ClampedRestitutionGainsEnergy) {
  auto largest_rise = [](bool clamped, const char* e) {
    const Model model = slider_crank(e, "2e-3");
    AlphaByHand scheme(*model.system, {.clamped_restitution = clamped});
    State s = model.start;
    make_scheme("nonsmooth-generalized-alpha-ggl")->start(*model.system, s);
    State s1 = s;
    double last = energy(*model.system, s), rise = 0;
    for (int i = 0; i < 1000 && scheme.step(s, 1e-4, s1); ++i) {
      std::swap(s, s1);
      const double now = energy(*model.system, s);
      rise = std::max(rise, now - last);
      last = now;
    }
    if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("e = {}{}: largest rise {:.3g} J\n", e, clamped ? ", clamped" : "", rise);
    return rise;
  };
  for (const char* e : {"0.7", "0.95"}) {
    EXPECT_LT(largest_rise(false, e), 3e-4) << e;
    EXPECT_GT(largest_rise(true, e), 0.1) << e;
  }
}

}  // namespace
}  // namespace escapement
