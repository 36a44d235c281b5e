// A run as the data of its report; docs/report-data.md describes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/picture.hpp"
#include "io/result.hpp"

namespace escapement {

nlohmann::ordered_json run_json(const Result&, const Picture&);  // throws ReportError

// null when nothing happened; of very many events the hardest of each group stays
nlohmann::ordered_json events_json(const Result&);

bool is_mechanism(const Result&);  // has bodies, so that units are known

}  // namespace escapement
