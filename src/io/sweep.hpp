// Parameter studies: a model, values for its parameters (a grid, random draws, or both), and what to measure of each
// run.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "io/model_file.hpp"

namespace escapement::inline io {

struct Study {
  std::string file, model_file, model_text;
  Overrides base;                         // of every run
  std::vector<std::pair<std::string, std::string>> tables;  // files that the model reads, and what their bytes come to
  std::vector<std::string> varied;        // parameters: those of the grid, then those drawn
  std::vector<std::vector<double>> runs;  // one value per varied parameter; the last grid parameter changes fastest
  struct Wanted {
    std::string name, text;
    Place place;  // of the text
  };
  std::vector<Wanted> measures;
};

// reads a study and checks it against its model; throws ModelError (FILE:LINE:COLUMN: ...)
Study load_study(const std::string& path, const Overrides& base);
// the same from a text, about a model that is there already; file is the study's name in messages
Study read_study(const std::string& file, const std::string& text, const std::string& model_file, const std::string& model_text,
                 const Overrides& base);

struct SweepRow {
  bool done = false;
  std::string status, message;
  std::string verdict;  // sound or suspect; empty: it was not run
  std::vector<double> measures;
  std::string engine;  // of many members advanced at once: lanes or gpu
};

struct SweepHooks {
  const std::atomic<bool>* interrupt = nullptr;
  // called by one thread at a time: how many members of an ensemble are done
  std::function<void(std::size_t done, std::size_t of)> on_run;
  // and of whole runs: some are about to be made; some are made, and their rows are there
  std::function<void(std::span<const std::size_t> runs)> on_start, on_rows;
};

// all runs on so many threads, but those that are done already. Rows do not depend on the number of threads
void run_sweep(const Study&, int threads, const SweepHooks&, std::vector<SweepRow>&);
std::vector<SweepRow> run_sweep(const Study&, int threads, const SweepHooks& = {});

// The same with many members advanced at once, in programs that hold varied parameters as inputs; on: lanes, or gpu. Throws
// ModelError or OverrideError for what such members cannot have, with the reason
std::vector<SweepRow> run_ensemble(const Study&, const std::string& on, int threads, const SweepHooks& = {});

nlohmann::ordered_json to_json(const Study&, const std::vector<SweepRow>&);
std::string to_csv(const Study&, const std::vector<SweepRow>&);
std::string to_text(const Study&, const std::vector<SweepRow>&, std::size_t most_rows = 40);
nlohmann::ordered_json sweep_page(const Study&, const std::vector<SweepRow>&);  // data of its page: docs/report-data.md
void write_sweep(const Study&, const std::vector<SweepRow>&, const std::filesystem::path&);  // HDF5; throws ResultError

}  // namespace escapement
