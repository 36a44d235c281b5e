#include "study/row_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace escapement::inline study {

namespace {

// "set.g" -> "g"
std::string plain(const std::string& key) {
  const std::size_t dot = key.find('.');
  return dot == std::string::npos ? key : key.substr(dot + 1);
}

// of the row's own run; rows that speak of several runs name them in their texts
bool stopped(const Lookup& names) { return names("completed").value_or(1) == 0; }

std::string where_it_stopped(const Lookup& names) {
  return fmt::format("our run stops at {} s, before the end", number_text(names("t").value_or(NAN)));
}

bool met(const Verdict& verdict) { return verdict.kind == VerdictKind::equal || verdict.kind == VerdictKind::same; }

// what stands in the column of published numbers and is not one
std::string of_ours(const std::string& text) { return text + " (ours, expected)"; }

// where the text has no parenthesis open; npos: nowhere
std::size_t find_outside(const std::string& text, const std::string& what, std::size_t from = 0) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (i >= from && depth == 0 && text.compare(i, what.size(), what) == 0) return i;
  }
  return std::string::npos;
}

std::string opposite_of(const std::string& comparison) {
  static const std::vector<std::pair<std::string, std::string>> signs{{"<=", ">"}, {">=", "<"}, {"==", "!="},
                                                                      {"!=", "=="}, {"<", ">="}, {">", "<="}};
  if (find_outside(comparison, " or ") == std::string::npos)
    for (const auto& [sign, opposite] : signs)
      if (const std::size_t at = find_outside(comparison, sign); at != std::string::npos)
        return comparison.substr(0, at) + opposite + comparison.substr(at + sign.size());
  return "not (" + comparison + ")";
}

}  // namespace

// one of the comparisons the other way round is enough
std::string contradiction(const std::string& holds) {
  std::string text;
  for (std::size_t begin = 0; begin != std::string::npos;) {
    const std::size_t end = find_outside(holds, " and ", begin);
    text += (text.empty() ? "" : " or ") +
            opposite_of(holds.substr(begin, end == std::string::npos ? end : end - begin));
    begin = end == std::string::npos ? end : end + 5;
  }
  return text;
}

void RowMaker::make(const RowSpec& spec, std::vector<Row>& rows) {
  const Case* c = experiment_.find(spec.case_name);
  if (!c) return rows.push_back(row(spec, names_of(results_), spec.what, 0));
  const CaseResult& result = results_.find(c->name)->second;
  for (int i = 0; i < c->points(); ++i) {
    const std::string what = c->vary.empty()
                                 ? spec.what
                                 : fmt::format("{} {}: {}", plain(c->vary.front().first), result.labels[i], spec.what);
    const Point& point = result.points[i];
    const Lookup whole = names_of(results_, i);
    const Lookup names = [&](std::string_view name) -> std::optional<double> {
      if (!point.done) throw LeftOut();
      if (const auto value = names_of(point)(name)) return value;
      return whole(name);
    };
    rows.push_back(row(spec, names, what, i));
  }
}

Row RowMaker::row(const RowSpec& spec, const Lookup& names, const std::string& what, int index) {
  Row row;
  row.what = what;
  row.timing = spec.timing;
  const std::vector<std::string>& beside = spec.expected.empty() ? spec.published : spec.expected;
  if (!beside.empty() && beside[index] != "-") row.published = beside[index];
  try {
    if (!spec.absent.empty())
      row.verdict = {VerdictKind::absent, "not reproduced: " + fill_in(spec.absent, names)};
    else if (!spec.holds.empty())
      statement(spec, names, row);
    else
      number(spec, names, row, index);
  } catch (const LeftOut&) {
    left_out_ = true;
    row.ours.clear();
    row.ratio.clear();
    row.verdict = {VerdictKind::left_out, "left out by --quick"};
    if (!quick_)
      throw std::runtime_error(fmt::format("{}: '{}' uses a number that was not computed", experiment_.id, what));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}: {}", experiment_.id, what, error.what()));
  }
  return row;
}

void RowMaker::statement(const RowSpec& spec, const Lookup& names, Row& row) const {
  row.published = spec.claim.empty() ? of_ours(spec.statement) : spec.claim;
  const bool holds = evaluate(spec.holds, names) != 0;
  row.ours = spec.value.empty() ? "" : fill_in(spec.value, names);
  if (holds) {
    row.verdict = {spec.claim.empty() ? VerdictKind::ours : VerdictKind::holds,
                   "holds; contradicted by " + contradiction(spec.holds)};
    return;
  }
  std::string tried;
  for (const auto& [title, expression] : spec.also)
    tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", title, number_text(evaluate(expression, names)));
  row.verdict = of_difference(spec, names, "", tried);
  if (spec.claim.empty()) row.verdict.kind = VerdictKind::missed;
}

