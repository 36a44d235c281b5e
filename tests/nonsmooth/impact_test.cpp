#include "nonsmooth/impact.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "math/least_squares.hpp"
#include "nonsmooth/random_problem.hpp"
#include "support/allocations.hpp"
#include "support/source_folder.hpp"

namespace escapement::impact_test {
namespace {

const ImpactLaw every_law[] = {ImpactLaw::newton, ImpactLaw::moreau, ImpactLaw::poisson};

double number(const nlohmann::json& x) { return x.is_string() ? std::stod(x.get<std::string>()) : x.get<double>(); }

class Impacts : public ::testing::Test {
 protected:
  Impacts() {
    impact.reserve(24);
    solver->reserve(24);
  }

  // contacts of bodies with the velocities v: rows G, diagonal mass matrix
  void fill(const Mat& G, const Vec& inverse_mass, const Vec& v) {
    const int n = static_cast<int>(G.rows());
    ASSERT_EQ(n, impact.rows());
    impact.contact.W.topLeftCorner(n, n) = G * inverse_mass.asDiagonal() * G.transpose();
    impact.u_minus.head(n) = G * v;
    impact.P.setZero();
  }
  ImpactReport solve(ImpactLaw law) { return solve_instant(law, impact, *solver); }

  // change of kinetic energy of the bodies
  static double energy_change(const Mat& G, const Vec& inverse_mass, const Vec& v, const Vec& P) {
    const Vec dv = inverse_mass.asDiagonal() * (G.transpose() * P);
    return dv.dot(inverse_mass.cwiseInverse().asDiagonal() * (v + dv / 2));
  }

