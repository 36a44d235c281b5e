// The comparison as text, CSV, JSON and as the data of a page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/compare.hpp"
#include "run/version.hpp"

namespace escapement::inline io {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_columns = 4;  // constraints that get columns of their own in the terminal

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json json_of(const GlobalError& e) {
  return {{"at_end", number_or_null(e.at_end)},
          {"mean", number_or_null(e.mean)},
          {"q_end", number_or_null(e.q_end)},
          {"v_end", number_or_null(e.v_end)},
          {"q_max", number_or_null(e.q_max)}};
}

std::vector<const ComparisonRow*> rows_of(const Comparison& c, const std::string& label) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : c.rows)
    if (row.label == label) rows.push_back(&row);
  return rows;
}

double size_of(const ComparisonRow& row) {
  return row.settings.step.value_or(row.settings.error_bound());
}
bool completed(const ComparisonRow& row) { return row.summary && row.status != "failed"; }

constexpr double Summary::Levels::* drift_levels[] = {&Summary::Levels::position, &Summary::Levels::velocity};

double drift(const ComparisonRow& row, std::size_t constraint, double Summary::Levels::* level) {
  return row.summary->drift_by_constraint.at(constraint).second.*level;
}

std::string scientific(double x) { return std::isfinite(x) ? fmt::format("{:.2e}", x) : "-"; }
std::string plain(double x) { return x >= 1e-2 && x < 1e4 ? fmt::format("{:.3g}", x) : fmt::format("{:.2e}", x); }

// columns set to their widest cell, names to the left and numbers to the right
std::string set_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j >= width.size()) width.push_back(0);
      width[j] = std::max(width[j], row[j].size());
    }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      line += j == 0 ? fmt::format("{:<{}}", rows[i][j], width[j]) : fmt::format("  {:>{}}", rows[i][j], width[j]);
    text += line + "\n";
    if (i == 0) text += std::string(line.size(), '-') + "\n";
  }
  return text;
}

