// The example models, built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace escapement::inline io {

struct ExampleFile {
  std::string name;       // file name
  std::string_view text;  // its content
  std::string title;      // the model's name, empty for other files
};

const std::vector<ExampleFile>& example_files();  // sorted by name

}  // namespace escapement
