#include "io/result_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "io/checksum.hpp"
#include "io/hdf5_file.hpp"
#include "io/running_result.hpp"

namespace escapement::result_file_test {
namespace {

namespace fs = std::filesystem;

DataTable table(std::vector<std::string> names, std::vector<double> values) {
  const std::size_t rows = names.empty() ? 3 : values.size() / names.size();
  return DataTable(std::move(names), rows, std::move(values));
}

// of these samples, in space: a point at (i, 0.5, 0) with the force (0, 0, -i)
ContactPointColumns points_of(const std::vector<std::uint64_t>& samples) {
  ContactPointColumns points;
  points.dimension = 3;
  points.names = {"pile", "ground", "größe", "ball"};
  points.widest = 20;
  for (const std::uint64_t sample : samples) {
    const std::size_t i = points.rows();
    points.sample.push_back(sample);
    points.id.push_back(0xfedcba9876543210 + i);
    points.contact.push_back(0);
    points.a.push_back(i % 2 == 0 ? 1 : 2);
    points.b.push_back(3);
    points.gap.push_back(-1e-12);
    for (const double x : {static_cast<double>(i), 0.5, 0.0}) points.point.push_back(x);
    for (const double x : {0.0, 0.0, 1.0}) points.normal.push_back(x);
    for (const double x : {0.0, 0.0, -static_cast<double>(i)}) points.force.push_back(x);
  }
  return points;
}

void expect_same(const ContactPointColumns& a, const ContactPointColumns& b) {
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.stride, b.stride);
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.id, b.id);
  for (const auto column : {&ContactPointColumns::contact, &ContactPointColumns::a, &ContactPointColumns::b}) {
    ASSERT_EQ((a.*column).size(), (b.*column).size());
    for (std::size_t i = 0; i < a.rows(); ++i) EXPECT_EQ(a.names[(a.*column)[i]], b.names[(b.*column)[i]]);
  }
  for (const auto column : {&ContactPointColumns::point, &ContactPointColumns::normal, &ContactPointColumns::gap, &ContactPointColumns::force})
    EXPECT_EQ(a.*column, b.*column);
}

