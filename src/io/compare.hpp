// Runs of one model side by side: work, drift and the error against a tight reference solution. The runs are plain
// settings, so that any study (tolerances, steps, options, schemes) is a list of them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/run.hpp"

namespace escapement::inline io {

struct ComparedRun {
  std::string label;  // runs of one label make one curve: a scheme, or a scheme with options
  Settings settings;
};

// of a motion against the reference; NaN where there is none
struct GlobalError {
  double at_end;        // rms over q and v of error/(1 + |x|) in the last sample: the norm that tolerances bound
  double mean;          // the same norm, averaged over the samples on the grid of save_every
  double q_end, v_end;  // largest |error| of a coordinate and of a velocity in the last sample
  double q_max;         // largest |error| of a coordinate over the samples
};

// a solution that is much more accurate than what it judges, with what is known of its own error
struct Reference {
  bool available = false;
  std::string how;          // in words: scheme, tolerance, and how it was checked; or why there is none
  GlobalError uncertainty;  // its difference from a second solution by another scheme at ten times the tolerance
  Result result;
};

struct ComparisonRow {
  std::string label;
  Settings settings;
  std::string status, message;     // "completed", "stopped", "failed"
  std::optional<Summary> summary;  // of the run; none when its settings were refused
  GlobalError error;
  bool suspect() const { return summary && !summary->sound; }
};

// power laws fitted to the rows of one label whose error stands clear of the reference's; NaN with fewer than two
struct Slopes {
  std::string label;
  double order;           // error ~ (average step)^order
  double work_per_error;  // work ~ error^...
};

struct Comparison {
  std::string model, file;
  std::vector<std::string> constraints;
  bool has_contacts = false;
  Summary::Levels rounding{};  // drift below it is rounding: so much of what the rows sum up at the start
  Reference reference;
  std::vector<ComparisonRow> rows;  // in the order of the runs
  std::vector<Slopes> slopes;       // one per label
};

struct CompareHooks {
  const std::atomic<bool>* interrupt = nullptr;
  std::vector<Observer*> observers;                                                       // of every run
  std::function<void(const std::string& what, std::size_t done, std::size_t of)> on_run;  // before each
};

// phem56 with projection, event-driven at contacts, checked by hem5; the tolerance is loosened until both complete
Reference make_reference(Model&, double tolerance = 1e-13, const CompareHooks& = {});
GlobalError measure_error(const Result& reference, const Result&, const Scale& one = {});

// one run with the model's system and start; a failure, also of the settings, is a row with its reason
ComparisonRow compare_run(Model&, const ComparedRun&, const Reference&, const CompareHooks& = {});
// all of them; when interrupted, the rows so far. The model's own settings come back unchanged
Comparison compare(Model&, const std::vector<ComparedRun>&, Reference, const CompareHooks& = {});

// settings of another scheme: options that it and the loop do not know are left out
Settings settings_for(const Settings&, const std::string& scheme);

nlohmann::ordered_json to_json(const Comparison&);
nlohmann::ordered_json study_json(const Comparison&);  // for write_study_page: tables and work-precision diagrams
std::string to_csv(const Comparison&);
// which values count in a slope: from coarse to fine settings, as long as they fall and are above the floor; below is rounding
std::vector<bool> falling(const std::vector<double>& values, double floor);

std::string to_text(const Comparison&);  // for the terminal: one table, with the columns of [000] Table 3

}  // namespace escapement
