#include "study/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "study/probe.hpp"
#include "study/row_maker.hpp"

namespace escapement::inline study {

namespace {

using Clock = std::chrono::steady_clock;

double number_or_nan(const std::string& text) {
  try {
    return evaluate(text, [](std::string_view) { return std::nullopt; });
  } catch (const std::exception&) {
    return NAN;
  }
}

void stop_if(const std::atomic<bool>* interrupt) {
  if (interrupt && interrupt->load()) throw Interrupted();
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
      try {
        point = find_probe(c.kind)({setup, reference, names_of(before, i), interrupt});
      } catch (const LeftOut&) {  // it goes by a point above that the quick version left out
        result.points.push_back({});
        continue;
      }
      stop_if(interrupt);  // its runs may have ended early
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
  RowMaker maker(experiment, results, quick);
  for (const RowSpec& spec : experiment.rows) maker.make(spec, made.rows);
  maker.summarize_readings(made.rows);
  for (const FigureSpec& spec : experiment.figures) {
    Figure figure = make_figure(spec, results);
    if (!figure.series.empty()) made.figures.push_back(std::move(figure));
  }
  made.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return made;
}

Reproduction reproduce(const std::vector<const Experiment*>& list, const ReproduceOptions& options) {
  std::vector<Reproduced> each(list.size());
  std::mutex lock;
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
  int done = 0;
  auto work = [&](std::size_t i) {
    try {
      Reproduced one = reproduce(*list[i], options.quick, options.interrupt);
      const std::lock_guard guard(lock);
      each[i] = std::move(one);
      ++done;
      if (options.on_progress) options.on_progress(done, static_cast<int>(list.size()), *list[i]);
    } catch (...) {
      const std::lock_guard guard(lock);
      // a probe may also stumble over a run that was stopped
      const bool interrupted = options.interrupt && options.interrupt->load();
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
  Reproduction result;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (each[i].experiment)
      result.made.push_back(std::move(each[i]));
    else
      result.missing.push_back(list[i]);
  return result;
}

const Paper& find_paper(const std::string& id) {
  return *std::find_if(papers().begin(), papers().end(), [&](const Paper& paper) { return paper.id == id; });
}

namespace {

// small letters without accents, of names in UTF-8
std::string plain_letters(const std::string& name) {
  constexpr std::string_view latin = "aaaaaaaceeeeiiiidnooooo ouuuuy y";  // U+00E0 to U+00FF
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c == 0xC3 && i + 1 < name.size())
      plain += latin[static_cast<unsigned char>(name[++i]) % 32];
    else
      plain += c < 128 ? static_cast<char>(std::tolower(c)) : name[i];
  }
  return plain;
}

}  // namespace

std::vector<const Paper*> papers_named(const std::string& name, const std::vector<Paper>& among) {
  constexpr std::size_t fewest_letters = 3;
  const std::string wanted = plain_letters(name);
  std::vector<const Paper*> exactly, beginning;
  for (const Paper& paper : among) {
    const auto is = [&](const std::string& author) { return author == wanted; };
    const auto begins = [&](const std::string& author) { return author.starts_with(wanted); };
    if (paper.id == wanted || std::ranges::any_of(paper.authors, is)) exactly.push_back(&paper);
    if (wanted.size() >= fewest_letters && std::ranges::any_of(paper.authors, begins)) beginning.push_back(&paper);
  }
  return exactly.empty() ? beginning : exactly;
}

}  // namespace escapement
