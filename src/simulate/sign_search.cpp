#include "simulate/sign_search.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr std::array<double, 5> places{0, 0.2113, 0.4679, 0.7441, 1};  // no simple fractions, which suit simple periods
}  // namespace

void SignSearch::resize(int most_functions) {
  for (auto& level : inside_)
    for (Vec& v : level) v.setZero(most_functions);
  for (auto& wanted : wanted_) wanted.assign(std::size_t(most_functions), 0);
}

SignSearch::Found SignSearch::search(int n, const std::vector<char>& wanted, const Vec& at_start, const Vec& at_end,
                                     const Vec& noise, const Sample& sample) {
  n_ = n;
  noise_ = &noise;
  sample_ = &sample;
  std::copy_n(wanted.begin(), n, wanted_[0].begin());
  return look(0, 1, at_start, at_end, 0);
}

SignSearch::Course SignSearch::judge(int k, Place place, const std::array<const Vec*, 5>& values, int& node) const {
  std::array<double, 5> f;
  for (std::size_t i = 0; i < 5; ++i) f[i] = (*values[i])[k];
  const double noise = (*noise_)[k];
  // Where its phase begins with it at zero, it has to rise first: the phase would not have begun otherwise, and right
  // behind a start an interpolation may dip where the motion does not
  std::size_t first = 0;
  if (place != Place::within && f[0] <= noise) {
    while (first < 5 && f[first] < -noise) ++first;
    if (first == 5) {
      node = 1;
      return place == Place::whole ? Course::falls : Course::clear;
    }
  }
  for (std::size_t i = first + 1; i < 5; ++i) {
    if (!(f[i] < -noise)) continue;
    node = int(i);
    return Course::falls;
  }
  // Bernstein coefficients of the parabola through three of them, and how it misses the others
  const double x = places[2], middle = (f[2] - (1 - x) * (1 - x) * f[0] - x * x * f[4]) / (2 * x * (1 - x));
  const auto parabola = [&](double u) { return (1 - u) * (1 - u) * f[0] + 2 * u * (1 - u) * middle + u * u * f[4]; };
  const double off = std::max(std::abs(parabola(places[1]) - f[1]), std::abs(parabola(places[3]) - f[3]));
  const double least = std::min({f[0], middle, f[4]});
  if (least - 2 * off > 0) return Course::clear;
  double largest = 0;
  for (double value : f) largest = std::max(largest, std::abs(value));
  // negated, so that values that are not finite are not looked at for ever
  if (!(off > little::touching_fit * largest + noise) && !(least < -noise)) return Course::clear;
  return Course::unclear;
}

SignSearch::Found SignSearch::look(double from, double to, const Vec& at_from, const Vec& at_to, int depth) {
  const std::size_t level = std::size_t(depth);
  const double width = to - from;
  for (std::size_t i = 0; i < 3; ++i) (*sample_)(from + width * places[i + 1], wanted_[level], inside_[level][i]);
  const std::array<const Vec*, 5> values{&at_from, &inside_[level][0], &inside_[level][1], &inside_[level][2], &at_to};
  const Place place = from > 0 ? Place::within : to < 1 ? Place::start : Place::whole;
  int first = 5, falling = -1;
  bool unclear = false;
  for (int k = 0; k < n_; ++k) {
    wanted_[level + 1][std::size_t(k)] = 0;
    if (!wanted_[level][std::size_t(k)]) continue;
    int node = 5;
    const Course course = judge(k, place, values, node);
    wanted_[level + 1][std::size_t(k)] = course == Course::unclear;
    unclear = unclear || course == Course::unclear;
    if (course != Course::falls || node >= first) continue;
    first = node;
    falling = k;
  }
  // whoever takes it looks again before it
  if (falling >= 0)
    return {falling, from + width * places[std::size_t(first - 1)], from + width * places[std::size_t(first)]};
  if (!unclear || depth + 1 == depths) return {};
  const double middle = from + width * places[2];
  const Found found = look(from, middle, at_from, inside_[level][1], depth + 1);
  if (found.function >= 0) return found;
  return look(middle, to, inside_[level][1], at_to, depth + 1);
}

}  // namespace escapement
