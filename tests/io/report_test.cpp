#include "io/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/model_file.hpp"
#include "io/report_run.hpp"
#include "io/report_table.hpp"
#include "io/report_template.hpp"

namespace escapement::report_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<unsigned char> from_base64(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<unsigned char>(bits >> count));
  }
  return bytes;
}

template <class Number>
std::vector<double> numbers(const std::vector<unsigned char>& bytes) {
  std::vector<Number> list(bytes.size() / sizeof(Number));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(Number));
  return {list.begin(), list.end()};
}

std::vector<double> unpack(const ordered_json& packed) {
  const std::vector<unsigned char> bytes = from_base64(packed["data"]);
  return packed["type"] == "f64" ? numbers<double>(bytes) : numbers<float>(bytes);
}

const ordered_json& column(const ordered_json& table, const std::string& id) {
  for (const ordered_json& c : table["columns"])
    if (c["id"] == id) return c;
  throw std::runtime_error("no column " + id);
}

// a point that swings and rings, recorded often
Result long_run(int rows, double end) {
  Result r;
  r.origin.model_name = "long run";
  r.q = r.v = DataTable({"x", "y"});
  r.lambda = DataTable({"rod"});
  for (int i = 0; i < rows; ++i) {
    const double t = end * i / (rows - 1);
    r.time.push_back(t);
    r.q.add_row(std::array{std::sin(9 * t), std::cos(9 * t)});
    r.v.add_row(std::array{i == rows / 3 ? 1000 : 9 * std::cos(9 * t), -9 * std::sin(9 * t)});
    r.lambda.add_row(std::array{81.0});
    r.energy.add_row(std::array{40.5, 0.0, 40.5 + 1e-12 * i});
    r.drift.add_row(std::array{1e-14, 1e-13});
  }
  r.summary = R"({"model": "long run", "status": "completed", "version": "0.1.0"})";
  r.origin.parameters = {{"m", 1}};
  r.origin.tolerance = 1e-8;
  return r;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("escapement_report_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

TEST(ReportTable, PacksNumbersExactlyOrAsFloats) {
  const std::vector<double> values{1.0 / 3, -2e300, 0, std::nan("")};
  for (std::size_t n = 0; n <= values.size(); ++n) {
    const std::span<const double> part(values.data(), n);
    const std::vector<double> exact = unpack(pack(part, Packing::float64));
    ASSERT_EQ(exact.size(), n);
    if (n > 0) EXPECT_EQ(std::memcmp(exact.data(), values.data(), n * sizeof(double)), 0);
  }
  EXPECT_EQ(unpack(pack(std::vector<double>{0.1}, Packing::float32)).at(0), static_cast<double>(0.1f));
}

TEST(ReportTable, KeepsShortRunsWhole) {
  const Result r = long_run(1001, 10);
  const ordered_json data = run_json(r, {});
  EXPECT_EQ(data["samples"]["every"], 1);
  EXPECT_TRUE(data["frames"].is_null());
  EXPECT_EQ(unpack(data["samples"]["time"]), r.time);
  EXPECT_EQ(Column(unpack(column(data["samples"], "q/x"))), r.q[0]);
}

TEST(ReportTable, ShowsPartOfWideModels) {
  Result r = long_run(10, 1);
  Picture picture;
  std::string drift;
  const std::vector<double> x(r.q[0].begin(), r.q[0].end());
  for (int i = 0; i < 1500; ++i) {
    const std::string name = "link" + std::to_string(i) + ".x";
    for (auto* table : {&r.q, &r.v, &r.lambda}) table->add_column(name, x);
    picture.bodies.push_back({name, {"q/" + name, 0.0, 0.0}, {}});
    picture.joints.push_back({"pin" + std::to_string(i), "revolute", {i - 1, i}, {}});
    picture.joints.push_back({"bar" + std::to_string(i), "distance", {i, std::max(i - 2, -1)}, {}});
    drift += (i > 0 ? ", \"" : "\"") + name + "\": {\"position\": 1}";
  }
  r.summary = "{\"t\": 1, \"drift_by_constraint\": {" + drift + "}, \"steps\": 2}";
  const ordered_json data = run_json(r, picture);
  EXPECT_EQ(data["left_out"], 502 + 502 + 501);
  EXPECT_EQ(data["samples"]["columns"].size(), 3 * 1000 + 5u);
  EXPECT_EQ(data["samples"]["every"], 1);
  // every second body moves, and nothing else is in the frames
  EXPECT_EQ(data["picture"]["every"], 2);
  EXPECT_EQ(data["picture"]["bodies"].size(), 750u);
  EXPECT_EQ(data["frames"]["columns"].size(), 750u);
  EXPECT_EQ(Column(unpack(column(data["frames"], "q/link1498.x"))), r.q[0]);
  // the joint of the first with the ground, and those between bodies that stay
  ASSERT_EQ(data["picture"]["joints"].size(), 751u);
  EXPECT_EQ(data["picture"]["joints"][750]["bodies"], ordered_json({749, 748}));
  EXPECT_EQ(data["summary"]["drift_by_constraint"].size(), 1000u);
  EXPECT_EQ(data["summary"]["drift_by_constraint"]["link999.x"]["position"], 1);
  EXPECT_EQ(data["summary"]["steps"], 2);
  // two thousand links more add nothing to the plots
  const std::size_t size = data["samples"].dump().size();
  for (int i = 1500; i < 3500; ++i) r.q.add_column("link" + std::to_string(i) + ".x", x);
  EXPECT_EQ(run_json(r, picture)["samples"].dump().size(), size);
}

TEST(ReportTable, ThinsLongRunsAndKeepsExtrema) {
  const Result r = long_run(600000, 600);
  const ordered_json data = run_json(r, {});
  const ordered_json& samples = data["samples"];
  EXPECT_GT(samples["every"].get<int>(), 1);
  const std::vector<double> time = unpack(samples["time"]), x = unpack(column(samples, "q/x")),
                            spike = unpack(column(samples, "v/x"));
  ASSERT_EQ(time.size(), x.size());
  EXPECT_LT(time.size(), 300000u);
  EXPECT_TRUE(std::ranges::is_sorted(time));
  EXPECT_EQ(time.front(), 0);
  EXPECT_EQ(time.back(), 600);
  EXPECT_EQ(x.front(), static_cast<float>(r.q[0].front()));
  EXPECT_EQ(x.back(), static_cast<float>(r.q[0].back()));
  // the one sample that stands out is there, at its time
  const auto top = std::ranges::max_element(spike);
  EXPECT_EQ(*top, 1000);
  EXPECT_NEAR(time[top - spike.begin()], r.time[200000], 2e-3 * samples["every"].get<int>());
  // each half of every swing reaches its turning point
  for (int k = 0; k < 100; ++k) {
    const double from = k * 6.0;
    const auto a = std::ranges::lower_bound(time, from) - time.begin(),
               b = std::ranges::lower_bound(time, from + 1) - time.begin();
    EXPECT_NEAR(*std::max_element(x.begin() + a, x.begin() + b), 1, 1e-4);
  }
  // energy is never rounded to floats
  EXPECT_EQ(unpack(column(samples, "energy/total")).back(), r.energy["total"].back());
}

TEST(ReportTable, FramesAreRealRows) {
  const Result r = long_run(600000, 600);
  const ordered_json data = run_json(r, {});
  const std::vector<double> time = unpack(data["frames"]["time"]), x = unpack(column(data["frames"], "q/x")),
                            y = unpack(column(data["frames"], "q/y"));
  EXPECT_GT(time.size(), 10000u);
  EXPECT_EQ(time.back(), 600);
  for (std::size_t i = 0; i < time.size(); i += 97) EXPECT_NEAR(std::hypot(x[i], y[i]), 1, 1e-6);
}

TEST(Report, HoldsPictureEventsAndSteps) {
  Result r = long_run(101, 1);
  const std::vector<double> kinetic(r.time.size(), 40.5);
  for (DataTable* table : {&r.contacts.gap, &r.contacts.gap_rate, &r.contacts.force}) table->add_column("floor", kinetic);
  r.events = {{0.5, 0.5}, {-1, -2}, {1, 2}, {2, 4}, {"floor", "wall"}, {"impact", "impact"}, {"", "last"}};
  r.steps = {{0.5, 1}, {0.5, 0.5}, {2, 3}, {1e-9, 2e-9}, {0, 1}, {1e4, 2e4}, 1};
  Picture picture;
  picture.columns = {"drawing/bob/x", "drawing/bob/radius"};
  picture.evaluate = [](const State& s, double* out) {
    out[0] = 2 * s.q[0] + s.t + s.lambda[1];
    out[1] = 0.25;
  };
  picture.primitives = {{"bob",
                         Picture::Primitive::Kind::circle,
                         {{std::string("drawing/bob/x"), 1.5}},
                         std::string("drawing/bob/radius")}};
  const ordered_json data = run_json(r, picture);
  EXPECT_EQ(data["picture"]["primitives"][0]["points"][0], ordered_json({"drawing/bob/x", 1.5}));
  EXPECT_EQ(data["picture"]["primitives"][0]["radius"], 0.25);  // it never changes
  const std::vector<double> drawn = unpack(column(data["samples"], "drawing/bob/x"));
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i], 2 * r.q(i, 0) + r.time[i] + 40.5);
  EXPECT_EQ(data["events"]["total"], 2);
  EXPECT_EQ(data["events"]["contacts"], ordered_json({"floor", "wall"}));
  EXPECT_EQ(data["events"]["kind"], ordered_json({0, 0}));
  EXPECT_EQ(data["events"]["note"][1], "last");
  EXPECT_EQ(unpack(column(data["steps"], "steps/newton")), r.steps.newton_iterations);
  EXPECT_EQ(data["summary"]["status"], "completed");
}

