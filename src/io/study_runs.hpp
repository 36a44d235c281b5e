// The runs of a study, one after the other or in several threads: what they have in common is made once.
#pragma once

#include <memory>
#include <mutex>

#include "io/run_measure.hpp"
#include "io/sweep.hpp"

namespace escapement::inline io {

class StudyRuns {
 public:
  explicit StudyRuns(const Study& study);  // which outlives it

  // values: of the varied parameters. Not done: it was interrupted
  SweepRow row(const std::vector<double>& values, const std::atomic<bool>* interrupt = nullptr) const;
  std::size_t derived() const { return text_.derived(); }

 private:
  using Columns = std::vector<std::pair<std::string, Column>>;
  // the study's measures of runs with these columns
  struct Measures {
    std::vector<std::string> columns;
    std::vector<RunMeasure> list;
  };
  std::shared_ptr<const Measures> measures(const Result&, const Columns&, const Model&) const;

  const Study& study_;
  ModelText text_;
  mutable std::mutex guard_;
  mutable std::shared_ptr<const Measures> measures_;  // of the last run
};

}  // namespace escapement