Result small_result() {
  Result r;
  r.time = {0, 0.5, 1};
  r.q = table({"zeta", "alpha", "names"}, {1, 4, 7, 2, 5, 8, 3, 6, 9});  // neither sorted nor free of odd names
  r.v = table({"zeta", "alpha", "names"}, {0, 1, 2, 0, 1, 2, 0, 1, 2});
  r.lambda = table({"rod"}, {-1, -2, -3});
  r.contacts.gap = table({"floor", "größe"}, {1, 0.25, 0.5, 0.125, 0, 1});
  r.contacts.gap_rate = table({"floor", "größe"}, {0, 3, -1, -4, -2, 5});
  r.contacts.force = table({"floor", "größe"}, {0, 6, 0, 7, 3, 8});
  r.contacts.friction = table({"größe"}, {-1, 2, -3});
  r.contacts.slip = table({"größe"}, {-9, 1.0 / 3, 11});
  r.energy = table({"kinetic", "potential", "total"}, {1, 0.5, 1.5, 2, 0.25, 2.25, 3, 0.125, 3.125});
  r.drift = table({"position", "velocity"}, {0, 3e-300, 1e-16, 1e-15, 2e-16, 4e-16});
  for (DataTable* empty : {&r.states, &r.outputs, &r.brakes}) empty->resize(3);
  r.events = {{1}, {-2}, {1}, {3}, {"floor"}, {"impact"}, {""}};
  r.steps = {{0.5, 1}, {0.5, 0.5}, {2, 3}, {1e-9, 2e-9}, {0, 1}, {1e4, 2e4}, 1};
  r.points = points_of({0, 0, 2});
  r.origin.model_name = "a 'quoted' name";
  r.origin.model_text = std::string(200000, 'x') + "\nend";
  r.origin.parameters = {{"m", 0.1}, {"l", 1.0 / 3}};
  r.origin.options = {{"projection", std::string("both")}, {"list", std::vector<double>{1, 2.5}}, {"safety", 0.9}};
  r.origin.command.parameters = {{"m", "1/10"}};
  r.origin.tables = {{"lift.csv", "00000000000000ff"}, {"folder/wind.csv", "af63bd4c8601b7df"}};
  r.origin.scheme = "hem5";
  r.origin.tolerance = 1e-8;
  r.origin.end = 1;
  r.summary = R"({"status": "completed"})";
  return r;
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("escapement_result_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.origin.tables, b.origin.tables);
  std::vector<const DataTable*> tables;
  for_each_table(a, [&](const char*, const DataTable& one) { tables.push_back(&one); });
  std::size_t k = 0;
  for_each_table(b, [&](const char* path, const DataTable& one) {
    EXPECT_EQ(tables[k]->names(), one.names()) << path;
    EXPECT_EQ(tables[k]->rows(), one.rows()) << path;
    EXPECT_EQ(tables[k++]->values(), one.values()) << path;
  });
  EXPECT_EQ(a.events.time, b.events.time);
  EXPECT_EQ(a.events.contact, b.events.contact);
  EXPECT_EQ(a.events.kind, b.events.kind);
  EXPECT_EQ(a.events.velocity_before, b.events.velocity_before);
  EXPECT_EQ(a.events.velocity_after, b.events.velocity_after);
  EXPECT_EQ(a.events.impulse, b.events.impulse);
  EXPECT_EQ(a.events.note, b.events.note);
  expect_same(a.points, b.points);
  EXPECT_EQ(a.steps.time, b.steps.time);
  EXPECT_EQ(a.steps.size, b.steps.size);
  EXPECT_EQ(a.steps.newton_iterations, b.steps.newton_iterations);
  EXPECT_EQ(a.steps.error, b.steps.error);
  EXPECT_EQ(a.steps.rejected, b.steps.rejected);
  EXPECT_EQ(a.steps.stride, b.steps.stride);
  EXPECT_EQ(a.checkpoint, b.checkpoint);
  EXPECT_EQ(a.summary, b.summary);
  EXPECT_EQ(a.origin.model_name, b.origin.model_name);
  EXPECT_EQ(a.origin.model_text, b.origin.model_text);
  EXPECT_EQ(a.origin.parameters, b.origin.parameters);
  EXPECT_EQ(a.origin.options, b.origin.options);
  EXPECT_EQ(a.origin.command.parameters, b.origin.command.parameters);
  EXPECT_EQ(a.origin.scheme, b.origin.scheme);
  EXPECT_EQ(a.origin.tolerance, b.origin.tolerance);
  EXPECT_EQ(a.origin.step, b.origin.step);
}

TEST(ResultFile, ReadsBackWhatItWrote) {
  Folder folder;
  Result written = small_result();
  write_result(written, folder.path / "a.h5");
  expect_same(written, read_result(folder.path / "a.h5"));
  written.checkpoint = {1, 2.5, -3};
  write_result(written, folder.path / "a.h5");
  expect_same(written, read_result(folder.path / "a.h5"));
  expect_same(Result(), (write_result(Result(), folder.path / "b.h5"), read_result(folder.path / "b.h5")));
}

Result wide_result(std::size_t columns, std::size_t rows) {
  Result r;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back("link" + std::to_string(i) + ".x");
  r.q = r.v = DataTable(names);
  for (std::size_t i = 0; i < rows; ++i) {
    r.time.push_back(0.1 * static_cast<double>(i));
    for_each_table(r, [&](const char*, DataTable& one) {
      double* row = one.add_row();
      for (std::size_t k = 0; k < one.columns(); ++k) row[k] = std::sin(static_cast<double>(i * 7 + k));
    });
  }
  return r;
}

TEST(ResultFile, KeepsAnyNumberOfColumnsAndTexts) {
  Folder folder;
  for (const std::size_t columns : {1u, 9u, 8192u, 8193u, 20000u}) {
    const Result written = wide_result(columns, 5);
    write_result(written, folder.path / "a.h5");
    expect_same(written, read_result(folder.path / "a.h5"));
  }
  Result written = wide_result(1, 3);
  for (int i = 0; i < 70000; ++i) {
    written.events.contact.push_back(i % 3 == 0 ? "" : std::string(static_cast<std::size_t>(i % 40), 'c'));
    written.events.kind.push_back("impact");
    written.events.note.push_back(i % 1000 == 0 ? "größer als 5 µm" : "");
  }
  for (auto* column : {&written.events.time, &written.events.velocity_before, &written.events.velocity_after, &written.events.impulse}) column->assign(70000, 1.5);
  write_result(written, folder.path / "a.h5");
  expect_same(written, read_result(folder.path / "a.h5"));
}

// columns that mostly stand still take little room
TEST(ResultFile, CompressesWhatStandsStill) {
  Folder folder;
  Result moving = wide_result(20, 1000), still = moving;
  still.q = still.v = DataTable(moving.q.names(), 1000, std::vector<double>(20000, 1.25));
  write_result(moving, folder.path / "a.h5");
  write_result(still, folder.path / "b.h5");
  EXPECT_GT(fs::file_size(folder.path / "a.h5"), 320000u);
  EXPECT_LT(fs::file_size(folder.path / "b.h5"), 80000u);  // energy and drift move
  expect_same(still, read_result(folder.path / "b.h5"));
}

// other programs see tables with the names of their columns, as docs/results.md says
TEST(ResultFile, HasTheLayoutOfItsPage) {
  Folder folder;
  write_result(small_result(), folder.path / "a.h5");
  const hid_t file = H5Fopen((folder.path / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto shape = [&](const char* path) {
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<hsize_t> size(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, size.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return size;
  };
  using Size = std::vector<hsize_t>;
  EXPECT_EQ(shape("/time"), Size({3}));
  EXPECT_EQ(shape("/q"), Size({3, 3}));
  EXPECT_EQ(shape("/states"), Size({3, 0}));
  EXPECT_EQ(shape("/contacts/gap"), Size({3, 2}));
  EXPECT_EQ(shape("/contacts/slip"), Size({3, 1}));
  EXPECT_EQ(shape("/brakes/force"), Size({3, 0}));
  EXPECT_EQ(shape("/energy"), Size({3, 3}));
  EXPECT_EQ(shape("/drift"), Size({3, 2}));
  EXPECT_EQ(shape("/contact_points/sample"), Size({3}));
  EXPECT_EQ(shape("/contact_points/a"), Size({3}));
  EXPECT_EQ(shape("/contact_points/force"), Size({3, 3}));
  EXPECT_EQ(shape("/contact_points/gap"), Size({3}));
  EXPECT_EQ(shape("/columns/q"), Size({3}));
  EXPECT_EQ(shape("/columns/contacts/gap"), Size({2}));
  EXPECT_EQ(shape("/columns/energy"), Size({3}));
  EXPECT_EQ(shape("/events/velocity_before"), Size({1}));
  EXPECT_EQ(shape("/steps/newton_iterations"), Size({2}));
  EXPECT_GT(H5Aexists(file, "summary"), 0);
  EXPECT_GT(H5Aexists(file, "model"), 0);
  H5Fclose(file);
}

// another program may add to the file, but not change it
TEST(ResultFile, CanBeAddedTo) {
  Folder folder;
  const fs::path path = folder.path / "a.h5";
  write_result(small_result(), path);
  {
    Hdf5File file(path, Hdf5File::Mode::change);
    file.set_text("remark", "added");
    file.add_group("mine");
    file.add_numbers("mine/filtered", {3, 1, true}, std::array{5.0, 6.0, 7.0}, Hdf5File::Storage::plain);
    file.close();
  }
  expect_same(small_result(), read_result(path));
  {
    Hdf5File file(path, Hdf5File::Mode::change);
    file.remove("q");
    file.add_numbers("q", {3, 3, false}, std::array{1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.5}, Hdf5File::Storage::plain);
    file.close();
  }
  EXPECT_THROW(read_result(path), ResultError);
}

// sums over rows go on where others end, and notice any bit, and what has changed places
TEST(ResultFile, SumsNoticeAnyChange) {
  for (const std::size_t width : {1u, 2u, 3u, 8u, 9u}) {
    std::vector<double> numbers(width * 12);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i % 5 == 0 ? 0 : std::sin(static_cast<double>(i));
    const auto sum = [&](std::size_t first, std::size_t end) {
      return sum_of_rows("q", first, width, std::span<const double>(numbers).subspan(first * width, (end - first) * width));
    };
    const std::uint64_t whole = sum(0, 12);
    for (std::size_t cut = 0; cut <= 12; ++cut) EXPECT_EQ(sum(0, cut) + sum(cut, 12), whole);
    EXPECT_NE(sum_of_rows("v", 0, width, std::span<const double>(numbers)), whole);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (int bit = 0; bit < 64; ++bit) {
        const double kept = numbers[i];
        numbers[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kept) ^ (std::uint64_t{1} << bit));
        EXPECT_NE(sum(0, 12), whole) << width << " " << i << " " << bit;
        numbers[i] = kept;
      }
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (numbers[i] == numbers[j]) continue;
        std::swap(numbers[i], numbers[j]);
        EXPECT_NE(sum(0, 12), whole) << width << " " << i << " " << j;
        std::swap(numbers[i], numbers[j]);
      }
  }
  std::string text = "a name that is longer than two words of eight bytes each, and some more";
  for (; !text.empty(); text.pop_back()) {
    const std::uint64_t whole = sum_of(text);
    EXPECT_NE(sum_of(text.substr(1)), whole);
    for (std::size_t i = 0; i < 8 * text.size(); ++i) {
      text[i / 8] = static_cast<char>(text[i / 8] ^ (1 << i % 8));
      EXPECT_NE(sum_of(text), whole) << text;
      text[i / 8] = static_cast<char>(text[i / 8] ^ (1 << i % 8));
    }
  }
}

std::string refusal(const fs::path& path) {
  try {
    read_result(path);
  } catch (const ResultError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultFile, SaysWhatIsWrongWithOtherFiles) {
  Folder folder;
  const fs::path path = folder.path / "a.h5";
  EXPECT_NE(refusal(path).find("no such file"), std::string::npos);
  std::ofstream(path) << "not HDF5 at all";
  EXPECT_NE(refusal(path).find("not a result file"), std::string::npos);
  EXPECT_NE(refusal(folder.path).find("it is a folder"), std::string::npos);
  EXPECT_THROW(write_result(small_result(), folder.path / "no" / "folder.h5"), WriteError);

  const auto damage = [&](auto change) {
    write_result(small_result(), path);
    Hdf5File file(path, Hdf5File::Mode::change);
    change(file);
    file.close();
    return refusal(path);
  };
  using Storage = Hdf5File::Storage;
  // lengths, types and names that do not fit
  EXPECT_NE(damage([](Hdf5File& file) { file.remove("lambda"); }).find("it has no 'lambda'"), std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) {
              file.remove("lambda");
              file.add_numbers("lambda", {2, 1, false}, std::array{1.0, 2.0}, Storage::plain);
            }).find("'lambda' has 2 rows where 'time' has 3"),
            std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) {
              file.remove("columns/lambda");
              file.add_texts("columns/lambda", std::array<std::string, 2>{"rod", "bar"}, Storage::plain);
            }).find("'lambda' has 1 columns and 2 names"),
            std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) {
              file.remove("columns/lambda");
              file.add_texts("columns/lambda", std::array<std::string, 1>{""}, Storage::plain);
            }).find("a column of 'lambda' has no name"),
            std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) {
              file.remove("lambda");
              file.add_texts("lambda", std::array<std::string, 3>{"a", "b", "c"}, Storage::plain);
            }).find("'lambda' does not hold numbers"),
            std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) {
              file.remove("events/impulse");
              file.add_numbers("events/impulse", {0, 1, true}, {}, Storage::plain);
            }).find("'events/impulse' has 0 rows where 'events/time' has 1"),
            std::string::npos);
  // nothing behind a large size
  EXPECT_NE(damage([](Hdf5File& file) {
              file.remove("steps/time");
              file.add_numbers("steps/time", {std::size_t{1} << 40, 1, true}, {}, Storage::plain);
            }).find("'steps/time' is incomplete"),
            std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) { file.set_text("options", "{"); }).find("what it says of its run is damaged"), std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) { file.set_text("model_name", "another"); }).find("not those that were written"), std::string::npos);
  EXPECT_NE(damage([](Hdf5File& file) { file.set_number("layout", 2); }).find("layout of another version"), std::string::npos);

  // times that are no numbers, and those of a run that goes back
  const auto written = [&](auto change) {
    Result result = small_result();
    change(result);
    write_result(result, path);
    return refusal(path);
  };
  for (const double bad : {std::nan(""), HUGE_VAL, 0.25}) {
    EXPECT_NE(written([&](Result& r) { r.time[2] = bad; }).find("'time' is damaged"), std::string::npos) << bad;
    EXPECT_NE(written([&](Result& r) { r.steps.time[1] = bad; }).find("'steps/time' is damaged"), std::string::npos) << bad;
  }
  EXPECT_NE(written([&](Result& r) { r.events.time[0] = std::nan(""); }).find("'events/time' is damaged"), std::string::npos);

  // a file of an older layout: one data set for each column
  {
    Hdf5File file(path, Hdf5File::Mode::create);
    file.add_group("q");
    file.add_numbers("time", {3, 1, true}, std::array{0.0, 0.5, 1.0}, Storage::plain);
    file.add_numbers("q/x", {3, 1, true}, std::array{0.0, 0.5, 1.0}, Storage::plain);
    file.close();
  }
  EXPECT_NE(refusal(path).find("layout of an older version; run its model again"), std::string::npos) << refusal(path);
  {
    Hdf5File file(path, Hdf5File::Mode::create);
    file.add_numbers("image", {3, 1, true}, std::array{0.0, 0.5, 1.0}, Storage::plain);
    file.close();
  }
  EXPECT_NE(refusal(path).find("not a result file"), std::string::npos);
}

