#include "run/version.hpp"

namespace escapement::inline run {

std::string version() { return ESCAPEMENT_VERSION; }

}  // namespace escapement