void RowMaker::number(const RowSpec& spec, const Lookup& names, Row& row, int index) {
  const double ours = evaluate(spec.value, names);
  if (!row.published.empty()) return compare(spec, names, ours, row, index);
  const std::string unit = spec.unit.empty() ? "" : " " + spec.unit;
  row.ours = number_text(ours, 3) + unit;
  if (spec.against.empty()) {
    row.verdict = {VerdictKind::alone, "ours alone: nothing is printed to compare with"};
    if (stopped(names)) row.verdict.text += "; " + where_it_stopped(names);
    return;
  }
  const double baseline = evaluate(spec.against, names);
  row.published = number_text(baseline, 3) + unit + " (ours, " + (spec.claim.empty() ? "baseline" : spec.claim) + ")";
  row.ratio = number_text(ours / baseline, 3);
  if (std::abs(ours) < std::abs(baseline))
    row.verdict = {VerdictKind::better, fmt::format("better by {}", difference_text(ours / baseline, true))};
  else if (ours == baseline || (spec.rounding > 0 && ours <= spec.rounding))
    row.verdict = {VerdictKind::same, "same to within rounding"};
  else {
    const Reason* why = proven(spec, names);
    row.verdict = {VerdictKind::worse, fmt::format("worse by {}{}{}", difference_text(ours / baseline),
                                                   why ? " because " : "", why ? fill_in(why->because, names) : "")};
  }
}

// the first reason that its proof bears out
const Reason* RowMaker::proven(const RowSpec& spec, const Lookup& names) const {
  for (const Reason& one : spec.reasons)
    if (evaluate(one.proof, names) != 0) return &one;
  return nullptr;
}

// end: where our run stopped before its end; others: what the other readings give
Verdict RowMaker::of_difference(const RowSpec& spec, const Lookup& names, const std::string& end,
                                const std::string& others) const {
  const std::string count = spec.readings > 0 ? fmt::format("; readings tried: {}", spec.readings) : "";
  const std::string first = end.empty() ? "" : end + "; ";
  if (const Reason* why = proven(spec, names)) {
    const std::string because = first + fill_in(why->because, names);
    if (!why->fitted.empty())
      return {VerdictKind::fitted, "fitted: differs, and a reading picked afterwards meets it: " + because + count};
    return {VerdictKind::explained,
            "differs because " + because + (why->print_only ? "; the printed numbers alone show it" : "") + count};
  }
  std::string text = first + (spec.remark.empty() ? "" : fill_in(spec.remark, names) + "; ") +
                     (others.empty() ? "" : "tried " + others + "; ");
  if (!text.empty()) text = ": " + text.substr(0, text.size() - 2);
  return {VerdictKind::unexplained, "differs; not explained" + text + count};
}

void RowMaker::compare(const RowSpec& spec, const Lookup& names, double ours, Row& row, int index) {
  const std::string unit = spec.unit.empty() ? "" : " " + spec.unit;
  row.ours = number_text(ours, std::max(3, printed_digits(row.published))) + unit;
  const double ratio = ours / std::stod(row.published);
  if (std::isfinite(ratio)) row.ratio = number_text(ratio, std::abs(ratio - 1) < 0.01 ? 6 : 3);
  row.verdict = compare_numbers(row.published, ours, spec.same_within, spec.rounding);
  if (stopped(names)) row.verdict = {VerdictKind::unexplained, ""};  // a part of the motion, whatever the numbers say
  // before the reasons, which may need what the quick version leaves out: the readings are the same in both
  const std::string others = other_readings(spec, names, row, index);
  if (!met(row.verdict))
    row.verdict = of_difference(spec, with_numbers(spec, names, ours, row.published, index),
                                stopped(names) ? where_it_stopped(names) : "", others);
  else if (!spec.fitted.empty() && spec.expected.empty() && std::abs(std::stod(row.published)) > spec.rounding)
    row.verdict = {VerdictKind::fitted, fmt::format("fitted: {}, but {}", row.verdict.text, spec.fitted)};
  row.published += unit;
  if (spec.expected.empty()) return;
  row.published = of_ours(row.published);
  const bool is_met = met(row.verdict);
  row.verdict.kind = is_met ? VerdictKind::ours : VerdictKind::missed;
  if (const std::size_t at = row.verdict.text.find("printed"); is_met && at != std::string::npos)
    row.verdict.text.replace(at, 7, "expected");
}

// reasons may speak of the two numbers, and of how many readings meet the printed one
Lookup RowMaker::with_numbers(const RowSpec& spec, const Lookup& names, double ours, const std::string& published,
                              int index) const {
  return [=, this, &spec](std::string_view name) -> std::optional<double> {
    if (name == "published") return std::stod(published);
    if (name == "ours") return ours;
    if (name.ends_with(".meets")) return meeting(spec, name.substr(0, name.size() - 6), published, index);
    return names(name);
  };
}

