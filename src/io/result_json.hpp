// What results say of themselves, as JSON: the summary that --json prints, and the attributes of result files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "run/summary.hpp"

namespace escapement::inline io {

nlohmann::ordered_json to_json(const Summary&);
nlohmann::ordered_json to_json(const Assembled&);
nlohmann::ordered_json to_json(const std::vector<Finding>&);

// the attributes of a result file that hold JSON, and what they say of a run
struct OriginTexts {
  std::string parameters;  // name -> value used
  std::string overrides;   // end, scheme, step or tolerance, as they were used
  std::string command;     // what was typed
  std::string options;     // name -> value
};
OriginTexts to_texts(const Origin&);
void read_texts(const OriginTexts&, Origin&);  // throws nlohmann::json::exception

}  // namespace escapement
