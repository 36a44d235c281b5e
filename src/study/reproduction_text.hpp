// The reproduction as text for a terminal, as Markdown for the documentation, as JSON, and as data of an HTML page.
#pragma once

#include <string>
#include <vector>

#include "study/reproduction.hpp"

namespace escapement::inline study {

std::string terminal_text(const std::vector<Reproduced>&);
std::string markdown_text(const Reproduction&);
std::string json_text(const Reproduction&, bool quick);
std::string page_json(const Paper&, const Reproduction&, bool quick);  // for write_study_page()

// how many rows have each verdict: "12 equal, 30 same, ..."
std::string verdict_counts(const std::vector<Reproduced>&);
// "stopped: 2 of 5 experiments are missing (...)", empty when none is
std::string missing_text(const Reproduction&);

}  // namespace escapement