TEST(Report, DrawsWhatTheModelSays) {
  Result r = long_run(101, 1);
  const Model model = read_model("m.yaml", R"(escapement: 1
name: m
coordinates: {x: {}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
drawing:
  rod: {segment: [[0, 0], [x, y]]}
  bob: {circle: [x, y], radius: 0.1}
  flag: {polyline: [[x, 0], [x + 1, t], [x, 1]], closed: true}
simulation: {end: 1}
)");
  const ordered_json data = run_json(r, make_picture(model.drawing));
  const ordered_json& shapes = data["picture"]["primitives"];
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0]["points"][0], ordered_json({0.0, 0.0}));
  EXPECT_EQ(shapes[1]["radius"], 0.1);
  EXPECT_EQ(shapes[2]["kind"], "polygon");
  EXPECT_EQ(Column(unpack(column(data["samples"], shapes[1]["points"][0][0]))), r.q[0]);
  const std::vector<double> corner = unpack(column(data["samples"], shapes[2]["points"][1][0]));
  for (std::size_t i = 0; i < corner.size(); ++i) EXPECT_EQ(corner[i], r.q(i, 0) + 1);
}

TEST(Report, OfManyEventsTheHardestStay) {
  Result r = long_run(11, 1);
  for (int i = 0; i < 50001; ++i) {
    r.events.time.push_back(i * 1e-5);
    r.events.impulse.push_back(i == 31234 ? 77 : 1);
    r.events.velocity_before.push_back(-1);
    r.events.velocity_after.push_back(1);
    r.events.contact.push_back("floor");
    r.events.kind.push_back("impact");
    r.events.note.push_back("");
  }
  const ordered_json events = run_json(r, {})["events"];
  EXPECT_EQ(events["total"], 50001);
  const std::vector<double> impulse = unpack(events["impulse"]);
  EXPECT_LE(impulse.size(), 20000u);
  EXPECT_EQ(*std::ranges::max_element(impulse), 77);
}

