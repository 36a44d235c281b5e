// The derived terms of every formula system among the examples against differences: Lagrange's equations are rebuilt
// from the energies alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "io/model_file.hpp"
#include "support/source_folder.hpp"

namespace escapement::derived_terms_test {
namespace {

bool has_energies(const std::filesystem::path& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("kinetic_energy:")) return true;
  return false;
}

std::vector<std::string> example_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(escapement::testing::source_folder() + "/examples"))
    // the cam of the valve train turns faster than these differences resolve its table; cam_follower has the same terms
    if (entry.path().extension() == ".yaml" && has_energies(entry.path()) && entry.path().stem() != "valve_train")
      files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  return files;
}

constexpr Need every_need =
    Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature | Need::slip | Need::slip_rate;

class DerivedTerms : public ::testing::TestWithParam<std::string> {
 protected:
  DerivedTerms()
      : model(load_model(escapement::testing::source_folder() + "/examples/" + GetParam() + ".yaml")),
        system(*model.system),
        dim(system.dim()) {
    system.prepare(T);
    system.prepare(work);
    // a state near the start, away from zeros; step sizes follow the sizes of what the example is made of
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    s = model.start;
    s.t = 0.02;  // between the points of the cam's table, where it is smooth
    const double speed = std::max(1.0, s.v.lpNorm<Eigen::Infinity>());
    for (int i = 0; i < dim.v; ++i) {
      s.q[i] += 0.05 * unit(random);
      s.v[i] += speed * unit(random);
      s.vdot[i] = speed * unit(random);
    }
    for (int i = 0; i < dim.multipliers(); ++i) s.lambda[i] = unit(random);
    w = Vec::NullaryExpr(dim.v, [&] { return speed * unit(random); });
  }
  const Terms& at(const State& x) {
    system.evaluate(x, every_need, T);
    return T;
  }
  State moved(double dt, const Vec& dq, const Vec& dv) const {
    State x = s;
    x.t += dt;
    x.q += dq;
    x.v += dv;
    return x;
  }
  Vec unit(int j) const { return Vec::Unit(dim.v, j); }
  Vec zero() const { return Vec::Zero(dim.v); }
  // derivative of a vector function of the state in a direction, fourth order
  template <class F>
  Vec slope(F&& f, double dt, const Vec& dq, const Vec& dv, double h) {
    const auto value = [&](double k) -> Vec { return f(moved(k * h * dt, k * h * dq, k * h * dv)); };
    return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * h);
  }
  double kinetic(const State& x) { return system.energy(x, work).kinetic; }
  double potential(const State& x) { return system.energy(x, work).potential; }
  // T is quadratic in v, so that these differences are exact but for rounding
  Vec momentum(const State& x) {
    Vec p(dim.v);
    for (int i = 0; i < dim.v; ++i) {
      State plus = x, minus = x;
      plus.v[i] += 1;
      minus.v[i] -= 1;
      p[i] = (kinetic(plus) - kinetic(minus)) / 2;
    }
    return p;
  }
  static Vec velocities(const Terms& T, const Vec& v) { return T.G.dense() * v + T.g_t; }
  static Vec slips(const Terms& T, const Vec& v) { return T.T.dense() * v + T.t0; }
  void expect_near(const Vec& a, const Vec& b, double tolerance, const char* what) {
    const double scale = 1 + a.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>();
    if (a.size() == 0) return;
    EXPECT_LT((a - b).lpNorm<Eigen::Infinity>(), tolerance * scale) << what << "\n"
                                                                    << a.transpose() << "\n"
                                                                    << b.transpose();
  }

  Model model;
  const System& system;
  Dim dim;
  Terms T, work;
  State s;
  Vec w;
  double step = 1e-3;  // of coordinates
  double dt() const { return step / (1 + s.v.lpNorm<Eigen::Infinity>()); }
};

