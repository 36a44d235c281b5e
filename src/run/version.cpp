#include "run/version.hpp"

namespace escapement {

std::string version() { return ESCAPEMENT_VERSION; }

}  // namespace escapement
