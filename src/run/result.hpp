// What a run recorded: tables over its samples, its events and steps, and everything needed to explain and repeat it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/data_table.hpp"
#include "simulate/settings.hpp"

namespace escapement::inline run {

struct EventColumns {
  std::vector<double> time, velocity_before, velocity_after, impulse;
  std::vector<std::string> contact, kind, note;
};

// accepted steps; beyond a million entries every second one is dropped and the stride doubled
struct StepColumns {
  std::vector<double> time, size, newton_iterations, error, rejected, scaling;
  long stride = 1;
};

// Where shapes touch in the samples, of contacts that are found anew in each step: a row for each point that touches or carries force.
// Beyond a quarter of a million rows the points of every second sample are dropped and the stride doubles
struct ContactPointColumns {
  int dimension = 0;                            // 0: the run has no such contacts
  std::vector<std::string> names;               // of contacts and bodies: contact, a and b are places in this list
  std::vector<std::uint64_t> sample, id;        // id: the same from step to step
  std::vector<std::uint32_t> contact, a, b;
  std::vector<double> point, normal, gap, force;  // point, normal (from a to b), force (on b): as many numbers as there are dimensions
  long stride = 1;
  std::size_t widest = 0;  // of all names there could be: what files that grow keep room for

  std::size_t rows() const { return sample.size(); }
  void resize(std::size_t rows);
  void move_row(std::size_t from, std::size_t to);
  void cut(std::size_t samples);  // what belongs to later samples is dropped
  void thin();                    // those of every second sample are dropped
};

// what the command line changes, as texts: each value may be an expression of the parameters
struct Overrides {
  std::vector<std::pair<std::string, std::string>> parameters;  // --set name=value
  std::optional<std::string> scheme, step, tolerance, end;      // step and tolerance replace each other
  std::vector<std::pair<std::string, std::string>> options;     // --option key=value; lists as [a, b]
  double load = 1;               // what `load` in expressions is, unless the model has something of this name
  // parameters of forces, drives and outputs whose values are there, and may change between steps; not part of results
  std::vector<std::pair<std::string, std::shared_ptr<double>>> live;
  // texts of files that the model names, in place of those in its folder; not part of results
  std::vector<std::pair<std::string, std::string>> files;
  bool within_folder = false;    // files that the model names lie in its own folder, or it is refused
  bool lenient_options = false;  // options the scheme does not take are left for somebody else to judge
};

// what was run, and how
struct Origin {
  std::string model_name, model_file, model_text;          // the file's name without folder, and its full text
  std::vector<std::pair<std::string, double>> parameters;  // values used
  Overrides command;                                       // as typed, so that a run can go on with the same bits
  std::vector<std::pair<std::string, std::string>> tables;  // files that the model reads, and what their bytes come to
  double end = 0;
  std::string scheme;
  std::optional<double> step, tolerance;
  std::vector<std::pair<std::string, OptionValue>> options;  // of scheme and run, all of them
  std::string version;
};

struct ContactTables {
  DataTable gap, gap_rate, force;  // a column for each contact
  DataTable friction, slip;        // a column for each direction of slip: those of contacts with friction
};

struct Result {
  std::vector<double> time;  // of each sample; the tables have a row for each
  DataTable q, v, states, lambda, outputs;
  ContactTables contacts;
  DataTable brakes;                                            // their forces
  DataTable energy{{"kinetic", "potential", "total"}};
  DataTable drift{{"position", "velocity"}};                   // largest over the bilateral rows
  std::size_t first = 0;                                   // number of the first sample in memory: earlier ones were written and dropped
  EventColumns events;
  StepColumns steps;
  ContactPointColumns points;

  std::vector<double> checkpoint;  // of a run that can go on from here: Simulation::snapshot(); empty otherwise
  Origin origin;
  std::string summary;  // as JSON; of results that come from a file or go into one

  std::size_t samples() const { return first + time.size(); }
  void cut(std::size_t samples);   // what comes after so many is dropped, also of those that are not in memory
  void drop(std::size_t samples);  // the first ones in memory are dropped
};

// every table over the samples, with its path in result files
template <class SomeResult, class Action>
void for_each_table(SomeResult& r, Action action) {
  action("q", r.q);
  action("v", r.v);
  action("states", r.states);
  action("lambda", r.lambda);
  action("outputs", r.outputs);
  action("contacts/gap", r.contacts.gap);
  action("contacts/gap_rate", r.contacts.gap_rate);
  action("contacts/force", r.contacts.force);
  action("contacts/friction", r.contacts.friction);
  action("contacts/slip", r.contacts.slip);
  action("brakes/force", r.brakes);
  action("energy", r.energy);
  action("drift", r.drift);
}

// every column of the contact points, with its path in result files: names are places in the list of names
template <class SomeResult, class Action>
void for_each_point_column(SomeResult& r, Action action) {
  action("contact_points/sample", r.points.sample);
  action("contact_points/contact", r.points.contact);
  action("contact_points/a", r.points.a);
  action("contact_points/b", r.points.b);
  action("contact_points/id", r.points.id);
  action("contact_points/point", r.points.point);
  action("contact_points/normal", r.points.normal);
  action("contact_points/gap", r.points.gap);
  action("contact_points/force", r.points.force);
}

// the columns of slip and friction of each contact: one named like it, or in space two, NAME.1 and NAME.2
std::vector<std::vector<std::size_t>> slip_columns(const ContactTables&);

// every column over the samples, with its name in CSV files and measures: time, NAME, rate.NAME, lambda.NAME,
// contacts.NAME.gap, energy.total, outputs.NAME ...
std::vector<std::pair<std::string, Column>> named_columns(const Result&);

}  // namespace escapement
