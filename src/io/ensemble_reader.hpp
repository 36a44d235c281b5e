// A study whose members are advanced together: the model read with its varied parameters left open.
#pragma once

#include <memory>

#include "ensemble/ensemble.hpp"
#include "io/member_verdict.hpp"
#include "io/run_measure.hpp"
#include "io/sweep.hpp"

namespace escapement::inline io {

struct EnsembleStudy {
  std::unique_ptr<Ensemble> ensemble;
  std::vector<RunMeasure> measures;                        // their aggregates follow one another in what is sampled
  Program parameters;  // of the model, in the file's order, from those that are varied
  MemberVerdict verdict;  // behind the measures
  double end = 0;
};

// throws ModelError or OverrideError for what such members cannot have; on: their engine, for messages
EnsembleStudy read_ensemble(const Study&, const std::string& on);

}  // namespace escapement
