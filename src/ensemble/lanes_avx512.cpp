#define ESCAPEMENT_LANES 8
#include "ensemble/lanes_engine.hpp"

namespace escapement::inline ensemble {
LaneEngine lanes_of_avx512() { return {"lanes (AVX-512)", lanes, run_lanes_here}; }
}  // namespace escapement