// 1e-3 in place of 0.001 and 1e-03, 2.5e-6 in place of 2.5e-06
std::string short_number(double x) {
  std::string text = fmt::format("{:.0e}", x);
  if (text.find("e+") != std::string::npos || std::strtod(text.c_str(), nullptr) != x) text = fmt::format("{:g}", x);
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

// what the runs were given: tolerances, steps, or some of them this and some that
struct Given {
  bool tolerance = false, step = false;
};
Given given(const Comparison& c) {
  Given result;
  for (const ComparisonRow& row : c.rows) (row.settings.step ? result.step : result.tolerance) = true;
  return result;
}

std::vector<std::string> head(const Comparison& c, bool by_constraint) {
  std::vector<std::string> cells{"scheme"};
  if (given(c).tolerance) cells.emplace_back("tolerance");
  if (given(c).step) cells.emplace_back("step");
  cells.insert(cells.end(), {"average h", "work"});
  if (by_constraint) {
    for (const std::string& name : c.constraints) cells.push_back("|" + name + "|");
    for (const std::string& name : c.constraints) cells.push_back("|" + name + "'|");
  } else if (!c.constraints.empty()) {
    cells.insert(cells.end(), {"max |g|", "max |g'|"});
  }
  if (c.has_contacts) cells.insert(cells.end(), {"penetration", "impacts"});
  cells.insert(cells.end(), {"error", "time/s", "verdict"});
  return cells;
}

std::vector<std::string> cells(const Comparison& c, const ComparisonRow& row, bool by_constraint) {
  const std::string size = short_number(size_of(row));
  std::vector<std::string> cells{row.label};
  if (given(c).tolerance) cells.push_back(row.settings.step ? "" : size);
  if (given(c).step) cells.push_back(row.settings.step ? size : "");
  cells.insert(cells.end(), {plain(row.summary->average_step), fmt::format("{}", row.summary->work)});
  if (by_constraint) {
    for (const auto level : drift_levels)
      for (std::size_t k = 0; k < c.constraints.size(); ++k) cells.push_back(scientific(drift(row, k, level)));
  } else if (!c.constraints.empty()) {
    for (const auto level : drift_levels) cells.push_back(scientific(row.summary->max_drift.*level));
  }
  if (c.has_contacts) {
    cells.push_back(scientific(row.summary->max_penetration));
    cells.push_back(fmt::format("{}", row.summary->impacts));
  }
  cells.push_back(scientific(row.error.at_end));
  cells.push_back(plain(row.summary->wall_seconds));
  cells.push_back(row.summary->verdict());
  return cells;
}

double work_of(const ComparisonRow& row) { return static_cast<double>(row.summary->work); }
std::string setting_of(const ComparisonRow& row) {
  return fmt::format("{} {}", row.settings.step ? "step" : "tolerance", short_number(size_of(row)));
}
std::string settings_between(const ComparisonRow& first, const ComparisonRow& last) {
  if (&first == &last) return setting_of(first);
  return fmt::format("{}s {} to {}", first.settings.step ? "step" : "tolerance", short_number(size_of(first)), short_number(size_of(last)));
}

// which scheme does the least work for which error: the cheapest sound run within each power of ten that is told apart from the
// reference. Empty without errors
std::string conclusion(const Comparison& c) {
  if (!c.reference.available) return {};
  const double floor = 3 * c.reference.uncertainty.at_end;
  std::vector<const ComparisonRow*> rows;
  double least = INFINITY, most = 0;
  for (const ComparisonRow& row : c.rows) {
    if (!completed(row) || row.suspect() || !std::isfinite(row.error.at_end)) continue;
    rows.push_back(&row);
    least = std::min(least, std::max(row.error.at_end, floor));
    most = std::max(most, row.error.at_end);
  }
  if (rows.empty()) return "No run is sound: none of these can be recommended.";
  if (c.slopes.size() < 2 || !(least > 0) || !(most > 0)) return {};
  struct Part {
    const ComparisonRow *first, *last;
    int from, to;  // powers of ten
  };
  std::vector<Part> parts;
  for (int power = static_cast<int>(std::ceil(std::log10(most))); power >= static_cast<int>(std::ceil(std::log10(least))); --power) {
    const double bound = std::pow(10.0, power) * (1 + 1e-9);
    const ComparisonRow* best = nullptr;
    for (const ComparisonRow* row : rows)
      if (row->error.at_end <= bound && (!best || work_of(*row) < work_of(*best))) best = row;
    if (!best) break;
    if (!parts.empty() && parts.back().last->label == best->label) {
      parts.back().to = power;
      parts.back().last = best;
    } else {
      parts.push_back({best, best, power, power});
    }
  }
  if (parts.empty()) return {};
  std::string text = "Least work: ";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& p = parts[i];
    text += fmt::format("{}{} for errors {}", i == 0 ? "" : ", ", p.first->label,
                        p.from == p.to ? fmt::format("within 1e{} ({}, work {:.0f})", p.to, setting_of(*p.last), work_of(*p.last))
                                       : fmt::format("from 1e{} to 1e{} ({})", p.from, p.to, settings_between(*p.first, *p.last)));
  }
  return text + ".";
}

}  // namespace

std::string to_text(const Comparison& c) {
  const bool by_constraint = c.constraints.size() <= most_columns;
  std::string text = fmt::format("{}: average step, work{} and error of the schemes\n", c.model,
                                 c.constraints.empty() ? "" : ", drift of the constraints");
  text += fmt::format("reference: {}\n\n", c.reference.how);
  std::vector<std::vector<std::string>> table{head(c, by_constraint)};
  std::string failures, slopes;
  for (const Slopes& s : c.slopes) {
    const std::size_t before = table.size();
    for (const ComparisonRow* row : rows_of(c, s.label)) {
      if (!completed(*row)) {
        failures += fmt::format("{} at {}: {}\n", row->label, setting_of(*row), row->message);
        continue;
      }
      table.push_back(cells(c, *row, by_constraint));
      if (table.size() > before + 1) table.back().front().clear();  // a scheme is named once
    }
    if (std::isfinite(s.order))
      slopes += fmt::format("{}: error ~ (average h)^{:.2f}, work ~ error^{:.2f}\n", s.label, s.order, s.work_per_error);
  }
  if (table.size() > 1) text += set_table(table);
  text += failures;
  if (!slopes.empty()) text += "\n" + slopes;
  if (const std::string sentence = conclusion(c); !sentence.empty()) text += "\n" + sentence + "\n";
  if (c.reference.available) text += "\nerror: rms over q and v of error/(1 + |x|) at the end, against the reference\n";
  return text;
}