TEST_P(DerivedTerms, LagrangesEquations) {
  const Mat M = at(s).M.dense();
  const Vec f = T.f;
  EXPECT_LT((M - M.transpose()).norm(), 1e-14 * M.norm());
  const Vec p = momentum(s);
  for (int j = 0; j < dim.v; ++j) expect_near(M.col(j), momentum(moved(0, zero(), unit(j))) - p, 1e-10, "M");

  const Vec p_rate = slope([&](const State& x) { return momentum(x); }, 1, s.v, zero(), dt());
  Vec Q = f + p_rate;
  const auto one = [](double x) { return Vec::Constant(1, x); };
  for (int i = 0; i < dim.v; ++i) {
    Q[i] -= slope([&](const State& x) { return one(kinetic(x)); }, 0, unit(i), zero(), step)[0];
    Q[i] += slope([&](const State& x) { return one(potential(x)); }, 0, unit(i), zero(), step)[0];
  }
  // what is left are the generalized forces; without drives their power is the whole power
  State quiet = s;
  quiet.vdot.setZero();
  quiet.lambda.setZero();
  EXPECT_NEAR(Q.dot(s.v), system.energy(quiet, work).power, 2e-7 * (1 + f.norm() * s.v.norm()));
}

TEST_P(DerivedTerms, RowsAndTheirRates) {
  at(s);
  const Mat G = T.G.dense();
  const Vec g_t = T.g_t, kappa = T.kappa, kappa_T = T.kappa_T;
  const auto gaps = [&](const State& x) -> Vec { return at(x).g; };
  for (int j = 0; j < dim.v; ++j) expect_near(G.col(j), slope(gaps, 0, unit(j), zero(), step), 1e-8, "G");
  expect_near(g_t, slope(gaps, 1, zero(), zero(), dt()), 1e-8, "g_t");
  expect_near(kappa, slope([&](const State& x) -> Vec { return velocities(at(x), x.v); }, 1, s.v, zero(), dt()), 1e-7,
              "kappa");
  expect_near(kappa_T, slope([&](const State& x) -> Vec { return slips(at(x), x.v); }, 1, s.v, zero(), dt()), 1e-7,
              "kappa_T");
}

TEST_P(DerivedTerms, Tangents) {
  Tangent D, part;
  system.prepare(D);
  system.prepare(part);
  system.tangent(s, w, s.lambda, Parts::all | Parts::velocity_rows | Parts::curvature_rows, D);
  const int rows = dim.rows();
  const auto mass = [&](const State& x) -> Vec { return at(x).M.dense() * w; };
  const auto force = [&](const State& x) -> Vec { return -at(x).f; };
  const auto pull = [&](const State& x) -> Vec {
    at(x);
    return -(T.G.dense().transpose() * s.lambda.head(rows) + T.T.dense().transpose() * s.lambda.tail(dim.slip));
  };
  const auto all_rows = [&](const State& x) -> Vec {
    at(x);
    Vec both(dim.multipliers());
    both << velocities(T, x.v), slips(T, x.v);
    return both;
  };
  const auto curvature = [&](const State& x) -> Vec { return at(x).kappa; };
  for (int j = 0; j < dim.v; ++j) {
    const auto by_q = [&](auto&& f) { return slope(f, 0, unit(j), zero(), step); };
    const auto by_v = [&](auto&& f) { return slope(f, 0, zero(), unit(j), 1e-2); };
    system.tangent(s, w, s.lambda, Parts::mass, part);
    expect_near(part.K.dense().col(j), by_q(mass), 1e-7, "K mass");
    Vec sum = part.K.dense().col(j);
    system.tangent(s, w, s.lambda, Parts::force, part);
    expect_near(part.K.dense().col(j), by_q(force), 1e-7, "K force");
    sum += part.K.dense().col(j);
    system.tangent(s, w, s.lambda, Parts::constraint, part);
    expect_near(part.K.dense().col(j), by_q(pull), 1e-7, "K constraint");
    sum += part.K.dense().col(j);
    expect_near(D.K.dense().col(j), sum, 1e-13, "K");
    expect_near(D.D.dense().col(j), by_v(force), 1e-8, "D");
    expect_near(D.V_q.dense().col(j), by_q(all_rows), 1e-7, "V_q");
    expect_near(D.kappa_q.dense().col(j), by_q(curvature), 1e-7, "kappa_q");
    expect_near(D.kappa_v.dense().col(j), by_v(curvature), 1e-8, "kappa_v");
  }
}

