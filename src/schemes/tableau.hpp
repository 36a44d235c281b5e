// Runge-Kutta tableaux as exact fractions, and the order conditions they are proven with at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace escapement::inline schemes {

// an exact fraction, always in lowest terms; an overflow in a constant expression does not compile
class Fraction {
 public:
  constexpr Fraction(std::int64_t num = 0, std::int64_t den = 1) : Fraction(Reduced{}, num, den) {}
  constexpr double value() const { return static_cast<double>(num_) / static_cast<double>(den_); }

  friend constexpr Fraction operator+(Fraction x, Fraction y) {
    const Wide common = gcd(x.den_, y.den_);
    return {Reduced{}, x.num_ * (y.den_ / common) + y.num_ * (x.den_ / common), x.den_ / common * y.den_};
  }
  friend constexpr Fraction operator*(Fraction x, Fraction y) {
    const Fraction a{Reduced{}, x.num_, y.den_}, b{Reduced{}, y.num_, x.den_};
    return {Reduced{}, a.num_ * b.num_, a.den_ * b.den_};
  }
  friend constexpr Fraction operator-(Fraction x, Fraction y) { return x + Fraction(-1) * y; }
  friend constexpr bool operator==(const Fraction&, const Fraction&) = default;

 private:
  __extension__ using Wide = __int128;
  struct Reduced {};

  static constexpr Wide gcd(Wide a, Wide b) {
    if (a < 0) a = -a;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest < 0 ? -rest : rest;
    }
    return a;
  }
  constexpr Fraction(Reduced, Wide num, Wide den) {
    const Wide common = gcd(num, den);
    num_ = num / common * (den < 0 ? -1 : 1);
    den_ = den / common * (den < 0 ? -1 : 1);
  }

  Wide num_ = 0, den_ = 1;
};

template <class Number, std::size_t stages>
using Weights = std::array<Number, stages>;
template <class Number, std::size_t stages>
using Coefficients = std::array<Weights<Number, stages>, stages>;  // a_ij, row by row

// an explicit method with an embedded one; c_i = sum_j a_ij is a condition, not a definition
template <std::size_t s>
struct Tableau {
  static constexpr int stages = static_cast<int>(s);
  Weights<Fraction, s> c{};
  Coefficients<Fraction, s> a{};
  Weights<Fraction, s> b{};      // the result that is propagated
  Weights<Fraction, s> b_hat{};  // the embedded result; all zero: none
};

template <std::size_t n>
constexpr std::array<double, n> to_double(const std::array<Fraction, n>& x) {
  std::array<double, n> y{};
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i].value();
  return y;
}

template <std::size_t n, std::size_t m>
constexpr std::array<std::array<double, m>, n> to_double(const std::array<std::array<Fraction, m>, n>& x) {
  std::array<std::array<double, m>, n> y{};
  for (std::size_t i = 0; i < n; ++i) y[i] = to_double(x[i]);
  return y;
}

// The conditions of order p, one per rooted tree with p nodes: b . u = 1/gamma, u made of c, products and
// multiplications with a. defect() is the largest violation up to the order asked for (at most 5): exactly 0 for
// fractions.
template <class Number, std::size_t s>
class OrderConditions {
 public:
  using Vector = Weights<Number, s>;
  constexpr OrderConditions(const Coefficients<Number, s>& a, const Vector& b, const Vector& c) : a_(a), b_(b), c_(c) {}

  constexpr bool hold(int order) const { return defect(order) == Number(0); }

  constexpr Number defect(int order) const {
    const Vector& c = c_;
    const Vector c2 = times(c, c), ac = apply(c), ac2 = apply(c2), aac = apply(ac);
    Number worst = row_sums();
    auto require = [&](const Vector& u, int gamma) {
      Number sum = Number(0) - Number(1) * inverse(gamma);
      for (std::size_t i = 0; i < s; ++i) sum = sum + b_[i] * u[i];
      worst = larger(worst, sum);
    };
    Vector one{};
    for (Number& x : one) x = Number(1);
    require(one, 1);
    if (order >= 2) require(c, 2);
    if (order >= 3) {
      require(c2, 3);
      require(ac, 6);
    }
    if (order >= 4) {
      require(times(c, c2), 4);
      require(times(c, ac), 8);
      require(ac2, 12);
      require(aac, 24);
    }
    if (order >= 5) {
      require(times(c2, c2), 5);
      require(times(c2, ac), 10);
      require(times(c, ac2), 15);
      require(times(c, aac), 30);
      require(times(ac, ac), 20);
      require(apply(times(c, c2)), 20);
      require(apply(times(c, ac)), 40);
      require(apply(ac2), 60);
      require(apply(aac), 120);
    }
    return worst;
  }

 private:
  static constexpr Number inverse(int n) {
    if constexpr (std::is_same_v<Number, Fraction>)
      return Fraction(1, n);
    else
      return Number(1) / n;
  }
  static constexpr Number larger(Number x, Number y) {
    if constexpr (std::is_same_v<Number, Fraction>)
      return x == Fraction(0) ? y : x;
    else
      return (x < 0 ? -x : x) < (y < 0 ? -y : y) ? y : x;
  }
  constexpr Vector times(const Vector& x, const Vector& y) const {
    Vector z{};
    for (std::size_t i = 0; i < s; ++i) z[i] = x[i] * y[i];
    return z;
  }
  constexpr Vector apply(const Vector& x) const {
    Vector z{};
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t j = 0; j < s; ++j) z[i] = z[i] + a_[i][j] * x[j];
    return z;
  }
  constexpr Number row_sums() const {
    Number worst = Number(0);
    for (std::size_t i = 0; i < s; ++i) {
      Number sum = Number(0) - c_[i];
      for (std::size_t j = 0; j < s; ++j) sum = sum + a_[i][j];
      worst = larger(worst, sum);
    }
    return worst;
  }

  const Coefficients<Number, s>& a_;
  const Vector& b_;
  const Vector& c_;
};

template <std::size_t s>
constexpr bool order_conditions_hold(const Tableau<s>& t, const Weights<Fraction, s>& b, int order) {
  return OrderConditions<Fraction, s>(t.a, b, t.c).hold(order);
}

}  // namespace escapement
