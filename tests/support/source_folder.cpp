#include "support/source_folder.hpp"

std::string escapement::testing::source_folder() { return ESCAPEMENT_SOURCE_DIR; }
