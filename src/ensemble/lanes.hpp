// Ensembles over the lanes of vector instructions: several members side by side in each thread.
#pragma once

#include <span>

#include "ensemble/ensemble.hpp"
#include "ensemble/lanes_job.hpp"

namespace escapement::inline ensemble {

// those that this machine can run, the widest last; results differ between them in nothing
std::vector<LaneEngine> lane_engines();

// nothing: it can be run; else why not
std::string refuse_lanes(const Ensemble&);
// parameters: of each member
void run_lanes(const Ensemble&, const LaneEngine&, std::span<const double> parameters, int threads, const EnsembleHooks&, EnsembleResult&);

}  // namespace escapement
