// Numbers that a study takes from each run: impacts, max(contacts.g1.force), final(energy.total) -
// final(energy.kinetic)/2.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ensemble/ensemble.hpp"
#include "run/result.hpp"
#include "run/summary.hpp"
#include "math/program.hpp"

namespace escapement::inline io {

// the columns of a run under the names that measures use, in a fixed order; the first of a name is meant
std::vector<std::pair<std::string, Column>> measured_columns(const Result&);

// columns are named as in CSV files, coordinates by their name, rates with ' and time as t; of the summary: impacts,
// steps, rejected_steps, work, penetration, energy_error, end_time; and the model's parameters
class RunMeasure {
 public:
  // like: a result with the columns of the runs, with or without samples; throws ExpressionError
  RunMeasure(const std::string& text, const Result& like, const std::vector<std::string>& parameters);

  // columns: measured_columns of the run
  double operator()(const std::vector<std::pair<std::string, Column>>& columns, const Summary& summary,
                    const std::vector<double>& parameters) const;

  // what is made of columns over the samples: the text in the brackets, and where it stands in the measure's
  struct Aggregate {
    Reduction kind;
    std::string text;
    std::size_t offset;
    std::vector<int> columns;  // inputs of its program
    Program program;
  };
  const std::vector<Aggregate>& aggregates() const { return aggregates_; }
  bool uses(std::string_view summary_name) const;
  // from numbers that somebody else has taken; of the summary only impacts, steps and t may be known
  double combine(const Summary& summary, const std::vector<double>& parameters, std::span<const double> aggregates) const;

 private:
  double aggregate(const Aggregate&, const std::vector<std::pair<std::string, Column>>& columns) const;

  std::vector<Aggregate> aggregates_;
  Program program_;  // of summary numbers, parameters, aggregates
  std::vector<bool> used_;  // numbers of the summary
};

}  // namespace escapement
