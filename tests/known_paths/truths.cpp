// Prints truths.txt: for each model and end time "MODEL COLUMN END AMPLIFICATION" and its positions at equal instants.
// The amplification is the largest change of the path over the size of a nudge (of position or velocity, at one of
// twenty instants). With names: only these models.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "machines.hpp"

namespace {

constexpr double g = 9.81;
constexpr int samples = 50, rough_steps = 40000;

struct Case {
  const char *model, *column;
  double end;
  std::function<std::vector<double>(double end, int steps, Nudge)> path;
};

Obstacle floor_at(double height, double e) {
  return {[=](double) { return height; }, [](double) { return 0.0; }, [](double) { return 0.0; }, e};
}
Obstacle sine_cam(double h, double om, double phase, double e) {
  return {[=](double t) { return h * std::sin(om * t + phase); },
          [=](double t) { return h * om * std::cos(om * t + phase); },
          [=](double t) { return -h * om * om * std::sin(om * t + phase); }, e};
}
Obstacle hammer() {
  const auto pulse = [](double t) { return 0.2 * std::exp(-std::pow((t - 1.3) / 0.02, 2)); };
  const double w2 = 0.02 * 0.02;
  return {[=](double t) { return pulse(t) - 0.1; }, [=](double t) { return -2 * (t - 1.3) / w2 * pulse(t); },
          [=](double t) { return (std::pow(2 * (t - 1.3) / w2, 2) - 2 / w2) * pulse(t); }, 0};
}

auto obstacles(Push push, std::vector<Obstacle> list, Motion start) {
  return
      [=](double end, int steps, Nudge nudge) { return over_obstacles(push, list, start, end, samples, steps, nudge); };
}
auto friction(Push push, double size, double belt, Motion start) {
  return
      [=](double end, int steps, Nudge nudge) { return rubbing(push, size, belt, start, end, samples, steps, nudge); };
}

// along the surface while it pushes, else in free flight; an impact leaves the velocity along the surface
class OverBump {
 public:
  std::vector<double> run(double end, int steps, Nudge nudge) {
    std::vector<double> path{x_};
    const int per_sample = steps / samples;
    const double h = end / (double(samples) * per_sample);
    for (int n = 0; n < samples * per_sample; ++n) {
      if (nudge.t >= n * h && nudge.t < (n + 1) * h && closed_) x_ += nudge.x, vx_ += nudge.v;
      if (closed_ && g + bend(x_) * vx_ * vx_ < 0) {  // a flight begins along the surface: a tiny step late is no error
        closed_ = false;
        y_ = height(x_), vy_ = slope(x_) * vx_;
      }
      closed_ ? slide(h) : fly(h);
      if ((n + 1) % per_sample == 0) path.push_back(x_);
    }
    return path;
  }

