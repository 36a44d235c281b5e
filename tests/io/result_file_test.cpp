#include "io/result_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace escapement {
namespace {

namespace fs = std::filesystem;

Result small_result() {
  Result r;
  r.time = {0, 0.5, 1};
  r.q = {{"zeta", {1, 2, 3}}, {"alpha", {4, 5, 6}}, {"names", {7, 8, 9}}};  // neither sorted nor free of odd names
  r.v = {{"zeta", {0, 0, 0}}, {"alpha", {1, 1, 1}}, {"names", {2, 2, 2}}};
  r.lambda = {{"rod", {-1, -2, -3}}};
  r.contacts = {{"floor", {1, 0.5, 0}, {0, -1, -2}, {0, 0, 3}, {}}};
  r.kinetic = r.potential = r.total = {1, 1, 1};
  r.drift_position = r.drift_velocity = {0, 1e-16, 2e-16};
  r.events = {{1}, {-2}, {1}, {3}, {"floor"}, {"impact"}, {""}};
  r.steps = {{0.5, 1}, {0.5, 0.5}, {2, 3}, {1e-9, 2e-9}, {0, 1}, 1};
  r.model_name = "a 'quoted' name";
  r.model_text = std::string(200000, 'x') + "\nend";
  r.summary = R"({"status": "completed"})";
  return r;
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("escapement_result_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

TEST(ResultFile, ReadsBackWhatItWrote) {
  Folder folder;
  const Result written = small_result();
  write_result(written, folder.path / "a.h5");
  const Result read = read_result(folder.path / "a.h5");
  ASSERT_EQ(read.q.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(read.q[i].name, written.q[i].name);
    EXPECT_EQ(read.q[i].values, written.q[i].values);
  }
  EXPECT_EQ(read.contacts[0].force, written.contacts[0].force);
  EXPECT_TRUE(read.contacts[0].slip.empty());
  EXPECT_EQ(read.events.contact, written.events.contact);
  EXPECT_EQ(read.steps.error, written.steps.error);
  EXPECT_EQ(read.model_text, written.model_text);
  EXPECT_EQ(read.summary, written.summary);
}

TEST(ResultFile, LeavesNothingButTheFile) {
  Folder folder;
  write_result(small_result(), folder.path / "a.h5");
  write_result(small_result(), folder.path / "a.h5");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

TEST(ResultFile, SaysWhatIsWrongWithOtherFiles) {
  Folder folder;
  EXPECT_THROW(read_result(folder.path / "none.h5"), ResultError);
  std::ofstream(folder.path / "text.h5") << "not HDF5 at all";
  EXPECT_THROW(read_result(folder.path / "text.h5"), ResultError);
  EXPECT_THROW(write_result(small_result(), folder.path / "no" / "folder.h5"), ResultError);
}

TEST(ResultFile, CsvHasOneRowPerSample) {
  Folder folder;
  write_csv(small_result(), folder.path / "a.csv");
  std::ifstream in(folder.path / "a.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line.substr(0, 22), "time,zeta,alpha,names,");
  int rows = 0;
  while (std::getline(in, line)) ++rows;
  EXPECT_EQ(rows, 3);
}

}  // namespace
}  // namespace escapement
