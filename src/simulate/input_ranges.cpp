#include "simulate/input_ranges.hpp"

#include <algorithm>

namespace escapement::inline simulate {

namespace {

// Bernstein coefficients on [0, 1] of the quartic with these values at the nodes
std::array<double, 5> bernstein(const std::array<double, 5>& f) {
  return {f[0], (-13 * f[0] + 48 * f[1] - 36 * f[2] + 16 * f[3] - 3 * f[4]) / 12,
          (13 * f[0] - 64 * f[1] + 120 * f[2] - 64 * f[3] + 13 * f[4]) / 18,
          (-3 * f[0] + 16 * f[1] - 36 * f[2] + 48 * f[3] - 13 * f[4]) / 12, f[4]};
}

// de Casteljau: the coefficients on the part before x, or behind it
void cut(std::array<double, 5>& b, double x, bool keep_front) {
  std::array<double, 5> front{}, work = b;
  for (int k = 0; k < 5; ++k) {
    front[std::size_t(k)] = work[0];
    for (int i = 0; i + 1 < 5 - k; ++i)
      work[std::size_t(i)] = (1 - x) * work[std::size_t(i)] + x * work[std::size_t(i + 1)];
  }
  b = keep_front ? front : work;
}

template <std::size_t N>
Interval range_of(const std::array<double, N>& b) {
  return {*std::min_element(b.begin(), b.end()), *std::max_element(b.begin(), b.end())};
}

}  // namespace

void InputRanges::resize(std::size_t inputs) {
  coefficients_.resize(inputs);
  in_.resize(inputs);
}

void InputRanges::fit() {
  for (Bernstein& b : coefficients_) b = bernstein(b);
}

void InputRanges::part(double from, double to, std::span<Enclosure> pieces) const {
  for (std::size_t i = 0; i < coefficients_.size(); ++i) {
    Bernstein b = coefficients_[i];
    if (to < 1) cut(b, to, true);
    if (from > 0) cut(b, from / to, false);
    pieces[i].value = range_of(b);
    const double duration = (to - from) * h_;
    if (duration > 0) {
      const std::array<double, 4> rates{4 * (b[1] - b[0]) / duration, 4 * (b[2] - b[1]) / duration,
                                        4 * (b[3] - b[2]) / duration, 4 * (b[4] - b[3]) / duration};
      pieces[i].rate = range_of(rates);
    } else {
      pieces[i].rate = Interval::everything();
    }
  }
}

void InputRanges::end(std::span<Enclosure> pieces) const {
  for (std::size_t i = 0; i < coefficients_.size(); ++i) {
    const Bernstein& b = coefficients_[i];
    const double rate = 4 * (b[4] - b[3]) / h_;
    pieces[i] = {{b[4], b[4]}, {rate, rate}};
  }
}

}  // namespace escapement
