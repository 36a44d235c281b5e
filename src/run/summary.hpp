// What came of a run, in numbers and words: what the commands print.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/model.hpp"
#include "simulate/judgement.hpp"
#include "simulate/outcome.hpp"
#include "system/counting_system.hpp"

namespace escapement::inline run {

using NamedValues = std::vector<std::pair<std::string, double>>;
double value_of(const NamedValues&, std::string_view name);  // NaN: there is none

struct Summary {
  struct Levels {
    double position = 0, velocity = 0;
  };
  std::string model, scheme;
  std::string scheme_choice;  // of `auto`: what it took, and why
  Outcome::Status status = Outcome::Status::completed;
  bool sound = true;
  std::vector<Finding> findings;
  std::string message;
  double t = 0;  // reached
  long steps = 0, rejected_steps = 0;
  double average_step = 0;
  long newton_iterations = 0;
  Counts evaluations;
  long linear_solves = 0;
  long work = 0;  // [000] Table 2
  Levels max_drift, scaled_drift;
  std::vector<std::pair<std::string, Levels>> drift_by_constraint;
  double max_penetration = 0;
  bool has_contacts = false;
  long impacts = 0, impacts_with_energy_gain = 0;
  struct {
    double initial = 0, final = 0, max_error = 0;
  } energy;
  std::vector<std::string> redundant_constraints;
  std::optional<Assembled> assembled;
  std::vector<std::string> warnings;
  struct {
    NamedValues q, v;
  } final;
  double wall_seconds = 0;  // stepping alone
  std::string version;

  std::string verdict() const { return sound ? "sound" : "suspect"; }
};

std::string to_string(Outcome::Status);
std::string to_text(const Assembled&);
std::string to_text(const Finding&);
std::string to_text(const Summary&);  // for a terminal, several lines

}  // namespace escapement
