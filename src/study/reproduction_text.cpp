#include "study/reproduction_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "run/version.hpp"

namespace escapement::inline study {

namespace {

using Json = nlohmann::ordered_json;

// characters on the screen: bytes that do not continue a UTF-8 character
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, width(text)), ' ');
}

// lines of at most this many characters, the later ones indented
std::string wrapped(const std::string& text, std::size_t columns, const std::string& indent) {
  std::string out, line;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!line.empty() && width(line) + 1 + width(word) > columns) {
      out += line + "\n" + indent;
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    start = end + 1;
  }
  return out + line;
}

std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.insert(i, "\\");
  return text;
}

// seven digits are enough for the eye; of many samples, every so many
Json list_of(const std::vector<double>& values) {
  constexpr std::size_t most = 3000;
  const std::size_t stride = (values.size() + most - 1) / most;
  Json list = Json::array();
  for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(stride, 1))
    list.push_back(std::isfinite(values[i]) ? Json(std::stod(fmt::format("{:.7g}", values[i]))) : Json(nullptr));
  return list;
}

Json figure_json(const Figure& figure) {
  const FigureSpec& spec = *figure.spec;
  Json series = Json::array();
  for (const FigureSeries& s : figure.series) {
    Json one{{"name", s.name}, {"x", list_of(s.x)}, {"y", list_of(s.y)}};
    if (!s.style.empty()) one["style"] = s.style;
    if (s.faint) one["faint"] = true;
    series.push_back(std::move(one));
  }
  return {{"title", spec.title},
          {"caption", spec.caption},
          {"x", {{"label", spec.x_label}, {"unit", spec.x_unit}, {"log", spec.x_log}}},
          {"y", {{"label", spec.y_label}, {"unit", spec.y_unit}, {"log", spec.y_log}}},
          {"series", series},
          {"slopes", spec.slopes},
          {"orders", spec.orders},
          {"equal", spec.equal}};
}

std::vector<std::string> notes(const Experiment& e) {
  std::vector<std::string> list;
  for (const std::string& text : e.reading) list.push_back("Reading: " + text);
  for (const std::string& text : e.alternatives) list.push_back("Tried too: " + text);
  return list;
}

// how many of each kind there are: all that speak of papers, the others where there are any. Wall times are left out:
// their verdicts change from run to run
std::vector<std::pair<std::string, long>> count_verdicts(const std::vector<Reproduced>& all) {
  std::vector<std::pair<std::string, long>> counts;
  for (int k = 0; k <= static_cast<int>(VerdictKind::left_out); ++k) {
    const auto kind = static_cast<VerdictKind>(k);
    long count = 0;
    for (const Reproduced& one : all)
      count += std::count_if(one.rows.begin(), one.rows.end(),
                             [&](const Row& r) { return r.verdict.kind == kind && !r.timing; });
    if (count > 0 || kind < VerdictKind::absent) counts.emplace_back(name_of(kind), count);
  }
  return counts;
}

long count_times(const std::vector<Reproduced>& all) {
  long count = 0;
  for (const Reproduced& one : all)
    count += std::count_if(one.rows.begin(), one.rows.end(), [](const Row& r) { return r.timing; });
  return count;
}

}  // namespace

std::string verdict_counts(const std::vector<Reproduced>& all) {
  std::string papers, own, rest;
  long ours = 0;
  auto add = [](std::string& list, const std::string& name, long count) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, name);
  };
  for (int k = 0; k <= static_cast<int>(VerdictKind::left_out); ++k) {
    const auto kind = static_cast<VerdictKind>(k);
    for (const auto& [name, count] : count_verdicts(all)) {
      if (name != name_of(kind)) continue;
      if (kind == VerdictKind::left_out)
        add(rest, "left out", count);
      else if (is_ours(kind)) {
        ours += count;
        add(own, kind == VerdictKind::ours ? "as expected" : kind == VerdictKind::missed ? "not as expected" : name, count);
      } else
        add(papers, name, count);
    }
  }
  if (const long times = count_times(all)) add(rest, times == 1 ? "wall time" : "wall times", times);
  return papers + fmt::format(", {} ours", ours) + (own.empty() ? "" : " (" + own + ")") +
         (rest.empty() ? "" : ", " + rest);
}

