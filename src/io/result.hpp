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

  std::vector<double> checkpoint;  // of a run that can go on from here: Simulation::snapshot(); empty otherwise

  std::string model_name, model_file, model_text;  // the file's name without folder, and its full text
  std::string parameters;                          // JSON object: name -> value used
  std::string overrides;                           // JSON object: what the command line changed, so that the run can be repeated
  std::string command;                             // JSON object: the command line's texts, so that a run can go on with the same bits
  std::string scheme, options;                     // options: JSON object
  std::string version;
  std::string summary;                             // the JSON summary
};

// every column over the samples
template <class Action>
void for_each_sample_column(Result& r, Action action) {
  for (auto* column : {&r.time, &r.kinetic, &r.potential, &r.total, &r.drift_position, &r.drift_velocity}) action(*column);
  for (auto* group : {&r.q, &r.v, &r.lambda, &r.outputs})
    for (Column& column : *group) action(column.values);
  for (ContactColumns& c : r.contacts)
    for (auto* column : {&c.gap, &c.gap_rate, &c.force, &c.slip}) action(*column);
}

}  // namespace escapement
