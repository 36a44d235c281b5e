#include "study/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "study/probe.hpp"

namespace escapement {

namespace {

using Clock = std::chrono::steady_clock;

double number_or_nan(const std::string& text) {
  try {
    return evaluate(text, [](std::string_view) { return std::nullopt; });
  } catch (const std::exception&) {
    return NAN;
  }
}

CaseResult run_case(const Experiment& experiment, const Case& c, const CaseResults& before, bool quick,
                    const std::atomic<bool>* interrupt) {
  CaseResult result;
  const int wanted = !quick              ? c.points()
                     : !experiment.quick ? 0
                     : c.quick < 0       ? c.points()
                                         : std::min(c.quick, c.points());
  const Point* reference = nullptr;
  if (!c.reference.empty() && before.at(c.reference).points.back().done)
    reference = &before.at(c.reference).points.back();
  for (int i = 0; i < c.points(); ++i) {
    const std::string label = c.vary.empty() ? "" : c.vary.front().second[i];
    result.labels.push_back(label);
    result.varied.push_back(number_or_nan(label));
    Point point;
    if (i < wanted && (c.reference.empty() || reference)) {
      const PointSetup setup(experiment, c, i);
      point = find_probe(c.kind)({setup, reference, interrupt});
      point.done = true;
      for (const auto& [key, values] : c.vary)
        if (const double x = number_or_nan(values[i]); !std::isnan(x)) point.values[key] = x;
      for (const auto& [name, expression] : c.columns) point.columns[name] = column_of(point, expression);
      for (const auto& [name, expression] : c.measures) point.values[name] = evaluate(expression, names_of(point));
    }
    result.points.push_back(std::move(point));
  }
  return result;
}

class RowMaker {
 public:
  RowMaker(const Experiment& experiment, const CaseResults& results, bool quick)
      : experiment_(experiment), results_(results), quick_(quick) {}

  void make(const RowSpec& spec, std::vector<Row>& rows) const {
    const Case* c = experiment_.find(spec.case_name);
    if (!c) return rows.push_back(row(spec, names_of(results_), spec.what, 0));
    const CaseResult& result = results_.find(c->name)->second;
    for (int i = 0; i < c->points(); ++i) {
      const std::string what =
          c->vary.empty() ? spec.what
                          : fmt::format("{} {}: {}", plain(c->vary.front().first), result.labels[i], spec.what);
      const Point& point = result.points[i];
      const Lookup whole = names_of(results_);
      const Lookup names = [&](std::string_view name) -> std::optional<double> {
        if (!point.done) throw LeftOut();
        if (const auto value = names_of(point)(name)) return value;
        return whole(name);
      };
      rows.push_back(row(spec, names, what, i));
    }
  }

 private:
  static std::string plain(const std::string& key) {
    const std::size_t dot = key.find('.');
    return dot == std::string::npos ? key : key.substr(dot + 1);
  }