std::string missing_text(const Reproduction& all) {
  if (all.missing.empty()) return "";
  std::string names;
  for (const Experiment* e : all.missing) names += (names.empty() ? "" : ", ") + e->id;
  return fmt::format("interrupted: {} of {} experiments {} missing ({})", all.missing.size(),
                     all.missing.size() + all.made.size(), all.missing.size() == 1 ? "is" : "are", names);
}

std::string terminal_text(const std::vector<Reproduced>& all) {
  std::string out;
  for (const Reproduced& one : all) {
    const Experiment& e = *one.experiment;
    out += fmt::format("\n[{}] {}: {}\n", e.paper, e.place, e.title);
    for (const std::string& note : notes(e)) out += "  " + wrapped(note, 116, "    ") + "\n";
    std::size_t widths[4] = {4, 9, 4, 5};
    auto is_wide = [](const Row& r) { return width(r.published) > 36 || width(r.ours) > 36; };
    for (const Row& r : one.rows) {
      const std::string* cells[4] = {&r.what, &r.published, &r.ours, &r.ratio};
      for (int i = 0; i < 4 && !is_wide(r); ++i) widths[i] = std::max(widths[i], width(*cells[i]));
    }
    auto line = [&](const Row& r) {
      const std::string left =
          fmt::format("  {}  {}  {}  {}  ", padded(r.what, widths[0]), padded(r.published, widths[1]),
                      padded(r.ours, widths[2]), padded(r.ratio, widths[3]));
      return left + (width(r.verdict.text) <= 48 ? r.verdict.text : "see below") + "\n" +
             (width(r.verdict.text) <= 48 ? "" : "      " + wrapped(r.verdict.text, 112, "      ") + "\n");
    };
    if (!std::all_of(one.rows.begin(), one.rows.end(), is_wide))
      out += line({"", "published", "ours", "ratio", {VerdictKind::alone, "verdict"}});
    for (const Row& r : one.rows) {
      if (!is_wide(r)) {
        out += line(r);
        continue;
      }
      out += "  " + r.what + "\n";
      if (!r.published.empty()) out += "      published: " + wrapped(r.published, 112, "      ") + "\n";
      if (!r.ours.empty()) out += "      ours:      " + wrapped(r.ours, 112, "      ") + "\n";
      out += "      verdict:   " + wrapped(r.verdict.text, 112, "      ") + "\n";
    }
  }
  return out;
}

std::string markdown_text(const Reproduction& all) {
  std::string out =
      "# The papers, reproduced\n\n"
      "Written by `escapement reproduce --markdown docs/reproduction.md`: every table and figure of the five papers, "
      "the published\n"
      "number beside ours, and the verdict, which is computed from the two numbers. Each experiment is one file of "
      "data in\n"
      "`reproduction/`; the HTML pages that the command writes too show the figures. Rows of wall times change from "
      "run to run\n"
      "and are not counted. [Experiments](experiments.md#verdicts) says what the verdicts mean; what stands in the "
      "column of published\n"
      "numbers with \"(ours, ...)\" is in no paper.\n\n";
  if (!all.missing.empty()) out += wrapped("This run was " + missing_text(all) + ".", 120, "") + "\n\n";
  out += fmt::format("Verdicts: {}.\n", verdict_counts(all.made));
  std::string paper;
  for (const Reproduced& one : all.made) {
    const Experiment& e = *one.experiment;
    if (e.paper != paper) {
      paper = e.paper;
      out += fmt::format("\n## Paper {}: {}\n", paper, find_paper(paper).title);
    }
    out += fmt::format("\n### {}: {}\n\n", e.place, e.title);
    for (const std::string& note : notes(e)) out += "- " + wrapped(note, 118, "  ") + "\n";
    if (!notes(e).empty()) out += "\n";
    out += "| | published | ours | ratio | verdict |\n| --- | --- | --- | --- | --- |\n";
    for (const Row& r : one.rows)
      out += fmt::format("| {} | {} | {} | {} | {} |\n", cell(r.what), cell(r.published),
                         r.timing ? "(time)" : cell(r.ours), r.timing ? "" : r.ratio,
                         r.timing ? "depends on the machine" : cell(r.verdict.text));
  }
  return out;
}

