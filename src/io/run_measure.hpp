// Numbers that a study takes from each run: impacts, max(contacts.g1.force), final(energy.total) -
// final(energy.kinetic)/2.
#pragma once

#include <string>
#include <vector>

#include "run/result.hpp"
#include "run/summary.hpp"
#include "math/program.hpp"

namespace escapement {

// the columns of a run under the names that measures use, in a fixed order; the first of a name is meant
std::vector<std::pair<std::string, Column>> measured_columns(const Result&);

// columns are named as in CSV files, coordinates by their name, rates with ' and time as t; of the summary: impacts,
// steps, rejected_steps, work, penetration, energy_error, end_time; and the model's parameters
class RunMeasure {
 public:
  // like: a result with the columns of the runs, with or without samples; throws ExpressionError
  RunMeasure(const std::string& text, const Result& like, const std::vector<std::string>& parameters);

  double operator()(const Result&, const Summary& summary, const std::vector<double>& parameters) const;

 private:
  enum class Kind { max, min, mean, final, initial };
  struct Aggregate {
    Kind kind;
    std::vector<int> columns;  // inputs of its program
    Program program;
  };
  double aggregate(const Aggregate&, const std::vector<Column>& columns) const;

  std::vector<Aggregate> aggregates_;
  Program program_;  // of summary numbers, parameters, aggregates
};

}  // namespace escapement
