// Studies: every run gets the parameters as given, and the table says what they came to.
#include "io/sweep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "io/model_error.hpp"
#include "io/study_journal.hpp"

namespace escapement {
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

// what rows of an earlier attempt are worth: those that are whole, of the same study
TEST(Sweep, RowsThatWereKeptAreTakenWholeOrNotAtAll) {
  Folder folder;
  folder.write("model.yaml", model);
  const Study study = load_study(folder.write("study.yaml", R"yaml(escapement: 1
model: model.yaml
vary: {b: "linspace(1, 2, 20)"}
measure: {last: final(x), rate: initial(x')}
)yaml"),
                                 {});
  const fs::path path = folder.path / "study.rows";
  std::vector<SweepRow> made;
  {
    StudyJournal journal(path, study, made);
    const auto keep = [&](std::span<const std::size_t> runs) { journal.add(runs, made); };
    const auto begin = [&](std::span<const std::size_t> runs) { journal.start(runs); };
    run_sweep(study, 1, {.interrupt = nullptr, .on_run = {}, .on_start = begin, .on_rows = keep}, made);
  }
  std::string kept;
  {
    std::ifstream in(path, std::ios::binary);
    kept.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    std::vector<SweepRow> rows;
    StudyJournal journal(path, study, rows);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].done) continue;
      ++taken;
      EXPECT_EQ(rows[i].status, made[i].status);
      EXPECT_EQ(rows[i].verdict, made[i].verdict);
      EXPECT_EQ(rows[i].message, made[i].message);
      EXPECT_EQ(rows[i].measures, made[i].measures);
    }
    EXPECT_EQ(taken, journal.taken());
    return taken;
  };
  EXPECT_EQ(read(kept), 20u);
  std::mt19937 random(3);
  std::size_t fewest = 20;
  for (int k = 0; k < 500; ++k) {
    std::string changed = kept;
    changed[random() % changed.size()] ^= static_cast<char>(1 << random() % 8);
    if (k % 5 == 4) changed.resize(random() % changed.size());
    if (k % 7 == 6) changed.insert(random() % changed.size(), "\n[1]\n[2, \"completed\"]\n[3, 4, 5, 6, 7, 8]\n{}\n[\"x\"]\n[-1]\n");
    fewest = std::min(fewest, read(changed));
    fs::remove(path.string() + ".old");
  }
  EXPECT_LT(fewest, 20u);
  // another digit in a line would be another number
  const std::size_t number = kept.rfind(",[") + 2;
  std::string changed = kept;
  changed[number] = changed[number] == '1' ? '2' : '1';
  EXPECT_EQ(read(changed), 19u);
}

TEST(Sweep, RowsMadeWithAnotherTableAreNotGoneOnWith) {
  Folder folder;
  folder.write("lift.csv", "angle,lift\n0,0\n1,1\n2,4\n3,9\n");
  folder.write("model.yaml", "escapement: 1\nparameters: {b: 2}\ntables: {lift: {file: lift.csv, x: angle, y: lift}}\ncoordinates: {x: {rate: b}}\n"
                             "kinetic_energy: x'^2/2\npotential_energy: lift(x)\nsimulation: {end: 0.5, tolerance: 1e-6}\n");
  const std::string file = folder.write("study.yaml", "escapement: 1\nmodel: model.yaml\nvary: {b: [1, 2]}\nmeasure: {last: final(x)}\n");
  const fs::path path = folder.path / "study.rows";
  const auto attempt = [&] {
    const Study study = load_study(file, {});
    std::vector<SweepRow> rows;
    StudyJournal journal(path, study, rows);
    const std::size_t taken = journal.taken();
    const auto keep = [&](std::span<const std::size_t> runs) { journal.add(runs, rows); };
    run_sweep(study, 1, {.interrupt = nullptr, .on_run = {}, .on_start = {}, .on_rows = keep}, rows);
    return std::pair(taken, journal.set_aside());
  };
  EXPECT_EQ(attempt(), std::pair(std::size_t{0}, false));
  EXPECT_EQ(attempt(), std::pair(std::size_t{2}, false));
  folder.write("lift.csv", "angle,lift\n0,0\n1,1\n2,4\n3,8\n");
  EXPECT_EQ(attempt(), std::pair(std::size_t{0}, true));
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