std::string to_csv(const Comparison& c) {
  auto quoted = [](const std::string& value) {
    std::string text = "\"";
    for (const char ch : value) text += ch == '"' ? std::string("\"\"") : std::string(1, ch);
    return text + "\"";
  };
  std::string text =
      "scheme,tolerance,step,status,verdict,average_step,steps,rejected_steps,work,max_penetration,impacts,energy_error,error,"
      "error_mean,error_q,error_v,wall_seconds";
  for (const char* level : {"position", "velocity"})
    for (const std::string& name : c.constraints) text += "," + quoted(fmt::format("drift.{}.{}", level, name));
  text += ",message\n";
  for (const ComparisonRow& row : c.rows) {
    auto real = [](double x) { return std::isfinite(x) ? fmt::format("{:.17g}", x) : std::string(); };
    text += quoted(row.label) + "," + (row.settings.step ? "," + real(size_of(row)) : real(size_of(row)) + ",") + "," +
            row.status;
    const bool ran = row.summary.has_value();
    const Summary s = row.summary.value_or(Summary{});
    text += fmt::format(",{}", ran ? s.verdict() : "");
    for (const double x : {s.average_step, double(s.steps), double(s.rejected_steps), double(s.work), s.max_penetration, double(s.impacts), s.energy.max_error})
      text += "," + (ran ? real(x) : "");
    for (const double e : {row.error.at_end, row.error.mean, row.error.q_end, row.error.v_end}) text += "," + real(e);
    text += "," + (ran ? real(s.wall_seconds) : "");
    for (const auto level : drift_levels)
      for (std::size_t k = 0; k < c.constraints.size(); ++k) text += "," + (ran ? real(drift(row, k, level)) : "");
    text += "," + quoted(row.message) + "\n";
  }
  return text;
}

Json to_json(const Comparison& c) {
  Json rows = Json::array(), slopes = Json::object();
  for (const ComparisonRow& row : c.rows) {
    Json item{{"label", row.label},
              {"scheme", row.settings.scheme},
              {row.settings.step ? "step" : "tolerance", size_of(row)},
              {"status", row.status},
              {"message", row.message}};
    const Json summary = row.summary ? to_json(*row.summary) : Json();
    if (row.summary)
      for (const char* key :
           {"verdict", "findings", "t", "average_step", "steps", "rejected_steps", "newton_iterations", "evaluations", "work", "max_drift",
            "drift_by_constraint", "max_penetration", "impacts", "energy", "final", "wall_seconds"})
        item[key] = summary[key];
    item["error"] = json_of(row.error);
    rows.push_back(std::move(item));
  }
  for (const Slopes& s : c.slopes)
    slopes[s.label] = {{"order", number_or_null(s.order)}, {"work_per_error", number_or_null(s.work_per_error)}};
  return {{"model", c.model},
          {"constraints", c.constraints},
          {"reference",
           {{"available", c.reference.available},
            {"how", c.reference.how},
            {"uncertainty", json_of(c.reference.uncertainty)}}},
          {"rows", rows},
          {"slopes", slopes},
          {"conclusion", conclusion(c)},
          {"version", version()}};
}

namespace {

using Quantity = double (*)(const ComparisonRow&);

Json axis(const char* label, const char* unit) { return {{"label", label}, {"unit", unit}, {"log", true}}; }

// falls: the quantity that becomes smaller with finer settings, until it is rounding
Json figure(const Comparison& c, const char* title, const char* caption, Json x, Quantity of_x, Json y, Quantity of_y,
            Quantity falls, double floor = 0) {
  Json series = Json::array();
  for (const Slopes& s : c.slopes) {
    Json xs = Json::array(), ys = Json::array(), names = Json::array();
    std::vector<std::pair<double, double>> by_size;  // setting, what falls
    for (const ComparisonRow* row : rows_of(c, s.label)) {
      if (!completed(*row)) continue;
      const double a = of_x(*row), b = of_y(*row);
      if (!(a > 0) || !(b > 0) || !std::isfinite(a) || !std::isfinite(b)) continue;
      xs.push_back(a);
      ys.push_back(b);
      names.push_back(setting_of(*row));
      by_size.emplace_back(size_of(*row), falls(*row));
    }
    if (xs.empty()) continue;
    std::vector<std::size_t> order(by_size.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) { return by_size[i].first > by_size[k].first; });
    std::vector<double> values;
    for (std::size_t i : order) values.push_back(by_size[i].second);
    const std::vector<bool> counts = falling(values, floor);
    Json fit = Json::array();
    for (std::size_t i = 0; i < order.size(); ++i) fit.push_back(false);
    for (std::size_t i = 0; i < order.size(); ++i) fit[order[i]] = static_cast<bool>(counts[i]);
    series.push_back({{"name", s.label}, {"x", xs}, {"y", ys}, {"style", "both"}, {"fit", fit}, {"points", names}});
  }
  return {{"title", title},    {"caption", caption}, {"x", std::move(x)},
          {"y", std::move(y)}, {"series", series},   {"slopes", true}};
}

