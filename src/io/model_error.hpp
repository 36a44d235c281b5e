// What is wrong with a model, and where: FILE:LINE:COLUMN: one sentence.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace escapement::inline io {

struct Place {
  int line = 1, column = 1;  // counted from 1, columns in characters
};

struct ModelError : std::runtime_error {
  std::string file;
  Place place;
  std::string message;  // without the place
  ModelError(std::string file_, Place place_, std::string message_)
      : std::runtime_error(fmt::format("{}:{}:{}: {}", file_, place_.line, place_.column, message_)),
        file(std::move(file_)),
        place(place_),
        message(std::move(message_)) {}
};

// what is wrong with something given beside the file: --set, --end, --option ...
struct OverrideError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace escapement
