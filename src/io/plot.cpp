#include "io/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/report_run.hpp"

namespace escapement::inline io {

namespace {

constexpr Color ink{40, 44, 52}, grid{226, 229, 233}, event_mark{240, 190, 170};
constexpr Color palette[] = {{31, 105, 180}, {214, 96, 32},  {44, 140, 70}, {160, 60, 150},
                             {150, 110, 20}, {20, 150, 160}, {200, 50, 70}, {100, 100, 100}};
constexpr std::size_t most_curves = 8;  // told apart by colour and legend
constexpr int plot_width = 1200, plot_height = 480;

struct AxisRange {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

double step_of(double span) {
  const double rough = span / 6, power = std::pow(10, std::floor(std::log10(rough))), part = rough / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

class Axes {
 public:
  Axes(const Plot& plot, int w, int h) : log_(plot.log), right_(w - 24), bottom_(h - 52) {
    for (const Plot::Curve& curve : plot.curves) {
      for (const double t : curve.x) x_.take(t);
      for (const double v : curve.y) y_.take(scaled(v));
    }
    if (!(x_.low < x_.high)) x_ = {x_.low <= x_.high ? x_.low - 0.5 : 0, x_.low <= x_.high ? x_.high + 0.5 : 1};
    if (y_.low > y_.high) y_ = {0, 1};
    const double room = y_.high > y_.low ? 0.04 * (y_.high - y_.low) : std::max(0.5, 0.1 * std::abs(y_.high));
    y_ = {y_.low - room, y_.high + room};
  }
  double scaled(double v) const { return !log_ ? v : v > 0 ? std::log10(v) : std::numeric_limits<double>::quiet_NaN(); }
  double px(double t) const { return left_ + (t - x_.low) / (x_.high - x_.low) * (right_ - left_); }
  double py(double v) const { return bottom_ - (v - y_.low) / (y_.high - y_.low) * (bottom_ - top_); }

  void frame(Canvas& canvas) const {
    const double dx = step_of(x_.high - x_.low);
    for (double t = std::ceil(x_.low / dx - 1e-9) * dx; t <= x_.high + 1e-9 * dx; t += dx) {
      canvas.line({{px(t), top_}, {px(t), bottom_}}, grid, 1);
      canvas.text(px(t), bottom_ + 20, fmt::format("{:.6g}", std::abs(t) < 1e-9 * dx ? 0 : t), ink,
                  Canvas::Anchor::middle);
    }
    const double dy = log_ ? std::max(1.0, std::ceil((y_.high - y_.low) / 7)) : step_of(y_.high - y_.low);
    for (double v = std::ceil(y_.low / dy) * dy; v <= y_.high; v += dy) {
      canvas.line({{left_, py(v)}, {right_, py(v)}}, grid, 1);
      canvas.text(left_ - 8, py(v) + 6,
                  log_ ? fmt::format("1e{:.0f}", v) : fmt::format("{:.6g}", std::abs(v) < 1e-9 * dy ? 0 : v), ink,
                  Canvas::Anchor::end);
    }
    canvas.line({{left_, top_}, {left_, bottom_}, {right_, bottom_}}, ink, 1);
    canvas.text((left_ + right_) / 2, bottom_ + 42, "time in s", ink, Canvas::Anchor::middle);
  }
  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return top_; }
  double bottom() const { return bottom_; }

 private:
  bool log_;
  double left_ = 110, right_, top_ = 64, bottom_;
  AxisRange x_, y_;
};

// long curves: per column of pixels the first, least, greatest and last value, so that no peak is lost
std::vector<std::vector<PlotPoint>> lines_of(const Plot::Curve& curve, const Axes& axes) {
  std::vector<std::vector<PlotPoint>> lines(1);
  int column = std::numeric_limits<int>::min();
  PlotPoint low{}, high{}, last{};
  auto close = [&] {
    if (column == std::numeric_limits<int>::min()) return;
    for (const PlotPoint& p : {low.x <= high.x ? low : high, low.x <= high.x ? high : low, last})
      if (lines.back().empty() || p.x != lines.back().back().x || p.y != lines.back().back().y)
        lines.back().push_back(p);
    column = std::numeric_limits<int>::min();
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double v = axes.scaled(curve.y[i]);
    if (!std::isfinite(v)) {
      close();
      if (!lines.back().empty()) lines.emplace_back();
      continue;
    }
    const PlotPoint p{axes.px(curve.x[i]), axes.py(v)};
    const int here = static_cast<int>(p.x);
    if (here != column) {
      close();
      column = here;
      low = high = p;
      lines.back().push_back(p);
    }
    if (p.y < low.y) low = p;
    if (p.y > high.y) high = p;
    last = p;
  }
  close();
  return lines;
}

}  // namespace

void draw(const Plot& plot, Canvas& canvas, int w, int h) {
  const Axes axes(plot, w, h);
  canvas.text(axes.left(), 24, plot.title, ink, Canvas::Anchor::start);
  canvas.text(axes.left() - 8, 50, plot.unit, ink, Canvas::Anchor::end);
  axes.frame(canvas);
  double before = -10;
  for (const double t : plot.marks) {
    const double x = axes.px(t);
    if (x - before < 1 || x < axes.left() || x > axes.right()) continue;
    canvas.line({{x, axes.top()}, {x, axes.bottom()}}, event_mark, 1);
    before = x;
  }
  double x = axes.left();
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const Color color = palette[i % most_curves];
    for (const auto& line : lines_of(plot.curves[i], axes)) canvas.line(line, color, 2);
    if (plot.curves.size() > most_curves && i >= most_curves) continue;
    // the legend: as much of it as has room
    const double length = 34 + 10.0 * static_cast<double>(plot.curves[i].name.size());
    if (x + length > axes.right()) continue;
    canvas.line({{x, 44}, {x + 20, 44}}, color, 3);
    canvas.text(x + 26, 50, plot.curves[i].name, ink, Canvas::Anchor::start);
    x += length;
  }
}

namespace {

struct PlotKind {
  const char *name, *title, *before, *behind;  // of the columns' paths
  bool log = false;
};
constexpr PlotKind plot_kinds[] = {{"outputs", "outputs", "outputs/", ""},
                                   {"coordinates", "coordinates", "q/", ""},
                                   {"velocities", "velocities", "v/", ""},
                                   {"states", "states", "states/", ""},
                                   {"gaps", "gaps of the contacts", "contacts/", "/gap"},
                                   {"forces", "contact forces", "contacts/", "/force"},
                                   {"multipliers", "multipliers of the constraints", "lambda/", ""},
                                   {"energy", "energy", "energy/", ""},
                                   {"drift", "drift of the constraints", "drift/", "", true}};

// the plots of one kind, each with a unit of its own, in the order in which their columns come
std::vector<Plot> plots_of(const PlotKind& kind, const Result& r, const std::vector<ReportColumn>& columns) {
  std::vector<Plot> plots;
  const std::string before = kind.before, behind = kind.behind;
  for (const ReportColumn& column : columns) {
    if (!column.id.starts_with(before) || !column.id.ends_with(behind)) continue;
    const std::string unit = column.unit == "SI" ? "" : column.unit;
    auto plot = std::ranges::find(plots, unit, &Plot::unit);
    if (plot == plots.end()) {
      const std::string number = plots.empty() ? "" : fmt::format("-{}", plots.size() + 1);
      plots.push_back({kind.name + number, fmt::format("{}: {}", r.origin.model_name, kind.title), unit, kind.log, {}, {}});
      plot = std::prev(plots.end());
    }
    plot->curves.push_back({column.id.substr(before.size(), column.id.size() - before.size() - behind.size()), r.time, column.values});
  }
  return plots;
}

}  // namespace

std::vector<Plot> plots_of(const Result& r) {
  std::vector<Plot> plots;
  std::vector<double> impacts;
  for (std::size_t i = 0; i < r.events.time.size(); ++i)
    if (r.events.kind[i] == "impact") impacts.push_back(r.events.time[i]);
  const std::vector<ReportColumn> columns = sample_columns(r);
  for (const PlotKind& kind : plot_kinds)
    for (Plot& plot : plots_of(kind, r, columns)) {
      if (!plot.log) plot.marks = impacts;
      plots.push_back(std::move(plot));
    }
  if (!r.steps.time.empty())
    plots.push_back({"steps", fmt::format("{}: step size", r.origin.model_name), "s", true, {{"step", r.steps.time, r.steps.size}}, {}});
  return plots;
}

std::vector<std::string> write_plots(const Result& result, const std::string& name) {
  std::vector<std::string> files;
  for (const Plot& plot : plots_of(result)) {
    const auto canvas = make_svg_canvas(plot_width, plot_height);
    draw(plot, *canvas, plot_width, plot_height);
    files.push_back(fmt::format("{}-{}.svg", name, plot.name));
    canvas->write(files.back());
  }
  return files;
}

}  // namespace escapement