// d(T + V)/dt along M v' = f + G^T lambda is the power plus what the contact rows, and rows that are not kept, take
TEST_P(DerivedTerms, PowerBalance) {
  at(s);
  const Vec row_rates = velocities(T, s.v);
  const Mat G = T.G.dense(), slip = T.T.dense();
  const Vec pull = G.transpose() * s.lambda.head(dim.rows()) + slip.transpose() * s.lambda.tail(dim.slip);
  s.vdot = T.M.dense().ldlt().solve(T.f + pull);
  const double power = system.energy(s, work).power;
  double contact = s.lambda.head(dim.bilateral).dot(row_rates.head(dim.bilateral));
  for (int i = dim.bilateral; i < dim.rows(); ++i) contact += s.lambda[i] * G.row(i).dot(s.v);
  contact += s.lambda.tail(dim.slip).dot(slip * s.v);
  const double rate =
      1 + s.v.lpNorm<Eigen::Infinity>() + s.vdot.lpNorm<Eigen::Infinity>() / (1 + s.v.lpNorm<Eigen::Infinity>());
  const Vec slope_of_energy =
      slope([&](const State& x) { return Vec::Constant(1, kinetic(x) + potential(x)); }, 1, s.v, s.vdot, step / rate);
  EXPECT_NEAR(slope_of_energy[0], power + contact,
              1e-7 * (1 + std::abs(power) + std::abs(contact) + kinetic(s) * rate));
}

// accelerations a little before and after the start, along the Taylor polynomial itself
TEST_P(DerivedTerms, TimeDerivatives) {
  State start = model.start;
  start.t = 0;
  Mat d(dim.v, 4), other(dim.v, 1);
  ASSERT_EQ(system.derivatives(start, 4, d), 4);
  // one Taylor step moves the acceleration by a small part of itself
  const double fast = std::max({1.0, start.v.lpNorm<Eigen::Infinity>(), std::sqrt(d.col(0).lpNorm<Eigen::Infinity>()),
                                std::cbrt(d.col(1).lpNorm<Eigen::Infinity>()),
                                std::sqrt(std::sqrt(d.col(2).lpNorm<Eigen::Infinity>()))});
  const double dt = 1e-3 / fast;
  const auto acceleration = [&](double h) -> Vec {
    State x = start;
    x.t = h;
    x.q += h * (start.v + h / 2 * (d.col(0) + h / 3 * (d.col(1) + h / 4 * (d.col(2) + h / 5 * d.col(3)))));
    x.v += h * (d.col(0) + h / 2 * (d.col(1) + h / 3 * (d.col(2) + h / 4 * d.col(3))));
    EXPECT_EQ(system.derivatives(x, 1, other), 1);
    return other.col(0);
  };
  const Vec plus = acceleration(dt), minus = acceleration(-dt), plus2 = acceleration(2 * dt),
            minus2 = acceleration(-2 * dt);
  const double size = d.col(0).lpNorm<Eigen::Infinity>() + d.col(1).lpNorm<Eigen::Infinity>() / fast + 1;
  const auto error = [&](const Vec& a, const Vec& b) { return (a - b).lpNorm<Eigen::Infinity>() / size; };
  EXPECT_LT(error((8 * (plus - minus) - (plus2 - minus2)) / (12 * dt), d.col(1)), 1e-6 * fast);
  EXPECT_LT(error((16 * (plus + minus) - (plus2 + minus2) - 30 * d.col(0)) / (12 * dt * dt), d.col(2)),
            1e-3 * fast * fast);
}

INSTANTIATE_TEST_SUITE_P(Examples, DerivedTerms, ::testing::ValuesIn(example_files()),
                         [](const auto& example) { return example.param; });

}  // namespace
}  // namespace escapement
