// Models read from one text with other parameters, derived once: the bits of models that are read by themselves.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "io/examples.hpp"
#include "io/model_file.hpp"
#include "io/run.hpp"
#include "support/source_folder.hpp"

namespace escapement::model_text_test {
namespace {

std::string folder() { return escapement::testing::source_folder() + "/examples/"; }

void add(const double* first, Eigen::Index count, std::vector<std::uint64_t>& bits) {
  for (Eigen::Index i = 0; i < count; ++i) bits.push_back(std::bit_cast<std::uint64_t>(first[i]));
}
void add(const Matrix& m, std::vector<std::uint64_t>& bits) {
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) {
      const double entry = m(i, j);
      add(&entry, 1, bits);
    }
}

// everything that a system can be asked, at some states around the start
std::vector<std::uint64_t> answers(const Model& model) {
  const System& system = *model.system;
  std::vector<std::uint64_t> bits;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(-0.1, 0.1);
  Terms T;
  Tangent D;
  system.prepare(T);
  system.prepare(D);
  State s = model.start;
  for (const ContactLaw& law : system.contacts())
    for (const double x : {law.restitution, law.friction}) add(&x, 1, bits);
  for (int trial = 0; trial < 3; ++trial) {
    add(s.q.data(), s.q.size(), bits);
    for (unsigned mask = 1; mask < 128; mask = mask < 64 ? mask + 1 : 127) {
      system.evaluate(s, Need(mask), T);
      for (const Matrix* m : {&T.M, &T.G, &T.T}) add(*m, bits);
      for (const Vec* v : {&T.f, &T.zdot, &T.g, &T.g_t, &T.kappa, &T.t0, &T.kappa_T}) add(v->data(), v->size(), bits);
      if (mask == 127) break;
    }
    const Vec w = Vec::Constant(system.dim().v, 0.7), mu = Vec::Constant(system.dim().multipliers(), 0.3);
    for (unsigned parts = 1; parts < 32; ++parts) {
      system.tangent(s, w, mu, Parts(parts), D);
      for (const Matrix* m : {&D.K, &D.D, &D.V_q, &D.kappa_q, &D.kappa_v}) add(*m, bits);
    }
    const Energy energy = system.energy(s, T);
    for (const double x : {energy.kinetic, energy.potential}) add(&x, 1, bits);
    Vec rows;
    system.position_terms(s, nullptr, rows);
    add(rows.data(), rows.size(), bits);
    for (double& x : s.q) x += some(random);
    for (double& x : s.v) x += some(random);
    s.t += 0.01;
  }
  return bits;
}

struct Read {
  std::vector<std::uint64_t> bits;
  std::string refused;
};
template <class F>
Read read_by(F read) {
  try {
    return {answers(read()), ""};
  } catch (const std::exception& error) {
    return {{}, error.what()};
  }
}

TEST(ModelText, EveryParameterOfEveryFormulaExampleGivesTheSameBits) {
  int compared = 0;
  for (const ExampleFile& example : example_files()) {
    if (!example.name.ends_with(".yaml")) continue;
    const std::string file = folder() + example.name, text(example.text);
    const Model plain = read_model(file, text);
    if (plain.kind != "formula system") continue;
    const ModelText derived_once(file, text);
    std::size_t rows = 0;
    for (const auto& [name, value] : plain.parameters)
      for (const double other : {1.0137 * value, 0.98861 * value, 2 * value, 1.0, 0.0}) {
        Overrides overrides;
        overrides.parameters = {{name, fmt::format("{:.17g}", other)}};
        const Read alone = read_by([&] { return read_model(file, text, overrides); });
        const Read shared = read_by([&] { return derived_once.read(overrides); });
        EXPECT_EQ(shared.refused, alone.refused) << example.name << " with " << name << " = " << other;
        EXPECT_TRUE(shared.bits == alone.bits) << example.name << " with " << name << " = " << other;
        ++rows;
      }
    compared += static_cast<int>(rows);
    EXPECT_LE(derived_once.derived(), 32u);
  }
  EXPECT_GT(compared, 300);
}

constexpr const char* crank = R"yaml(escapement: 1
parameters: {m: 1.3, n: 1.3, l: 0.7, mu: 0.2, e: 0.3}
coordinates: {x: {start: 0}, y: {start: 1}}
kinetic_energy: m/2*x'^2 + n/2*y'^2
potential_energy: n*9.81*y + m*l*cos(x)
contacts: {floor: {gap: y, restitution: e, friction: mu, slip: x'}}
simulation: {end: 1}
)yaml";

Overrides with(std::vector<std::pair<std::string, std::string>> parameters) {
  Overrides o;
  o.parameters = std::move(parameters);
  return o;
}

TEST(ModelText, OtherNumbersAreNotDerivedAgainButOtherFormsAre) {
  const ModelText text("crank.yaml", crank);
  const auto derived_by = [&](std::vector<std::pair<std::string, std::string>> parameters) {
    const std::size_t before = text.derived();
    const Model model = text.read(with(parameters));
    EXPECT_TRUE(answers(model) == answers(read_model("crank.yaml", crank, with(parameters))));
    return text.derived() - before;
  };
  EXPECT_EQ(derived_by({{"l", "0.71"}}), 1u);
  for (const char* l : {"0.72", "0.9", "1.7", "0.123"}) EXPECT_EQ(derived_by({{"l", l}}), 0u) << l;
  for (const char* e : {"0.31", "0.4", "0.9"}) EXPECT_EQ(derived_by({{"l", "0.8"}, {"e", e}}), 0u) << e;
  EXPECT_EQ(derived_by({{"mu", "0"}}), 1u);        // no friction, no slip
  EXPECT_EQ(derived_by({{"n", "1.4"}}), 1u);       // equal masses are one number, different ones two; n/2 is l
  EXPECT_EQ(derived_by({{"n", "1.43"}}), 1u);
  EXPECT_EQ(derived_by({{"n", "1.47"}}), 0u);
  EXPECT_EQ(derived_by({{"l", "0"}}), 1u);         // a term vanishes
  EXPECT_EQ(derived_by({{"l", "0.7"}}), 0u);
}

TEST(ModelText, RunsOfAStudyHaveTheBitsOfSingleRuns) {
  const std::string file = folder() + "slider_crank_clearance.yaml";
  const Model plain = load_model(file);
  const ModelText text(file, plain.text);
  for (const char* scheme : {"auto", "moreau-midpoint-ggl", "bdf"})
    for (const char* c : {"1e-3", "8.3e-4", "5.1e-4"}) {
      Overrides o = with({{"c", c}, {"restitution", "0.37"}});
      o.scheme = scheme;
      o.end = "0.004";
      if (std::string(scheme).starts_with("moreau")) o.step = "1e-5";
      Model alone = read_model(file, plain.text, o), shared = text.read(o);
      const RunReport a = run_model(alone), b = run_model(shared);
      ASSERT_EQ(a.result.time.size(), b.result.time.size());
      for (std::size_t k = 0; k < a.result.q.columns(); ++k)
        for (std::size_t i = 0; i < a.result.time.size(); ++i) EXPECT_EQ(a.result.q[k][i], b.result.q[k][i]) << scheme;
      EXPECT_EQ(a.summary.work, b.summary.work);
    }
}

}  // namespace
}  // namespace escapement
