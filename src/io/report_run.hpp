// A run as the data of its report; docs/report-data.md describes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "io/report_table.hpp"
#include "run/picture.hpp"
#include "run/result.hpp"

namespace escapement::inline io {

// missing: columns of the run that the result does not hold; throws ReportError
nlohmann::ordered_json run_json(const Result&, const Picture&, std::size_t missing = 0);

// of wide runs: which columns of which table (in the order of for_each_table) a report shows; returns how many it does not
std::size_t keep_what_is_shown(const Result& head, const Picture&, std::vector<std::vector<bool>>& kept);

// what a run has for each of its samples, with units: those of the SI where bodies have them, those that the model's text gives
std::vector<ReportColumn> sample_columns(const Result&);

// null when nothing happened; of very many events the hardest of each group stays
nlohmann::ordered_json events_json(const Result&);


}  // namespace escapement
