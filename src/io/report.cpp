#include "io/report.hpp"

#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/report_run.hpp"
#include "io/report_template.hpp"

namespace escapement {

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
  // written whole under another name first: nobody ever opens half a page
  const fs::path draft = path.string() + ".part" + std::to_string(getpid());
  std::ofstream out(draft, std::ios::binary);
  out << page.before << page_text(data) << page.after;
  out.close();
  std::error_code error;
  if (out) fs::rename(draft, path, error);
  if (out && !error) return;
  std::error_code ignored;
  fs::remove(draft, ignored);
  throw ReportError("cannot write " + path.string());
}

}  // namespace

void write_report(const Result& result, const Picture& picture, const fs::path& path) {
  write_page(run_json(result, picture), picture.dimension == 3 && !picture.empty(), path);
}

void write_study_page(const std::string& json, const fs::path& path) {
  const ordered_json data = ordered_json::parse(json, nullptr, false);
  if (!data.is_object()) throw ReportError("the page's data is not a JSON object");
  write_page(data, false, path);
}

}  // namespace escapement