  Row row(const RowSpec& spec, const Lookup& names, const std::string& what, int index) const {
    Row row;
    row.what = what;
    row.timing = spec.timing;
    if (!spec.published.empty() && spec.published[index] != "-") row.published = spec.published[index];
    try {
      if (!spec.absent.empty())
        row.verdict = {VerdictKind::absent, "not reproduced: " + fill_in(spec.absent, names)};
      else if (!spec.holds.empty())
        statement(spec, names, row);
      else
        number(spec, names, row);
    } catch (const LeftOut&) {
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

  void statement(const RowSpec& spec, const Lookup& names, Row& row) const {
    if (!spec.claim.empty()) row.published = spec.claim;
    const bool holds = evaluate(spec.holds, names) != 0;
    row.ours = spec.value.empty() ? "" : fill_in(spec.value, names);
    if (holds)
      row.verdict = {VerdictKind::holds, "holds"};
    else
      row.verdict = {VerdictKind::differs,
                     spec.because.empty() ? "" : "differs because " + fill_in(spec.because, names)};
  }

  void number(const RowSpec& spec, const Lookup& names, Row& row) const {
    const double ours = evaluate(spec.value, names);
    const std::string unit = spec.unit.empty() ? "" : " " + spec.unit;
    if (!row.published.empty()) {
      row.ours = number_text(ours, std::max(3, printed_digits(row.published))) + unit;
      const double ratio = ours / std::stod(row.published);
      if (std::isfinite(ratio)) row.ratio = number_text(ratio, std::abs(ratio - 1) < 0.01 ? 6 : 3);
      row.verdict = compare_numbers(row.published, ours, spec.same_within, spec.rounding,
                                    [&] { return fill_in(spec.because, names); });
      row.published += unit;
      return;
    }
    row.ours = number_text(ours, 3) + unit;
    if (spec.against.empty()) {
      row.verdict = {VerdictKind::alone, "ours alone: nothing is printed to compare with"};
      return;
    }
    const double baseline = evaluate(spec.against, names);
    row.published = number_text(baseline, 3) + unit + " (ours, " + (spec.claim.empty() ? "baseline" : spec.claim) + ")";
    row.ratio = number_text(ours / baseline, 3);
    if (std::abs(ours) < std::abs(baseline))
      row.verdict = {VerdictKind::better, fmt::format("better by {}", difference_text(ours / baseline))};
    else if (ours == baseline || (spec.rounding > 0 && ours <= spec.rounding))
      row.verdict = {VerdictKind::same, "same to within rounding"};
    else
      row.verdict = {VerdictKind::worse,
                     fmt::format("worse by {}{}{}", difference_text(ours / baseline),
                                 spec.because.empty() ? "" : " because ", fill_in(spec.because, names))};
  }

  const Experiment& experiment_;
  const CaseResults& results_;
  bool quick_;
};

Figure make_figure(const FigureSpec& spec, const CaseResults& results) {
  Figure figure{&spec, {}};
  for (const SeriesSpec& s : spec.series) {
    FigureSeries series{s.name, s.style, s.xs, s.ys, s.faint};
    if (!s.case_name.empty()) {
      const CaseResult& result = results.find(s.case_name)->second;
      if (s.point >= 0) {
        const Point& point = result.points.at(s.point);
        if (!point.done) continue;
        series.x = column_of(point, s.x);
        series.y = column_of(point, s.y);
      } else {
        for (std::size_t i = 0; i < result.points.size(); ++i) {
          if (!result.points[i].done) continue;
          series.x.push_back(evaluate(s.x, names_of(result.points[i])));
          series.y.push_back(evaluate(s.y, names_of(result.points[i])));
        }
      }
    }
    if (!series.x.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

Reproduced reproduce(const Experiment& experiment, bool quick, const std::atomic<bool>* interrupt) {
  const auto begin = Clock::now();
  Reproduced made;
  made.experiment = &experiment;
  CaseResults results;
  for (const Case& c : experiment.cases) results[c.name] = run_case(experiment, c, results, quick, interrupt);
  const RowMaker maker(experiment, results, quick);
  for (const RowSpec& spec : experiment.rows) maker.make(spec, made.rows);
  for (const FigureSpec& spec : experiment.figures) {
    Figure figure = make_figure(spec, results);
    if (!figure.series.empty()) made.figures.push_back(std::move(figure));
  }
  made.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return made;
}

std::vector<Reproduced> reproduce(const std::vector<const Experiment*>& list, const ReproduceOptions& options) {
  std::vector<Reproduced> made(list.size());
  std::mutex lock;
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
  int done = 0;
  auto work = [&](std::size_t i) {
    try {
      Reproduced one = reproduce(*list[i], options.quick, options.interrupt);
      const std::lock_guard guard(lock);
      made[i] = std::move(one);
      ++done;
      if (options.on_progress) options.on_progress(done, static_cast<int>(list.size()), *list[i]);
    } catch (...) {
      const std::lock_guard guard(lock);
      const bool interrupted = options.interrupt && options.interrupt->load();  // then numbers are missing
      if (!failure && !interrupted) failure = std::current_exception();
      failed = true;
    }
  };
  auto stop = [&] { return failed || (options.interrupt && options.interrupt->load()); };
  // what measures times runs alone, after the rest
  std::atomic<std::size_t> next = 0;
  auto worker = [&] {
    for (std::size_t i = next++; i < list.size() && !stop(); i = next++)
      if (!list[i]->timing) work(i);
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.threads; ++i) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < list.size() && !stop(); ++i)
    if (list[i]->timing) work(i);
  if (failure) std::rethrow_exception(failure);
  return made;
}

const Paper* find_paper(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return c < 128 ? std::tolower(c) : c; });
  for (const Paper& paper : papers())
    if (paper.id == lower || std::find(paper.authors.begin(), paper.authors.end(), lower) != paper.authors.end())
      return &paper;
  return nullptr;
}

}  // namespace escapement
