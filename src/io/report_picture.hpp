// The picture of a run as the page wants it: constants as numbers, moving things as columns of the frames.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "run/picture.hpp"
#include "run/result.hpp"

namespace escapement::inline io {

struct PictureColumns {
  std::vector<std::vector<double>> values;  // of Picture::columns, at the rows asked for
};

PictureColumns evaluate_picture(const Picture&, const Result&, const std::vector<std::size_t>& rows);

// null for an empty picture; evaluated columns that never change become numbers
nlohmann::ordered_json picture_json(const Picture&, const PictureColumns&);

// where shapes touch, frame by frame: time, where each frame's points start, and for each point its place and the force on the second
// body
nlohmann::ordered_json contact_points_json(const Result&);

}  // namespace escapement
