// Random numbers that are the same everywhere: the standard's distributions differ between libraries.
#pragma once

#include <cmath>
#include <cstdint>

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t model, std::uint64_t attempt)
      : state_(seed * 1000003 + model * 8191 + attempt * 131) {
    for (int i = 0; i < 4; ++i) next();
  }
  double uniform(double low, double high) { return low + (high - low) * 0x1p-53 * static_cast<double>(next() >> 11); }
  double logarithmic(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  int below(int n) { return static_cast<int>(next() >> 33) % n; }
  bool chance(double p) { return uniform(0, 1) < p; }
  // three digits: models stay readable
  double value(double low, double high) { return rounded(uniform(low, high)); }
  double size(double low, double high) { return rounded(logarithmic(low, high)); }

 private:
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  static double rounded(double x) {
    if (x == 0) return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 2);
    return std::round(x / unit) * unit;
  }
  std::uint64_t state_;
};
