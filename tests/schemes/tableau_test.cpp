#include "schemes/tableau.hpp"

#include <gtest/gtest.h>

#include "schemes/hem5_tableau.hpp"

namespace escapement::tableau_test {
namespace {

static_assert(Fraction(6, -8) == Fraction(-3, 4));
static_assert(Fraction(1, 6) + Fraction(1, 3) == Fraction(1, 2));
static_assert(Fraction(3, 4) * Fraction(-2, 9) == Fraction(-1, 6));
static_assert(Fraction(1, 3) - Fraction(1, 3) == Fraction(0));

// HEM5 as an ordinary method: the coefficients are irrational and published with 16 digits, whose row 8 sums to 1
// + 1.6e-13
constexpr double digits = 2e-13;

struct Hem5Arrays {
  Coefficients<double, 9> a{};
  Weights<double, 9> b{}, b3{}, c{};
  Hem5Arrays() {
    for (int i = 0; i < 9; ++i) {
      c[i] = hem5_tableau::c[i];
      for (int j = 0; j < 8; ++j) a[i][j] = hem5_tableau::a[i][j];
    }
    for (int j = 0; j < 8; ++j) {
      b[j] = a[8][j];
      b3[j] = a[7][j];
    }
  }
};

TEST(Tableau, Hem5MeetsTheConditionsOfOrderFive) {
  const Hem5Arrays hem5;
  EXPECT_LT(std::abs(OrderConditions(hem5.a, hem5.b, hem5.c).defect(5)), digits);
}

TEST(Tableau, Hem5sEighthStageIsOfOrderThree) {
  const Hem5Arrays hem5;
  EXPECT_LT(std::abs(OrderConditions(hem5.a, hem5.b3, hem5.c).defect(3)), digits);
  EXPECT_GT(std::abs(OrderConditions(hem5.a, hem5.b3, hem5.c).defect(4)), 1e-3);
}

TEST(Tableau, AWrongCoefficientIsFound) {
  Hem5Arrays hem5;
  hem5.a[4][2] += 1e-9;
  EXPECT_GT(std::abs(OrderConditions(hem5.a, hem5.b, hem5.c).defect(5)), 1e-12);
}

}  // namespace
}  // namespace escapement
