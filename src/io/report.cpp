#include "io/report.hpp"

#include <nlohmann/json.hpp>

#include "io/report_run.hpp"
#include "io/report_template.hpp"
#include "io/whole_file.hpp"

namespace escapement::inline io {

namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

// the JSON of the page: bad UTF-8 replaced, and no '<', so that nothing in it can end its element
std::string page_text(const ordered_json& data) {
  const std::string json = data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

void write_page(const ordered_json& data, bool spatial, const fs::path& path) {
  const ReportTemplate page = report_template(spatial);
  TextFile out(path);
  out.write(page.before);
  out.write(page_text(data));
  out.write(page.after);
  out.close();
}

}  // namespace

void write_report(const Result& result, const Picture& picture, const fs::path& path) {
  write_page(run_json(result, picture), picture.dimension == 3 && !picture.empty(), path);
}

void write_report(const ResultReader& file, const Picture& picture, const fs::path& path) {
  const bool needs_states = !picture.columns.empty();
  std::vector<std::vector<bool>> kept;
  std::size_t missing = 0;
  if (!needs_states) missing = keep_what_is_shown(file.head(), picture, kept);
  if (missing == 0) {
    Result whole = file.head();
    file.read_all(whole);
    write_report(whole, picture, path);
    return;
  }
  file.verify();
  Result shown = file.head();
  const auto each = [&](const Result& part, auto action) {
    std::vector<const DataTable*> from;
    for_each_table(part, [&](const char*, const DataTable& table) { from.push_back(&table); });
    std::size_t i = 0;
    for_each_table(shown, [&](const char*, DataTable& table) {
      action(*from[i], kept[i], table);
      ++i;
    });
  };
  each(file.head(), [](const DataTable& from, const std::vector<bool>& wanted, DataTable& to) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (wanted[k]) names.push_back(from.names()[k]);
    to = DataTable(std::move(names));
  });
  file.for_each_part([&](const Result& part) {
    shown.time.insert(shown.time.end(), part.time.begin(), part.time.end());
    each(part, [](const DataTable& from, const std::vector<bool>& wanted, DataTable& to) {
      for (std::size_t i = 0; i < from.rows(); ++i) {
        double* row = to.add_row();
        for (std::size_t k = 0; k < wanted.size(); ++k)
          if (wanted[k]) *row++ = from(i, k);
      }
    });
  });
  write_page(run_json(shown, picture, missing), picture.dimension == 3 && !picture.empty(), path);
}

void write_study_page(const std::string& json, const fs::path& path) {
  const ordered_json data = ordered_json::parse(json, nullptr, false);
  if (!data.is_object()) throw ReportError("the page's data is not a JSON object");
  write_page(data, false, path);
}

}  // namespace escapement