  ImpactProblem impact;
  std::unique_ptr<ContactSolver> solver = make_contact_solver();
};

TEST_F(Impacts, FlatDropOfABlock) {
  std::ifstream file(escapement::testing::source_folder() + "/tests/data/contact_closed_forms.json");
  const nlohmann::json reference = nlohmann::json::parse(file)["flat_drop"];
  const double J = (1 + 0.25) / 12, v = number(reference["v_minus"]);
  Mat G(2, 2);
  G << 1, -0.5, 1, 0.5;
  for (ImpactLaw law : every_law) {
    impact.clear();
    impact.add(Cone::non_negative(), 0.5);
    impact.add(Cone::non_negative(), 0.5);
    fill(G, Vec{{1.0, 1 / J}}, Vec{{v, 0.0}});
    const ImpactReport report = solve(law);
    ASSERT_TRUE(report.ok);
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(impact.P[k], number(reference["p_each_e0_5"]), 1e-13);
      EXPECT_NEAR(impact.u_plus[k], -0.5 * v, 1e-13);
    }
    EXPECT_NEAR(report.energy, -(1 - 0.25) * v * v / 2, 1e-12);
  }
}

TEST_F(Impacts, CornerDropOfABlock) {
  std::ifstream file(escapement::testing::source_folder() + "/tests/data/contact_closed_forms.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  const double J = (1 + 0.25) / 12;
  for (const auto& [name, e] : {std::pair{"0", 0.0}, {"0.5", 0.5}, {"1", 1.0}}) {
    const nlohmann::json reference = all[std::string("corner_drop_theta10deg_e") + name];
    Mat G(1, 2);
    G << 1, number(reference["r_corner"][0]);
    for (ImpactLaw law : every_law) {
      impact.clear();
      impact.add(Cone::non_negative(), e);
      fill(G, Vec{{1.0, 1 / J}}, Vec{{number(reference["v_minus"]), 0.0}});
      ASSERT_TRUE(solve(law).ok);
      EXPECT_NEAR(impact.P[0], number(reference["p"]), 1e-15);
      EXPECT_NEAR(impact.u_plus[0], number(reference["gdot_plus"]), 1e-15);
      const Vec v = Vec{{-1.0, 0.0}} + Vec{{1.0, 1 / J}}.asDiagonal() * (G.transpose() * impact.P.head(1));
      EXPECT_NEAR(v[0], number(reference["vz_plus"]), 1e-15);
      EXPECT_NEAR(v[1], number(reference["omega_plus"]), 3e-15);
    }
  }
}

// the first of n equal balls hits the others, which rest in contact: all these laws see one impact of n bodies
TEST_F(Impacts, BallsInARow) {
  for (int n = 2; n <= 12; ++n)
    for (double e : {0.0, 0.3, 1.0})
      for (ImpactLaw law : every_law) {
        Mat G = Mat::Zero(n - 1, n);
        impact.clear();
        for (int k = 0; k < n - 1; ++k) {
          G(k, k) = -1;
          G(k, k + 1) = 1;
          impact.add(Cone::non_negative(), e);
        }
        fill(G, Vec::Ones(n), Vec::Unit(n, 0));
        ASSERT_TRUE(solve(law).ok);
        const Vec v = Vec::Unit(n, 0) + G.transpose() * impact.P.head(n - 1);
        EXPECT_NEAR(v[0], 1 - (1 + e) * (n - 1) / n, 1e-13);
        for (int k = 1; k < n; ++k) EXPECT_NEAR(v[k], (1 + e) / n, 1e-13);
      }
}

TEST_F(Impacts, GrazingContactsFollowTheSameLaw) {
  // two contacts of two separate bodies: a hard one and one that hardly touches
  Mat G = Mat::Identity(2, 2);
  for (ImpactLaw law : every_law) {
    impact.clear();
    impact.add(Cone::non_negative(), 0.5);
    impact.add(Cone::non_negative(), 0.5);
    fill(G, Vec{{1.0, 2.0}}, Vec{{-3.0, -1e-8}});
    ASSERT_TRUE(solve(law).ok);
    EXPECT_NEAR(impact.P[1], 0.75e-8, 1e-22);
    EXPECT_NEAR(impact.u_plus[1], 0.5e-8, 1e-22);
    fill(G, Vec{{1.0, 2.0}}, Vec{{-3.0, 1e-8}});  // leaves already
    ASSERT_TRUE(solve(law).ok);
    EXPECT_EQ(impact.P[1], 0);
    EXPECT_EQ(impact.u_plus[1], 1e-8);
  }
}

TEST_F(Impacts, RedundantFlatContact) {
  // a body without rotation falls on two corners: the Delassus matrix has rank 1
  Mat G = Mat::Ones(2, 1);
  for (ImpactLaw law : every_law) {
    impact.clear();
    impact.add(Cone::non_negative(), 0.8);
    impact.add(Cone::non_negative(), 0.8);
    fill(G, Vec{{0.5}}, Vec{{-2.0}});
    ASSERT_TRUE(solve(law).ok);
    EXPECT_NEAR(impact.P[0] + impact.P[1], 1.8 * 2 * 2, 1e-14);
    EXPECT_NEAR(impact.u_plus[0], 1.6, 1e-15);
  }
}

// a ball with spin against a wall: slips through the impact, or sticks
TEST_F(Impacts, FrictionInTheImpact) {
  Mat G(2, 3);
  G << 1, 0, 0, 0, 1, -1;  // normal; tangential with radius 1
  const Vec inverse_mass{{1.0, 1.0, 2.5}};
  for (double mu : {0.1, 2.0}) {
    impact.clear();
    impact.add(Cone::coulomb(mu), 0.6);
    fill(G, inverse_mass, Vec{{-1.0, 1.0, 0.0}});
    ASSERT_TRUE(solve(ImpactLaw::newton).ok);
    EXPECT_NEAR(impact.P[0], 1.6, 1e-15);
    EXPECT_NEAR(impact.u_plus[0], 0.6, 1e-15);
    EXPECT_NEAR(impact.P[1], mu < 1 ? -0.16 : -1 / 3.5, 1e-15);
    EXPECT_NEAR(impact.u_plus[1], mu < 1 ? 1 - 0.16 * 3.5 : 0, 1e-15);
    // with restitution of the slip the sticking ball rolls back
    ASSERT_TRUE(solve(ImpactLaw::moreau).ok);
    EXPECT_NEAR(impact.u_plus[1], mu < 1 ? 1 - 0.16 * 3.5 : -0.6, 1e-15);
    // compression with 1/1.6 of the impulse comes first and may stick before the expansion starts
    ASSERT_TRUE(solve(ImpactLaw::poisson).ok);
    EXPECT_NEAR(impact.P[0], 1.6, 1e-15);
    EXPECT_NEAR(impact.P[1], mu < 1 ? -0.16 : -1 / 3.5, 1e-15);
  }
}

TEST_F(Impacts, EqualityRowsStayClosed) {
  // a rod on a hinge hits a wall with its tip; coordinates x, y, angle
  Mat G(3, 3);
  G << 1, 0, -0.5, 0, 1, 0, 1, 0, 0.5;
  impact.clear();
  impact.add(Cone::equality(), 0);
  impact.add(Cone::equality(), 0);
  impact.add(Cone::non_negative(), 0.8);
  for (ImpactLaw law : every_law) {
    fill(G, Vec{{1.0, 1.0, 12.0}}, Vec{{-0.5, 0.0, -1.0}});
    ASSERT_TRUE(solve(law).ok);
    EXPECT_NEAR(impact.u_plus[0], 0, 1e-15);
    EXPECT_NEAR(impact.u_plus[1], 0, 1e-15);
    EXPECT_NEAR(impact.u_plus[2], 0.8, 1e-15);
  }
}

TEST_F(Impacts, OneRestitutionPerContactWithNewtonOnePerGroupWithMoreau) {
  // bodies 1 and 2 touch each other and the floor: coupled; body 3 is elsewhere
  Mat G(3, 3);
  G << 1, 0, 0, -1, 1, 0, 0, 0, 1;
  impact.clear();
  impact.add(Cone::non_negative(), 0.2);
  impact.add(Cone::non_negative(), 0.9);
  impact.add(Cone::non_negative(), 0.5);
  fill(G, Vec::Ones(3), Vec{{-1.0, -3.0, -1.0}});
  ASSERT_TRUE(solve(ImpactLaw::newton).ok);
  EXPECT_NEAR(impact.u_plus[0], 0.2 * 1, 1e-15);
  EXPECT_NEAR(impact.u_plus[1], 0.9 * 2, 1e-14);
  EXPECT_NEAR(impact.u_plus[2], 0.5, 1e-15);
  ASSERT_TRUE(solve(ImpactLaw::moreau).ok);
  const double e = (0.2 * 1 / 1 + 0.9 * 4 / 2) / (1.0 / 1 + 4.0 / 2);
  EXPECT_NEAR(impact.u_plus[0], e * 1, 1e-14);
  EXPECT_NEAR(impact.u_plus[1], e * 2, 1e-14);
  EXPECT_NEAR(impact.u_plus[2], 0.5, 1e-15);
}

// the tip of a slider in its slot: corners with opposite velocities, a light rotation
TEST_F(Impacts, ClampingTheRestitutionTermGainsEnergy) {
  Mat G(2, 2);
  G << 1, 1, 1, -1;
  const Vec inverse_mass{{1.0, 60.0}}, v{{-0.05, -0.95}};  // U- = (-1, 0.9)
  const double e = 0.95;
  impact.clear();
  impact.add(Cone::non_negative(), e);
  impact.add(Cone::non_negative(), e);
  fill(G, inverse_mass, v);
  ASSERT_TRUE(solve(ImpactLaw::newton).ok);
  EXPECT_LT(energy_change(G, inverse_mass, v, impact.P.head(2)), 0);

  for (int k = 0; k < 2; ++k) impact.contact.b[k] = impact.u_minus[k] + e * std::min(0.0, impact.u_minus[k]);
  ASSERT_TRUE(solver->solve(impact.contact, impact.P).ok);
  const double before = v[0] * v[0] / 2 / inverse_mass[0] + v[1] * v[1] / 2 / inverse_mass[1];
  const Vec u_plus = impact.u_minus.head(2) + impact.contact.W.topLeftCorner(2, 2) * impact.P.head(2);
  const double gain = impact.P.head(2).dot(u_plus + impact.u_minus.head(2)) / 2;
  EXPECT_GT(gain, 10 * before);  // twelve times the energy there was
}

// a slip that turns round in the impact: friction, which looks at the slip afterwards, has worked with it before
TEST_F(Impacts, NewtonWithFrictionMayGainEnergyAndSaysSo) {
  impact.clear();
  impact.add(Cone::coulomb(0.3), 0.9);
  impact.contact.W.topLeftCorner(2, 2) << 1, -0.6, -0.6, 0.5;
  impact.u_minus.head(2) << -1, 1;
  const ImpactReport newton = solve(ImpactLaw::newton);
  ASSERT_TRUE(newton.ok);
  EXPECT_TRUE(newton.energy_gain);
  EXPECT_GT(newton.energy, 0.2);
  const ImpactReport moreau = solve(ImpactLaw::moreau);
  ASSERT_TRUE(moreau.ok);
  EXPECT_FALSE(moreau.energy_gain);
  EXPECT_LT(moreau.energy, 0);
}

TEST_F(Impacts, UnequalRestitutionMayGainEnergyAndSaysSo) {
  // the corner that is to bounce is thrown up by the other one, which is not: e scales a velocity it did not cause
  Mat G(2, 2);
  G << 1, 1, 1, -1;
  impact.clear();
  impact.add(Cone::non_negative(), 1);
  impact.add(Cone::non_negative(), 0);
  fill(G, Vec{{1.0, 60.0}}, Vec{{-0.05, -0.95}});
  const ImpactReport newton = solve(ImpactLaw::newton);
  ASSERT_TRUE(newton.ok);
  EXPECT_TRUE(newton.energy_gain);
  const ImpactReport moreau = solve(ImpactLaw::moreau);
  ASSERT_TRUE(moreau.ok);
  EXPECT_FALSE(moreau.energy_gain);
}

class RandomImpacts : public Impacts {
 protected:
  // count impacts that keep the law; returns how many changed the energy noticeably
  int run(ImpactLaw law, bool friction, bool one_e, int count) {
    RandomProblem random(7);
    RandomProblem::Kind kind;
    kind.friction = friction;
    kind.decades = 3;
    ContactProblem sample;
    sample.reserve(24);
    int lossy = 0, solved = 0;
    for (int k = 0; k < count; ++k) {
      random.fill(kind, sample);
      const double e = random.chance(0.1) ? 1 : random.real(0, 1);
      impact.clear();
      for (const Cone& cone : sample.cones) impact.add({cone.kind, cone.mu}, one_e ? e : random.real(0, 1));
      const int n = impact.rows();
      const Vec inverse_mass = Eigen::Map<Vec>(random.inverse_mass.data(), random.inverse_mass.size());
      // joints hold before the impact: the velocities without what they forbid
      Vec v = random.u;
      remove_forbidden(random.G, inverse_mass, v);
      fill(random.G, inverse_mass, v);
      impact.contact.noise = 1e-15 * (random.G.cwiseAbs() * random.u.cwiseAbs()).maxCoeff();
      const ImpactReport report = solve(law);
      if (!report.ok) continue;
      ++solved;
      const double change = energy_change(random.G, inverse_mass, v, impact.P.head(n));
      const double before = random.u.dot(inverse_mass.cwiseInverse().asDiagonal() * random.u) / 2;
      // contacts that nearly depend on others push hard against them: the rounding of that
      const Vec P = impact.P.head(n).cwiseAbs();
      const double rounding = 1e-15 * P.dot(impact.contact.W.topLeftCorner(n, n).cwiseAbs() * P);
      EXPECT_FALSE(report.energy_gain) << k;
      EXPECT_LT(change, 1e-12 * before + rounding) << k;
      if (change < -1e-3 * before) ++lossy;
    }
    EXPECT_GE(solved, 0.99 * count);
    return lossy;
  }

 private:
  void remove_forbidden(const Mat& G, const Vec& inverse_mass, Vec& v) const {
    std::vector<int> rows;
    int row = 0;
    for (const Cone& cone : impact.contact.cones) {
      if (cone.kind == Cone::Kind::equality) rows.push_back(row);
      row += cone.rows();
    }
    if (rows.empty()) return;
    Mat A(rows.size(), v.size());
    for (size_t k = 0; k < rows.size(); ++k) A.row(k) = G.row(rows[k]);
    const Vec root = inverse_mass.cwiseSqrt();
    const Mat scaled = A * root.asDiagonal();
    v -= root.cwiseProduct(least_squares(scaled, A * v).x);
  }
};

TEST_F(RandomImpacts, NewtonWithoutFrictionAndWithOneRestitutionNeverGainsEnergy) {
  EXPECT_GT(run(ImpactLaw::newton, false, true, 20000), 2000);
}

TEST_F(RandomImpacts, PoissonWithoutFrictionAndWithOneRestitutionNeverGainsEnergy) {
  EXPECT_GT(run(ImpactLaw::poisson, false, true, 20000), 2000);
}

TEST_F(RandomImpacts, MoreauNeverGainsEnergyWithFrictionAndUnequalRestitution) {
  EXPECT_GT(run(ImpactLaw::moreau, true, true, 20000), 2000);
  EXPECT_GT(run(ImpactLaw::moreau, true, false, 20000), 2000);
}

TEST_F(Impacts, ATimeStepUsesTheFreeVelocityAndTheVelocityBefore) {
  impact.clear();
  impact.add(Cone::non_negative(), 0.5);
  impact.contact.W(0, 0) = 2;
  impact.u_minus[0] = -1;
  impact.u_free[0] = -1.2;  // gravity has worked
  for (ImpactLaw law : {ImpactLaw::newton, ImpactLaw::moreau}) {
    ASSERT_TRUE(solve_step(law, impact, *solver).ok);
    EXPECT_NEAR(impact.u_plus[0], 0.5, 1e-15);
    EXPECT_NEAR(impact.P[0], 0.85, 1e-15);
  }
  ASSERT_TRUE(solve_step(ImpactLaw::poisson, impact, *solver).ok);
  EXPECT_NEAR(impact.u_plus[0], 0.6, 1e-15);
}

TEST_F(Impacts, NamesOfTheLaws) {
  for (const std::string& name : impact_law_names()) EXPECT_NO_THROW(find_impact_law(name));
  EXPECT_EQ(find_impact_law("moreau"), ImpactLaw::moreau);
  EXPECT_THROW(find_impact_law("hertz"), std::invalid_argument);
}

TEST(Allocation, SolvingTakesNothingFromTheHeap) {
  RandomProblem random(9);
  RandomProblem::Kind kind;
  ContactProblem sample;
  sample.reserve(12);
  ImpactProblem impact;
  impact.reserve(12);
  Vec P = Vec::Zero(12);
  for (const std::string& name : contact_solver_names()) {
    const auto solver = make_contact_solver(name);
    solver->reserve(12);
    long solving = 0, impacts = 0, filling = 0;
    for (int k = 0; k < 60; ++k) {
      kind.consistent = k % 3 > 0;  // also problems without a solution
      random.fill(kind, sample);
      const long start = testing::allocations;
      solver->solve(sample, P);
      solving += testing::allocations - start;

      const long refill = testing::allocations;
      impact.clear();
      for (const Cone& cone : sample.cones) impact.add(cone, k % 2 ? 0.5 : 0.1 * (impact.rows() % 10));
      filling += testing::allocations - refill;
      impact.contact.W = sample.W;
      impact.u_minus = sample.b;
      const long again = testing::allocations;
      for (ImpactLaw law : every_law) solve_instant(law, impact, *solver);
      impacts += testing::allocations - again;
    }
    EXPECT_EQ(solving, 0) << name;
    EXPECT_EQ(filling, 0);
    EXPECT_EQ(impacts, 0) << name;
  }
}

}  // namespace
}  // namespace escapement