// how many readings of a family give the printed number
int RowMaker::meeting(const RowSpec& spec, std::string_view family, const std::string& published, int index) const {
  int count = 0;
  for (const Case* c : experiment_.readings(family)) {
    const CaseResult& result = results_.find(c->name)->second;
    if (index >= static_cast<int>(result.points.size())) continue;
    const Point& point = result.points[index];
    if (!point.done) throw LeftOut();
    const Lookup names = names_of(point);
    if (names("completed").value_or(1) == 0 || names("met").value_or(1) == 0) continue;
    const double value = evaluate(spec.value, names);
    count += met(compare_numbers(published, value, spec.same_within, spec.rounding));
  }
  return count;
}

// what the row's value is by the other readings: each one, or of a grid the range and the nearest
std::string RowMaker::other_readings(const RowSpec& spec, const Lookup& names, const Row& row, int index) {
  const double printed = std::stod(row.published);
  std::string list;
  auto add = [&](const std::string& text) { list += (list.empty() ? "" : ", ") + text; };
  auto judge = [&](const std::string& title, const std::string& family, double value) {
    const bool meets = met(compare_numbers(row.published, value, spec.same_within, spec.rounding));
    Reading& one = reading(title, family);
    one.met += meets;
    ++one.all;
    return meets;
  };
  const Case* own = experiment_.find(spec.case_name);
  if (own && !own->title.empty() && !(spec.tried.empty() && spec.also.empty())) {
    Reading& one = reading(own->title, "");
    one.met += met(row.verdict);
    ++one.all;
  }
  for (const std::string& name : spec.tried) {
    double low = INFINITY, high = -INFINITY, nearest = NAN;
    int done = 0, stopped = 0;
    std::string nearest_title;
    bool nearest_meets = false;
    for (const Case* c : experiment_.readings(name)) {
      const CaseResult& result = results_.find(c->name)->second;
      if (index >= static_cast<int>(result.points.size())) continue;
      const Point& point = result.points[index];
      if (!point.done) {
        reading(c->title, c->family);
        left_out_ = true;
        continue;
      }
      const auto completed = names_of(point)("completed");
      const double value = completed && *completed == 0 ? NAN : evaluate(spec.value, names_of(point));
      const bool meets = judge(c->title, c->family, value);
      ++done;
      if (!std::isfinite(value)) {
        ++stopped;
        continue;
      }
      low = std::min(low, value);
      high = std::max(high, value);
      if (std::isnan(nearest) || std::abs(std::log(value / printed)) < std::abs(std::log(nearest / printed)))
        nearest = value, nearest_title = c->title, nearest_meets = meets;
    }
    const std::string close = nearest_meets ? ", which meets it" : "";
    if (done == 0) continue;
    if (stopped == done)
      add(done > 1 ? fmt::format("{} readings (all stop before the end)", done)
                   : experiment_.readings(name).front()->title + " (stops before the end)");
    else if (done == 1)
      add(fmt::format("{} ({}{})", nearest_title, number_text(nearest), close));
    else
      add(fmt::format("{} readings ({} to {}; nearest {} with {}{})", done, number_text(low), number_text(high),
                      number_text(nearest), nearest_title, close));
  }
  for (const auto& [title, expression] : spec.also) {
    const double value = evaluate(expression, names);
    const bool meets = judge(title, "", value);
    add(fmt::format("{} ({}{})", title, number_text(value), meets ? ", which meets it" : ""));
  }
  if (list.empty() && !spec.tried.empty()) return "readings that --quick leaves out";
  return list;
}

RowMaker::Reading& RowMaker::reading(const std::string& title, const std::string& family) {
  for (Reading& one : readings_)
    if (one.title == title && one.family == family) return one;
  return readings_.emplace_back(Reading{title, family});
}

void RowMaker::summarize_readings(std::vector<Row>& rows) const {
  std::vector<std::string> families;
  auto add = [&](const std::string& what, const Reading& one) {
    Row row;
    row.what = what;
    row.ours =
        fmt::format("{}meets {} of {} printed values", one.family.empty() ? "" : one.title + ": ", one.met, one.all);
    row.verdict = {VerdictKind::alone, "ours alone: how far a reading carries"};
    if (left_out_) {
      row.ours.clear();
      row.verdict = {VerdictKind::left_out, "left out by --quick"};
    }
    rows.push_back(std::move(row));
  };
  for (const Reading& one : readings_) {
    if (one.family.empty()) {
      add("reading: " + one.title, one);
      continue;
    }
    if (std::find(families.begin(), families.end(), one.family) != families.end()) continue;
    families.push_back(one.family);
    const Reading* best = &one;
    long count = 0;
    for (const Reading& other : readings_) {
      count += other.family == one.family;
      if (other.family == one.family && other.met > best->met) best = &other;
    }
    add(fmt::format("best of {} readings", count), *best);
  }
}

}  // namespace escapement
