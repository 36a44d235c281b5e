#include "math/ratio.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>

namespace escapement::inline math {
namespace {

bool is_exact_integer(TracedNumber a) {
  return TracedNumber::ask([](double x, double) { return x == std::trunc(x) && std::abs(x) < 9e15; }, a);
}

bool is_power_of_two(TracedNumber a) {
  const auto question = [](double x, double) {
    int exponent;
    return std::frexp(x, &exponent) == 0.5 && std::abs(exponent) < 1000;
  };
  return TracedNumber::ask(question, a);
}

Ratio reduced(TracedNumber num, TracedNumber den) {
  if (den < 0) num = -num, den = -den;
  if (num == den) return {1, 1};
  if (num == -den) return {-1, 1};
  if (is_power_of_two(den)) return {num / den, 1};
  if (is_exact_integer(num) && is_exact_integer(den) && num != 0) {
    const double g = double(std::gcd(std::int64_t(num.fixed()), std::int64_t(den.fixed())));
    num = num / g, den = den / g;
    if (is_power_of_two(den)) return {num / den, 1};
  }
  if (num == 0 || !isfinite(num) || !isnormal(den)) return {num / den, 1};
  return {num, den};
}

}  // namespace

Ratio operator*(Ratio a, Ratio b) {
  if (a.den == 1 && b.den == 1) return {a.num * b.num, 1};
  // cancel crosswise first: the products stay small and exact
  const Ratio x = reduced(a.num, b.den), y = reduced(b.num, a.den);
  return reduced(x.num * y.num, x.den * y.den);
}

Ratio operator+(Ratio a, Ratio b) {
  if (a.den == b.den) return reduced(a.num + b.num, a.den);
  const bool exact = is_exact_integer(a.num * b.den) && is_exact_integer(b.num * a.den) &&
                     is_exact_integer(a.den * b.den) && is_exact_integer(a.den) && is_exact_integer(b.den);
  if (exact) return reduced(a.num * b.den + b.num * a.den, a.den * b.den);
  return {a.value() + b.value(), 1};
}

Ratio quotient(TracedNumber num, TracedNumber den) { return reduced(num, den); }

Ratio integer_power(Ratio a, double n) {
  const TracedNumber num = raised(a.num, std::abs(n)), den = raised(a.den, std::abs(n));
  return n < 0 ? reduced(den, num) : reduced(num, den);
}

bool is_normal(Ratio a) { return isnormal(a.num) && isnormal(a.den) && isnormal(a.value()); }

}  // namespace escapement
