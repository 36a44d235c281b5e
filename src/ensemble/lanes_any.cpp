#define ESCAPEMENT_LANES 2
#include "ensemble/lanes_engine.hpp"

namespace escapement {
LaneEngine lanes_of_any() { return {"lanes", lanes, run_lanes_here}; }
}  // namespace escapement
