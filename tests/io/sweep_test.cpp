// Studies: every run gets the parameters as given, and the table says what they came to.
#include "io/sweep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "io/model_error.hpp"

namespace escapement::sweep_test {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("escapement_sweep_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string write(const char* name, const char* text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

// it moves uniformly from a by b
constexpr const char* model = R"yaml(escapement: 1
parameters: {a: 1, b: 2}
coordinates: {x: {start: a, rate: b}}
kinetic_energy: x'^2/2
simulation: {end: 1, tolerance: 1e-6}
)yaml";

TEST(Sweep, ParametersKeepAllTheirDigits) {
  Folder folder;
  folder.write("model.yaml", model);
  const Study study = load_study(folder.write("study.yaml", R"yaml(escapement: 1
model: model.yaml
vary: {a: [1.2345678901234567, 3]}
sample: {count: 2, seed: 5, of: {b: "uniform(1, 2)"}}
measure: {start: initial(x), rate: initial(x'), a: a}
)yaml"),
                                 {});
  const std::vector<SweepRow> rows = run_sweep(study, 1);
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].status, "completed") << rows[i].message;
    EXPECT_EQ(rows[i].measures[0], study.runs[i][0]);
    EXPECT_EQ(rows[i].measures[1], study.runs[i].back());
    EXPECT_EQ(rows[i].measures[2], study.runs[i][0]);
  }
  EXPECT_NE(to_csv(study, rows).find("\n0,1.2345678901234567,"), std::string::npos) << to_csv(study, rows);
  EXPECT_EQ(to_json(study, rows)["rows"][0]["parameters"]["a"].get<double>(), 1.2345678901234567);
}

// of texts too, without a file, and messages name the text they are about
TEST(Sweep, TakesTextsForFiles) {
  const std::string study = "escapement: 1\nvary: {a: [1, 4]}\nmeasure: {last: final(x)}\n";
  const std::vector<SweepRow> rows = run_sweep(read_study("study", study, "line.yaml", model, {}), 1);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0].measures[0], 3, 1e-12);
  EXPECT_NEAR(rows[1].measures[0], 6, 1e-12);
  try {
    read_study("study", study, "line.yaml", "escapement: 1\ncoordinates: {x: {}}\nkinetic_energy: y'^2\nsimulation: {end: 1}\n", {});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("line.yaml:3:17: the name 'y'")) << error.what();
  }
}

TEST(Sweep, TheTableEndsWithRangesAndMeans) {
  Folder folder;
  folder.write("model.yaml", model);
  const Study study = load_study(folder.write("study.yaml", R"yaml(escapement: 1
model: model.yaml
vary: {b: [1, 2, 6]}
measure: {final: final(x), over_time: mean(x), highest: max(x), lowest: min(-x)}
)yaml"),
                                 {});
  const std::string text = to_text(study, run_sweep(study, 1));
  // x ends at 1 + b and is 1 + b/2 in the mean
  EXPECT_NE(text.find("final: from 2 to 7, mean 4 of 3 runs"), std::string::npos) << text;
  EXPECT_NE(text.find("over_time: from 1.5 to 4, mean 2.5 of 3 runs"), std::string::npos) << text;
  EXPECT_NE(text.find("highest: from 2 to 7, mean 4 of 3 runs"), std::string::npos) << text;
  EXPECT_NE(text.find("lowest: from -7 to -2, mean -4 of 3 runs"), std::string::npos) << text;
}

}  // namespace
}  // namespace escapement