std::string json_text(const Reproduction& all, bool quick) {
  Json experiments = Json::array(), missing = Json::array();
  for (const Experiment* e : all.missing) missing.push_back(e->id);
  for (const Reproduced& one : all.made) {
    Json rows = Json::array();
    for (const Row& r : one.rows)
      rows.push_back({{"what", r.what},
                      {"published", r.published},
                      {"ours", r.ours},
                      {"ratio", r.ratio},
                      {"kind", name_of(r.verdict.kind)},
                      {"verdict", r.verdict.text},
                      {"timing", r.timing}});
    Json figures = Json::array();
    for (const Figure& figure : one.figures) figures.push_back(figure_json(figure));
    const Experiment& e = *one.experiment;
    experiments.push_back({{"id", e.id},
                           {"paper", e.paper},
                           {"place", e.place},
                           {"title", e.title},
                           {"reading", e.reading},
                           {"alternatives", e.alternatives},
                           {"seconds", one.seconds},
                           {"rows", rows},
                           {"figures", figures}});
  }
  return Json{{"status", missing.empty() ? "completed" : "interrupted"},
              {"message", missing_text(all)},
              {"quick", quick},
              {"version", version()},
              {"verdicts", verdict_counts(all.made)},
              {"missing", missing},
              {"experiments", experiments}}
      .dump(2);
}

namespace {

// what each verdict says; they come from the numbers alone
Json meanings() {
  const auto row = [](const char* verdict, const char* meaning) { return Json::array({verdict, meaning}); };
  Json rows = Json::array({row("equal", "our number has the printed digits"),
                           row("same", "ours lies within the difference that is said beside it; or both are rounding"),
                           row("fitted", "equal or the same, but by a reading of the paper that was picked because of the printed numbers"),
                           row("holds", "a statement of the paper, true of our numbers; what would contradict it is said beside it"),
                           row("explained", "ours differs, and a comparison that could have failed shows why"),
                           row("not explained", "ours differs, and none of the readings tried tells why"),
                           row("ours", "nothing is printed: our expectation, our baseline, or our number alone"),
                           row("left out", "not computed, because only the quick part was asked for")});
  return {{"title", "What the verdicts mean"}, {"columns", {"verdict", "meaning"}}, {"rows", rows}};
}

}  // namespace

std::string page_json(const Paper& paper, const Reproduction& all, bool quick) {
  Reproduction mine;
  for (const Reproduced& one : all.made)
    if (one.experiment->paper == paper.id) mine.made.push_back(one);
  for (const Experiment* e : all.missing)
    if (e->paper == paper.id) mine.missing.push_back(e);
  Json sections = Json::array();
  for (const Reproduced& one : mine.made) {
    Json rows = Json::array(), figures = Json::array();
    for (const Row& r : one.rows) rows.push_back({r.what, r.published, r.ours, r.ratio, r.verdict.text});
    for (const Figure& figure : one.figures) figures.push_back(figure_json(figure));
    const Experiment& e = *one.experiment;
    sections.push_back({{"title", e.place + ": " + e.title},
                        {"text", notes(e)},
                        {"figures", figures},
                        {"tables",
                         {{{"title", ""},
                           {"columns", {"", "published", "ours", "ratio", "verdict"}},
                           {"rows", rows},
                           {"verdict", 4}}}}});
  }
  Json facts = Json::array({Json::array({"version", quick ? "quick" : "full"})});
  for (const auto& [name, count] : count_verdicts(mine.made))
    facts.push_back(Json::array({name, std::to_string(count)}));
  Json page{{"format", 1},
            {"kind", "reproduce"},
            {"title", paper.title},
            {"subtitle", fmt::format("Paper {}: {}", paper.id, paper.published)},
            {"version", version()},
            {"facts", facts},
            {"text", {"Faint curves are the paper's own points where they are printed as numbers, ours are drawn beside them."}},
            {"tables", {meanings()}},
            {"sections", sections}};
  if (!mine.missing.empty()) {
    page["status"] = "interrupted";
    page["message"] = missing_text(mine);
  }
  return page.dump();
}

}  // namespace escapement