// links into other files are not followed
TEST(ResultFile, FollowsNoLinksElsewhere) {
  Folder folder;
  write_result(small_result(), folder.path / "other.h5");
  for (const bool external : {true, false}) {
    write_result(small_result(), folder.path / "a.h5");
    const hid_t file = H5Fopen((folder.path / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    ASSERT_GE(H5Ldelete(file, "lambda", H5P_DEFAULT), 0);
    ASSERT_GE(external ? H5Lcreate_external("other.h5", "/lambda", file, "lambda", H5P_DEFAULT, H5P_DEFAULT)
                       : H5Lcreate_soft("/contacts/slip", file, "lambda", H5P_DEFAULT, H5P_DEFAULT),
              0);
    ASSERT_GE(H5Fclose(file), 0);
    EXPECT_NE(refusal(folder.path / "a.h5").find("it has no 'lambda'"), std::string::npos);
  }
}

// whatever is changed in it, a file is refused in a sentence or reads as it was: in finished ones and in those that grow
TEST(ResultFile, AnyFlippedByteIsNoticed) {
  Folder folder;
  std::mt19937 random(7);
  for (const bool grows : {false, true}) {
    Result written = small_result();
    written.origin.model_text = "short";
    if (grows) written.checkpoint = {1, 2, 3};
    write_result(written, folder.path / "a.h5");
    std::ifstream in(folder.path / "a.h5", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    int refused = 0;
    for (int trial = 0; trial < 400; ++trial) {
      std::string changed = bytes;
      const int flips = 1 + trial % 3;
      for (int k = 0; k < flips; ++k) changed[random() % changed.size()] ^= static_cast<char>(1u << random() % 8);
      if (trial % 10 == 9) changed.resize(random() % changed.size());
      std::ofstream(folder.path / "b.h5", std::ios::binary) << changed;
      try {
        expect_same(written, read_result(folder.path / "b.h5"));  // a byte that means nothing
      } catch (const ResultError& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos);
        ++refused;
      }
    }
    EXPECT_GT(refused, 50);  // most bytes of a file that grows are room for more
  }
}

// a file that grows holds after each writing what was recorded until then, and at the end what one written at once holds
TEST(RunningResult, HoldsWhatWasRecordedSoFar) {
  Folder folder;
  const fs::path path = folder.path / "a.h5";
  const std::size_t columns = 4000, rows = 200;  // 64 KB a sample: they do not all stay in memory
  const Result all = wide_result(columns, rows);
  const auto add = [&](Result& to, std::size_t i) {
    to.time.push_back(all.time[i]);
    std::vector<const DataTable*> from;
    for_each_table(all, [&](const char*, const DataTable& one) { from.push_back(&one); });
    std::size_t k = 0;
    for_each_table(to, [&](const char*, DataTable& one) { one.add_row(from[k++]->row(i)); });
    to.events.time.push_back(all.time[i]);
    for (auto* column : {&to.events.velocity_before, &to.events.velocity_after, &to.events.impulse}) column->push_back(1);
    to.events.contact.push_back("");
    to.events.kind.push_back("scheme");
    to.events.note.push_back(std::string(i % 7 == 0 ? i : 3, 'n'));  // longer and longer
    to.steps = {{all.time[i]}, {1}, {2}, {3}, {4}, {5}, i < 100 ? 1 : 2};
    std::vector<std::uint64_t> samples;  // two points each, from the middle on of every second one
    for (std::size_t sample = 0; sample <= i; ++sample)
      if (i < 100 || sample % 2 == 0) samples.insert(samples.end(), 2, sample);
    to.points = points_of(samples);
    to.points.stride = i < 100 ? 1 : 2;
    to.checkpoint.assign(i % 5 + 1, static_cast<double>(i));
  };
  RunReport report;
  Result& result = report.result;
  result.q = DataTable(all.q.names());
  result.v = DataTable(all.v.names());
  {
    RunningResult file(path);
    for (std::size_t i = 0; i < rows; ++i) {
      add(result, i);
      if (i % 9 != 0 && !file.is_long(result)) continue;
      file.write(result);
      const Result read = read_result(path);
      ASSERT_EQ(read.time.size(), i + 1);
      EXPECT_EQ(read.q[0].back(), all.q(i, 0));
      EXPECT_EQ(read.q[columns - 1].back(), all.q(i, columns - 1));
      EXPECT_EQ(read.events.note, result.events.note);
      EXPECT_EQ(read.checkpoint, result.checkpoint);
      EXPECT_EQ(read.steps.stride, result.steps.stride);
      expect_same(read.points, result.points);
      EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), i == 0 ? 1 : 2);
    }
    EXPECT_GT(result.first, 0u);
    result.checkpoint.clear();
    file.finish(report);
  }
  const Result read = read_result(path);
  EXPECT_EQ(read.time, all.time);
  EXPECT_EQ(read.q.values(), all.q.values());
  EXPECT_EQ(read.v.values(), all.v.values());
  EXPECT_TRUE(read.checkpoint.empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

// the file of an earlier run is out of the way as soon as another one starts, and is lost once that one has a file
TEST(RunningResult, TakesTheNameFromAnEarlierRun) {
  Folder folder;
  const fs::path path = folder.path / "a.h5";
  const auto files = [&] { return std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()); };
  write_result(wide_result(3, 5), path);
  {
    RunningResult file(path);
    file.take_name();
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(read_result(path).time.size(), 5u);  // nothing came of it
  EXPECT_EQ(files(), 1);
  for (const bool at_its_end : {false, true}) {
    RunReport report;
    report.result = wide_result(3, at_its_end ? 9 : 7);
    RunningResult file(path);
    file.take_name();
    at_its_end ? file.finish(report) : file.write(report.result);
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(read_result(path).time.size(), 9u);
}

// a long run that goes on has its samples in the file; what came after its checkpoint is cut off
TEST(RunningResult, GoesOnWithoutItsSamplesInMemory) {
  Folder folder;
  const fs::path path = folder.path / "a.h5";
  Result written = wide_result(20000, 60);
  written.checkpoint = {1, 2, 3};
  write_result(written, path);
  RunningResult file(path);
  RunReport report;
  report.result = file.go_on_from(path);
  Result& result = report.result;
  EXPECT_EQ(result.samples(), 60u);
  EXPECT_TRUE(result.time.empty());
  EXPECT_EQ(result.q.names(), written.q.names());
  EXPECT_EQ(result.checkpoint, written.checkpoint);
  result.cut(58);
  result.time.push_back(7);
  for_each_table(result, [](const char*, DataTable& one) { std::fill_n(one.add_row(), one.columns(), 0.125); });
  file.write(result);
  Result expected = written;
  expected.cut(58);
  expected.time.push_back(7);
  for_each_table(expected, [](const char*, DataTable& one) { std::fill_n(one.add_row(), one.columns(), 0.125); });
  expect_same(expected, read_result(path));
  result.checkpoint.clear();
  file.finish(report);
  expected.checkpoint.clear();
  expected.summary = result.summary;
  expect_same(expected, read_result(path));
}

TEST(ResultFile, LeavesNothingButTheFile) {
  Folder folder;
  write_result(small_result(), folder.path / "a.h5");
  write_result(small_result(), folder.path / "a.h5");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

TEST(ResultFile, CsvHasEveryNumberUnderItsName) {
  Folder folder;
  Result r = small_result();
  r.outputs = table({"height"}, {0.1, 0.2, 0.3});
  r.states = table({"current"}, {4, 5, 6});
  write_csv(r, folder.path / "a.csv");
  write_result(r, folder.path / "a.h5");
  write_csv(ResultReader(folder.path / "a.h5"), folder.path / "b.csv");
  const auto text = [&](const char* name) {
    std::ifstream in(folder.path / name);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(text("a.csv"), text("b.csv"));
  std::ifstream in(folder.path / "a.csv");
  const auto cells = [&] {
    std::vector<std::string> list;
    std::string line, cell;
    std::getline(in, line);
    for (std::istringstream words(line); std::getline(words, cell, ',');) list.push_back(cell);
    return list;
  };
  const std::vector<std::pair<std::string, Column>> expected{
      {"time", r.time},
      {"zeta", r.q[0]},
      {"alpha", r.q[1]},
      {"names", r.q[2]},
      {"rate.zeta", r.v[0]},
      {"rate.alpha", r.v[1]},
      {"rate.names", r.v[2]},
      {"states.current", r.states[0]},
      {"lambda.rod", r.lambda[0]},
      {"contacts.floor.gap", r.contacts.gap[0]},
      {"contacts.floor.gap_rate", r.contacts.gap_rate[0]},
      {"contacts.floor.force", r.contacts.force[0]},
      {"contacts.größe.gap", r.contacts.gap[1]},
      {"contacts.größe.gap_rate", r.contacts.gap_rate[1]},
      {"contacts.größe.force", r.contacts.force[1]},
      {"contacts.größe.friction", r.contacts.friction[0]},
      {"contacts.größe.slip", r.contacts.slip[0]},
      {"energy.kinetic", r.energy[0]},
      {"energy.potential", r.energy[1]},
      {"energy.total", r.energy[2]},
      {"drift.position", r.drift[0]},
      {"drift.velocity", r.drift[1]},
      {"outputs.height", r.outputs[0]}};
  const std::vector<std::string> names = cells();
  ASSERT_EQ(names.size(), expected.size());
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(names[k], expected[k].first);
  for (std::size_t i = 0; i < r.time.size(); ++i) {
    const std::vector<std::string> row = cells();
    ASSERT_EQ(row.size(), expected.size());
    for (std::size_t k = 0; k < row.size(); ++k)
      EXPECT_EQ(std::strtod(row[k].c_str(), nullptr), expected[k].second[i]) << names[k] << ", row " << i;
  }
  EXPECT_TRUE(cells().empty());
}

}  // namespace
}  // namespace escapement
