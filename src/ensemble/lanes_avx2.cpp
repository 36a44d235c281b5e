#define ESCAPEMENT_LANES 4
#include "ensemble/lanes_engine.hpp"

namespace escapement::inline ensemble {
LaneEngine lanes_of_avx2() { return {"lanes (AVX2)", lanes, run_lanes_here}; }
}  // namespace escapement