 private:
  static double height(double x) { return 0.012 * std::exp(-std::pow((x - 5.1) / 0.03, 2)); }
  static double slope(double x) { return -2 * (x - 5.1) / 9e-4 * height(x); }
  static double bend(double x) { return (std::pow(2 * (x - 5.1) / 9e-4, 2) - 2 / 9e-4) * height(x); }
  static double push(double, double x, double v) {
    return -slope(x) * (g + bend(x) * v * v) / (1 + slope(x) * slope(x));
  }
  void slide(double h) {
    const Motion s = runge_kutta(push, 0, {x_, vx_}, h);
    x_ = s.x, vx_ = s.v;
  }
  double gap(double d) const { return y_ + d * vy_ - g * d * d / 2 - height(x_ + d * vx_); }
  void fly(double h) {
    const bool lands = gap(h) < 0;
    const double d = lands ? halving(h, [this](double part) { return gap(part); }) : h;
    y_ += d * vy_ - g * d * d / 2, x_ += d * vx_, vy_ -= g * d;
    if (!lands) return;
    const double s = slope(x_);
    vx_ = (vx_ + s * vy_) / (1 + s * s);
    closed_ = true;
    slide(h - d);
  }
  double x_ = 0, vx_ = 1, y_ = 0, vy_ = 0;
  bool closed_ = true;
};

const std::vector<Case> cases = [] {
  const Push lift = [](double t, double, double) { return 12 * std::sin(0.7 * t) - g; };
  const Push spring = [](double t, double x, double) { return 40 * std::sin(2 * t) - 100 * (x + 0.2); };
  const Push fall = [](double, double, double) { return -g; };
  const Push fall_mm = [](double, double, double) { return -9810; };
  const Push valve = [](double, double s, double) { return -(2e4 * s + 200) / 0.1; };
  const Push slow = [](double t, double, double) { return 8 * std::sin(0.7 * t); };
  const Push sine = [](double t, double, double) { return g * 0.5 * std::sin(t) + 0.2; };
  const Push wheel = [](double t, double, double) { return (6 * std::sin(t) + 0.5) / 0.5; };
  const Push pull = [](double, double x, double) { return 1 - x; };
  const Push pulse = [](double t, double, double) { return 50 * std::exp(-std::pow((t - 57.3) / 0.02, 2)); };
  std::vector<Case> list;
  for (double longer : {1.0, 10.0}) {
    list.push_back({"lift", "y", 14 * longer, obstacles(lift, {floor_at(0, 0.5)}, {0, 0})});
    list.push_back({"lift_min", "y", 4 * longer, obstacles(lift, {floor_at(0, 0)}, {0, 0})});
    list.push_back({"stickslow", "x", 9 * longer, friction(slow, 5, 0, {0, 0.5})});
    list.push_back({"sticksin", "x", 100 * longer, friction(sine, 0.3 * g, 0, {0, 0})});
    list.push_back({"brake", "wheel.angle", 50 * longer, friction(wheel, 10, 0, {0, 0})});
    list.push_back({"slipdip2", "x", 14 * longer, friction(pull, 0.004 * g, 0.93, {0, 0})});
    list.push_back({"release", "x", 4 * longer, obstacles(spring, {floor_at(0, 0)}, {0, 0})});
    list.push_back({"auto_release", "x", 4 * longer, obstacles(spring, {floor_at(0, 0.5)}, {0, 0})});
  }
  list.push_back({"limit_slow", "s.x", 14, obstacles(lift, {floor_at(0, 0.5)}, {0, 0})});
  list.push_back({"hammer", "s", 3, obstacles(fall, {floor_at(0, 0), hammer()}, {0, 0})});
  list.push_back({"table_and_floor", "y", 5, obstacles(fall, {floor_at(0, 0.5), floor_at(-0.2, 0.5)}, {0.5, 0})});
  list.push_back({"block_two_floors", "s", 3, obstacles(fall, {floor_at(0, 0), floor_at(-0.1, 0)}, {0, 0})});
  list.push_back(
      {"chatter_mm", "y", 3, [=](double end, int steps, Nudge nudge) {  // counted from the floor, for rounding
         auto path = obstacles(fall_mm, {floor_at(0, 0.5)}, {1000, 0})(end, steps, nudge);
         for (double& y : path) y += 100;
         return path;
       }});
  list.push_back({"valve", "s", 0.2, obstacles(valve, {floor_at(0, 0.2), sine_cam(0.008, 300, -0.3, 0.2)}, {0, 0})});
  list.push_back({"pulse", "x", 100, obstacles(pulse, {}, {0, 1})});
  list.push_back(
      {"bump", "x", 10, [](double end, int steps, Nudge nudge) { return OverBump().run(end, steps, nudge); }});
  return list;
}();

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : cases) {
    if (argc > 1 && std::none_of(argv + 1, argv + argc, [&](const char* name) { return std::string(name) == c.model; }))
      continue;
    const int steps = static_cast<int>(std::min(4e6, std::max(1e6, c.end / 2e-5)));
    const auto path = c.path(c.end, steps, {}), coarse = c.path(c.end, steps / 4, {}),
               rough = c.path(c.end, rough_steps, {});
    double amplification = 1;
    constexpr double nudge = 1e-6;
    for (int i = 0; i < 20; ++i)
      for (const Nudge& n : {Nudge{c.end * (i + 0.5) / 20, nudge, 0}, Nudge{c.end * (i + 0.5) / 20, 0, nudge}})
        amplification = std::max(amplification, distance(c.path(c.end, rough_steps, n), rough) / nudge);
    std::printf("%s %s %g %.3g", c.model, c.column, c.end, amplification);
    for (double x : path) std::printf(" %.13g", x);
    std::printf("\n");
    std::fprintf(stderr, "%-18s end %6g: %.12g, two step sizes differ by %.1e, amplification %.3g\n", c.model, c.end,
                 path.back(), distance(path, coarse), amplification);
  }
}
