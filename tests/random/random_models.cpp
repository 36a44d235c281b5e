// random_models SEED FIRST COUNT PROGRAM FOLDER SCHEME: draws models FIRST ... FIRST + COUNT - 1 of a seed, runs PROGRAM
// on each, with SCHEME at tolerances and others with fixed steps, compares along the path with the reference, and prints
// a line for every run:
//   run MODEL FAMILY SCHEME SETTING END ERROR MOTION right|wrong|failed sound|suspect SECONDS
// and for models left out "replaced MODEL FAMILY DIFFERENCE" or "still MODEL FAMILY". Models that are wrong or fail at a
// tolerance stay in FOLDER, with their reference.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "families.hpp"
#include "reference.hpp"
#include "signal.hpp"

namespace {

constexpr int samples = 400;
constexpr double still = 1e-3;      // motions below are not judged, in metres and radians
constexpr double sensitive = 1e-3;  // the reference has to be ten times as good as what it judges

struct Setting {
  std::string scheme, text;
  double part;       // of the run
  double tolerance;  // 0: fixed step
};

struct Outcome {
  Path path;
  bool completed = false;
  std::string verdict = "sound";
};

std::string field(const std::string& json, const std::string& name) {
  const auto at = json.find("\"" + name + "\": \"");
  if (at == std::string::npos) return "";
  const auto first = at + name.size() + 5;
  return json.substr(first, json.find('"', first) - first);
}

// the rows at whole multiples of `every`: results have two more for each impact
Path read_path(const std::string& file, const std::vector<std::string>& columns, double every) {
  std::ifstream in(file);
  std::string line, cell;
  std::getline(in, line);
  std::vector<std::size_t> places(columns.size());
  std::istringstream header(line);
  for (std::size_t k = 0; std::getline(header, cell, ','); ++k)
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (cell == columns[i]) places[i] = k;
  Path path;
  while (std::getline(in, line)) {
    std::istringstream row(line);
    std::vector<double> values;
    while (std::getline(row, cell, ',')) values.push_back(std::strtod(cell.c_str(), nullptr));
    if (std::abs(values.at(0) - static_cast<double>(path.size()) * every) > 1e-6 * every) continue;
    Place place;
    for (std::size_t at : places) place.push_back(values.at(at));
    path.push_back(place);
  }
  return path;
}

Outcome run(const std::string& program, const std::string& name, const Model& model, const Setting& setting) {
  std::string command = "timeout 60 " + program + " run " + name + ".yaml --scheme " + setting.scheme + " " +
                        setting.text + " --end " + text_of(model.end * setting.part) + " --no-report --csv --json -o " +
                        name + " >" + name + ".json 2>" + name + ".err";
  Outcome outcome;
  const int status = std::system(command.c_str());
  std::ifstream in(name + ".json");
  const std::string json((std::istreambuf_iterator<char>(in)), {});
  outcome.completed = status == 0 && field(json, "status") == "completed";
  if (const std::string verdict = field(json, "verdict"); !verdict.empty()) outcome.verdict = verdict;
  if (outcome.completed) outcome.path = read_path(name + ".csv", model.columns, model.end / samples);
  return outcome;
}

// tolerances at two end times; of fixed steps each is taken by another scheme from model to model
std::vector<Setting> settings_of(int number, double end, const std::string& scheme) {
  std::vector<Setting> settings;
  for (double part : {1.0, 0.37})
    for (const char* tolerance : {"1e-4", "1e-6"})
      settings.push_back({scheme, std::string("--tolerance ") + tolerance, part, std::atof(tolerance)});
  const char* schemes[] = {"moreau-midpoint", "hem5", "moreau-midpoint-ggl"};
  const double steps[] = {300, 3000, 30000};
  for (int i = 0; i < 3; ++i)
    settings.push_back({schemes[(number + i) % 3], "--step " + text_of(end / steps[i]), 1, 0});
  return settings;
}

void judge(const Model& model, const Reference& reference, int number, const std::string& program,
           const std::string& folder, const std::string& scheme) {
  const std::string name = folder + "/" + std::to_string(number);
  std::ofstream(name + ".yaml") << model.text << "simulation: {end: " << text_of(model.end)
                                << ", save_every: " << text_of(model.end / samples) << "}\n";
  bool keep = false;
  for (const Setting& setting : settings_of(number, model.end, scheme)) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = run(program, name, model, setting);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const int count = static_cast<int>(std::floor(samples * setting.part + 1e-9)) + 1;
    const Path path(reference.path.begin(), reference.path.begin() + count);
    const double error = outcome.path.size() < path.size() ? INFINITY : distance(path, outcome.path);
    const double share = setting.tolerance > 0 && setting.tolerance < 1e-5 ? 0.01 : 0.05;
    const bool wrong = !(error <= share * reference.motion) && !(error <= 20 * setting.tolerance);
    const char* result = !outcome.completed ? "failed" : wrong ? "wrong" : "right";
    if (setting.tolerance > 0 && (wrong || !outcome.completed)) keep = true;
    std::printf("run %d %s %s %s %g %.2e %.2e %s %s %.3f\n", number, model.family.c_str(), setting.scheme.c_str(),
                setting.text.c_str() + 2, model.end * setting.part, error, reference.motion, result,
                outcome.verdict.c_str(), seconds);
  }
  for (const char* ending : {".h5", ".csv", ".json", ".err"}) std::filesystem::remove(name + ending);
  if (!keep) {
    std::filesystem::remove(name + ".yaml");
    return;
  }
  std::ofstream out(name + ".reference.csv");
  out << "time";
  for (const std::string& column : model.columns) out << ',' << column;
  out.precision(10);
  for (int k = 0; k <= samples; ++k) {
    out << '\n' << model.end * k / samples;
    for (double q : reference.path[k]) out << ',' << q;
  }
  out << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return std::fprintf(stderr, "usage: random_models SEED FIRST COUNT PROGRAM FOLDER SCHEME\n"), 2;
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const int first = std::atoi(argv[2]), count = std::atoi(argv[3]);
  for (int number = first; number < first + count; ++number)
    for (int attempt = 0;; ++attempt) {
      Draw draw(seed, number, attempt);
      const Model model = draw_model(draw);
      const Reference reference = reference_of(model, samples);
      if (reference.motion < still) {
        std::printf("still %d %s\n", number, model.family.c_str());
        continue;
      }
      if (!(reference.difference <= sensitive)) {
        std::printf("replaced %d %s %.1e\n", number, model.family.c_str(), reference.difference);
        continue;
      }
      judge(model, reference, number, argv[4], argv[5], argv[6]);
      std::fflush(stdout);
      break;
    }
}
