// A finished (or so far reached) run as columns of numbers, with everything needed to explain and repeat it.
#pragma once

#include <string>
#include <vector>

namespace escapement {

struct Column {
  std::string name;
  std::vector<double> values;
};

struct ContactColumns {
  std::string name;
  std::vector<double> gap, gap_rate, force, slip;  // slip is empty for frictionless contacts
};

struct EventColumns {
  std::vector<double> time, velocity_before, velocity_after, impulse;
  std::vector<std::string> contact, kind, note;
};

// accepted steps; beyond a million entries every second one is dropped and the stride doubled
struct StepColumns {
  std::vector<double> time, size, newton_iterations, error, rejected;
  long stride = 1;
};

struct Result {
  std::vector<double> time;
  std::vector<Column> q, v, lambda, outputs;
  std::vector<ContactColumns> contacts;
  std::vector<double> kinetic, potential, total;     // energies
  std::vector<double> drift_position, drift_velocity;  // largest over the bilateral rows
  EventColumns events;
  StepColumns steps;

  std::string model_name, model_file, model_text;  // the file's name without folder, and its full text
  std::string parameters;                          // JSON object: name -> value used
  std::string overrides;                           // JSON object: what the command line changed, so that the run can be repeated
  std::string scheme, options;                     // options: JSON object
  std::string version;
  std::string summary;                             // the JSON summary
};

}  // namespace escapement