TEST(Report, NothingFromTheModelCanLeaveItsPlace) {
  Folder folder;
  Result r = long_run(11, 1);
  r.origin.model_name = "<script>alert(1)</script>";
  r.origin.model_text = "</script><!-- \xff broken";
  r.q = DataTable({"</SCRIPT>", "y"}, r.q.rows(), r.q.values());
  write_report(r, {}, folder.path / "a.html");
  const std::string page = text_of(folder.path / "a.html");
  const ReportTemplate empty = report_template(false);
  ASSERT_TRUE(page.starts_with(empty.before));
  ASSERT_TRUE(page.ends_with(empty.after));
  const std::string data = page.substr(empty.before.size(), page.size() - empty.before.size() - empty.after.size());
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(ordered_json::parse(data)["title"], r.origin.model_name);
}

TEST(Report, LongRunsStaySmallAndTemporaryFilesGo) {
  Folder folder;
  Result r = long_run(600000, 600);
  const std::vector<double> kinetic(r.time.size(), 40.5);
  r.steps = {r.time, kinetic, kinetic, kinetic, kinetic, kinetic, 1};
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(std::to_string(i));
  const DataTable contacts(names, r.time.size(), std::vector<double>(40 * r.time.size(), 40.5));
  r.contacts = {contacts, contacts, contacts, contacts, contacts};
  write_report(r, {}, folder.path / "a.html");
  EXPECT_LT(fs::file_size(folder.path / "a.html"), 15e6);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

TEST(Report, SpatialPicturesGetTheirOwnPage) {
  Folder folder;
  Picture picture;
  picture.dimension = 3;
  picture.primitives = {{"tip", Picture::Primitive::Kind::point, {{std::string("q/x"), std::string("q/y"), 1.0}}, {}}};
  write_report(long_run(11, 1), picture, folder.path / "a.html");
  EXPECT_TRUE(text_of(folder.path / "a.html").starts_with(report_template(true).before));
  EXPECT_GT(report_template(true).after.size(), report_template(false).after.size() + 300000);
  EXPECT_LT(report_template(true).after.size(), 1500000u);
}

TEST(Report, RefusesWhatItCannotShow) {
  Folder folder;
  EXPECT_THROW(write_report(Result(), {}, folder.path / "a.html"), ReportError);
  EXPECT_THROW(write_report(long_run(11, 1), {}, folder.path / "none" / "a.html"), WriteError);
  EXPECT_THROW(write_study_page("[1, 2", folder.path / "a.html"), ReportError);
  Result torn = long_run(11, 1);
  torn.q.resize(10);
  EXPECT_THROW(write_report(torn, {}, folder.path / "a.html"), ReportError);
}

}  // namespace
}  // namespace escapement
