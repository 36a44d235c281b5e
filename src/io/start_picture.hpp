// A picture of a model's start, as an SVG file.
#pragma once

#include <filesystem>

#include "io/model_file.hpp"

namespace escapement::inline io {

void write_start_picture(const Model&, const std::filesystem::path&);  // throws ReportError

}  // namespace escapement
