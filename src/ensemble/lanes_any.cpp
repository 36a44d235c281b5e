#define ESCAPEMENT_LANES 2
#include "ensemble/lanes_engine.hpp"

namespace escapement::inline ensemble {
LaneEngine lanes_of_any() { return {"lanes", lanes, run_lanes_here}; }
}  // namespace escapement
