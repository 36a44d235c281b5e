// The page around a report's data; bundled from web/ when the program is built.
#pragma once

#include <string_view>

namespace escapement::inline io {

struct ReportTemplate {
  std::string_view before, after;  // the data, as escaped JSON, goes between
};

ReportTemplate report_template(bool spatial);

}  // namespace escapement
