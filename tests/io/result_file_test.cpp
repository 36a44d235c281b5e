#include "io/result_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

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

Result wide_result(int columns) {
  Result r = small_result();
  r.q.clear();
  for (int i = 0; i < columns; ++i) r.q.push_back({"link" + std::to_string(i) + ".x", {1.0 * i, 2.0 * i, 3.0 * i}});
  return r;
}

// around the sizes at which members move from the group's header into a heap, and their index from a leaf into a tree
TEST(ResultFile, KeepsAnyNumberOfColumns) {
  Folder folder;
  for (const int columns : {0, 1, 8, 9, 4368, 4369, 5956, 5957, 15000}) {
    const Result written = wide_result(columns);
    write_result(written, folder.path / "a.h5");
    const Result read = read_result(folder.path / "a.h5");
    ASSERT_EQ(read.q.size(), written.q.size());
    for (std::size_t i = 0; i < read.q.size(); ++i) {
      ASSERT_EQ(read.q[i].name, written.q[i].name) << columns;
      ASSERT_EQ(read.q[i].values, written.q[i].values) << columns;
    }
  }
}

TEST(ResultFile, KeepsTextsOfAnyNumberAndLength) {
  Folder folder;
  Result written = small_result();
  written.events = {};
  for (int i = 0; i < 70000; ++i) {
    written.events.contact.push_back(i % 3 == 0 ? "" : std::string(static_cast<std::size_t>(i % 40), 'c'));
    written.events.kind.push_back("impact");
    written.events.note.push_back(i % 1000 == 0 ? "größer als 5 µm" : "");
  }
  write_result(written, folder.path / "a.h5");
  const Result read = read_result(folder.path / "a.h5");
  EXPECT_EQ(read.events.contact, written.events.contact);
  EXPECT_EQ(read.events.kind, written.events.kind);
  EXPECT_EQ(read.events.note, written.events.note);
}

// another program may open the file with the library of the format and add to each of its groups
TEST(ResultFile, CanBeAddedTo) {
  Folder folder;
  for (const int columns : {3, 20, 6000}) {
    const fs::path path = folder.path / "a.h5";
    write_result(wide_result(columns), path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t note = H5Acreate2(file, "remark", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
    const char* remark = "added";
    EXPECT_GE(H5Awrite(note, type, &remark), 0);
    H5Aclose(note);
    const double values[3] = {5, 6, 7};
    const hsize_t count = 3;
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    for (int i = 0; i < 2000; ++i) {
      const hid_t set = H5Dcreate2(file, ("/q/more" + std::to_string(i)).c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << columns << ' ' << i;
      H5Dclose(set);
    }
    for (const hid_t id : {space, scalar}) H5Sclose(id);
    H5Tclose(type);
    ASSERT_GE(H5Fclose(file), 0);
    const Result read = read_result(path);
    ASSERT_EQ(read.q.size(), static_cast<std::size_t>(columns + 2000));
    EXPECT_EQ(read.q[1].values, std::vector<double>({1, 2, 3}));
    EXPECT_EQ(read.q.back().name, "more1999");
    EXPECT_EQ(read.q.back().values, std::vector<double>({5, 6, 7}));
    EXPECT_EQ(read.model_name, small_result().model_name);
  }
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

TEST(ResultFile, CsvHasEveryNumberUnderItsName) {
  Folder folder;
  Result r = small_result();
  r.contacts.push_back({"wall", {0.25, 0.125, 1}, {3, -4, 5}, {6, 7, 8}, {-9, 1.0 / 3, 11}});
  r.kinetic = {1, 2, 3};
  r.potential = {0.5, 0.25, 0.125};
  r.total = {1.5, 2.25, 3.125};
  r.drift_velocity = {3e-300, 1e-15, 4e-16};
  r.outputs = {{"height", {0.1, 0.2, 0.3}}};
  write_csv(r, folder.path / "a.csv");
  std::ifstream in(folder.path / "a.csv");
  const auto cells = [&] {
    std::vector<std::string> list;
    std::string line, cell;
    std::getline(in, line);
    for (std::istringstream words(line); std::getline(words, cell, ',');) list.push_back(cell);
    return list;
  };
  const std::vector<std::pair<std::string, const std::vector<double>*>> expected{
      {"time", &r.time},
      {"zeta", &r.q[0].values},
      {"alpha", &r.q[1].values},
      {"names", &r.q[2].values},
      {"rate.zeta", &r.v[0].values},
      {"rate.alpha", &r.v[1].values},
      {"rate.names", &r.v[2].values},
      {"lambda.rod", &r.lambda[0].values},
      {"contacts.floor.gap", &r.contacts[0].gap},
      {"contacts.floor.gap_rate", &r.contacts[0].gap_rate},
      {"contacts.floor.force", &r.contacts[0].force},
      {"contacts.wall.gap", &r.contacts[1].gap},
      {"contacts.wall.gap_rate", &r.contacts[1].gap_rate},
      {"contacts.wall.force", &r.contacts[1].force},
      {"contacts.wall.slip", &r.contacts[1].slip},
      {"energy.kinetic", &r.kinetic},
      {"energy.potential", &r.potential},
      {"energy.total", &r.total},
      {"drift.position", &r.drift_position},
      {"drift.velocity", &r.drift_velocity},
      {"outputs.height", &r.outputs[0].values}};
  const std::vector<std::string> names = cells();
  ASSERT_EQ(names.size(), expected.size());
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(names[k], expected[k].first);
  for (std::size_t i = 0; i < r.time.size(); ++i) {
    const std::vector<std::string> row = cells();
    ASSERT_EQ(row.size(), expected.size());
    for (std::size_t k = 0; k < row.size(); ++k)
      EXPECT_EQ(std::strtod(row[k].c_str(), nullptr), (*expected[k].second)[i]) << names[k] << ", row " << i;
  }
  EXPECT_TRUE(cells().empty());
}

}  // namespace
}  // namespace escapement