// errors and verdicts first: a linkage has many constraints
std::vector<std::string> page_head(const Comparison& c) {
  std::vector<std::string> cells{"scheme"};
  if (given(c).tolerance) cells.emplace_back("tolerance");
  if (given(c).step) cells.emplace_back("step");
  cells.insert(cells.end(), {"average h", "work"});
  if (c.has_contacts) cells.insert(cells.end(), {"penetration", "impacts"});
  cells.insert(cells.end(), {"error", "time/s", "verdict"});
  for (const char* mark : {"|", "'|"})
    for (const std::string& name : c.constraints) cells.push_back("|" + name + mark);
  return cells;
}

Json table_of(const Comparison& c) {
  Json list = Json::array(), notes = Json::array();
  for (const ComparisonRow& row : c.rows) {
    if (!completed(row)) {
      notes.push_back(fmt::format("{} at {}: {}", row.label, setting_of(row), row.message));
      continue;
    }
    const Summary& s = *row.summary;
    Json line = Json::array({row.label});
    if (given(c).tolerance) line.push_back(row.settings.step ? "" : short_number(size_of(row)));
    if (given(c).step) line.push_back(row.settings.step ? short_number(size_of(row)) : "");
    line.insert(line.end(), {s.average_step, s.work});
    if (c.has_contacts) {
      line.push_back(s.max_penetration);
      line.push_back(s.impacts);
    }
    line.push_back(number_or_null(row.error.at_end));
    line.push_back(s.wall_seconds);
    line.push_back(s.verdict());
    for (const auto level : drift_levels)
      for (std::size_t k = 0; k < c.constraints.size(); ++k) line.push_back(drift(row, k, level));
    list.push_back(std::move(line));
  }
  return {{"title", "All runs"},
          {"columns", page_head(c)},
          {"rows", list},
          {"digits", 3},
          {"notes", notes}};
}

}  // namespace

Json study_json(const Comparison& c) {
  Json figures = Json::array();
  const Quantity error = [](const ComparisonRow& r) { return r.error.at_end; };
  const Quantity work = [](const ComparisonRow& r) { return static_cast<double>(r.summary->work); };
  const Quantity step = [](const ComparisonRow& r) { return r.summary->average_step; };
  const Quantity seconds = [](const ComparisonRow& r) { return r.summary->wall_seconds; };
  const Quantity position = [](const ComparisonRow& r) { return r.summary->max_drift.position; };
  const Quantity velocity = [](const ComparisonRow& r) { return r.summary->max_drift.velocity; };
  const double floor = c.reference.available ? 3 * c.reference.uncertainty.at_end : 0;
  if (c.reference.available) {
    figures.push_back(figure(c, "Work against precision",
                             "Work: evaluations of forces, Jacobians, curvature and tangents, and linear solves.",
                             axis("error", "scaled"), error, axis("work", "evaluations"), work, error, floor));
    figures.push_back(figure(c, "Time against precision", "Time inside the scheme.", axis("error", "scaled"), error,
                             axis("time", "s"), seconds, error, floor));
    figures.push_back(figure(c, "Convergence", "The slope is the order seen.", axis("average step", "s"), step,
                             axis("error", "scaled"), error, error, floor));
  }
  if (!c.constraints.empty()) {
    figures.push_back(figure(c, "Drift at position level", "The largest |g| over constraints and steps.",
                             axis("average step", "s"), step, axis("drift", "SI"), position, position, c.rounding.position));
    figures.push_back(figure(c, "Drift at velocity level", "The largest |G v + g_t| over constraints and steps.",
                             axis("average step", "s"), step, axis("drift", "SI"), velocity, velocity, c.rounding.velocity));
  }
  Json text = Json::array();
  if (const std::string sentence = conclusion(c); !sentence.empty()) text.push_back(sentence);
  text.push_back("Error: rms over q and v of error/(1 + |x|) at the end, against the reference.");
  return {{"format", 1},
          {"kind", "compare"},
          {"title", c.model},
          {"version", version()},
          {"facts", Json::array({Json::array({"reference", c.reference.how})})},
          {"text", text},
          {"figures", figures},
          {"tables", Json::array({table_of(c)})}};
}

}  // namespace escapement
