#include "simulate/sign_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace escapement::sign_search_test {
namespace {

using Functions = std::vector<std::function<double(double)>>;

struct Searched {
  SignSearch::Found found;
  int looks = 0;
};

Searched search(const Functions& functions) {
  const int n = int(functions.size());
  SignSearch search;
  search.resize(n);
  Searched result;
  Vec start(n), end(n), noise = Vec::Constant(n, 1e-12);
  for (int k = 0; k < n; ++k) {
    start[k] = functions[std::size_t(k)](0);
    end[k] = functions[std::size_t(k)](1);
  }
  const SignSearch::Sample sample = [&](double x, const std::vector<char>& wanted, Vec& values) {
    ++result.looks;
    for (int k = 0; k < n; ++k)
      if (wanted[std::size_t(k)]) values[k] = functions[std::size_t(k)](x);
  };
  result.found = search.search(n, std::vector<char>(std::size_t(n), 1), start, end, noise, sample);
  return result;
}

TEST(SignSearch, clearsAtOnceWhatStaysFarFromZero) {
  const Searched s = search({[](double x) { return 3 + std::sin(2 * x); }, [](double x) { return 1 - 0.5 * x; }});
  EXPECT_EQ(s.found.function, -1);
  EXPECT_EQ(s.looks, 3);
}

TEST(SignSearch, findsADipThatTheEndsDoNotShow) {
  for (double place : {0.1, 0.31, 0.5, 0.63, 0.9})
    for (double width : {0.3, 0.2}) {
      const auto dip = [&](double x) { return 1 - 1.02 * std::exp(-std::pow((x - place) / width, 2)); };
      const Searched s = search({[](double) { return 5.0; }, dip});
      ASSERT_EQ(s.found.function, 1) << place << ' ' << width;
      EXPECT_GE(dip(s.found.low), 0);
      EXPECT_LT(dip(s.found.high), 0);
      EXPECT_LT(s.looks, 100);
    }
}

TEST(SignSearch, touchingIsNotFalling) {
  const Searched s = search({[](double x) { return (x - 0.4) * (x - 0.4); }});
  EXPECT_EQ(s.found.function, -1);
}

TEST(SignSearch, whatRisesFromZeroIsClear) {
  EXPECT_EQ(search({[](double x) { return x + x * x; }}).found.function, -1);
  EXPECT_EQ(search({[](double x) { return x - 1e-14; }}).found.function, -1) << "within noise";
  // an interpolation that dips right behind the start, though the phase has begun there
  EXPECT_EQ(search({[](double x) { return x * x - 1e-4 * x; }}).found.function, -1);
  EXPECT_EQ(search({[](double x) { return -x; }}).found.function, 0) << "it never rises";
  EXPECT_EQ(search({[](double x) { return x * (0.6 - x); }}).found.function, 0) << "it rises and falls";
}

TEST(SignSearch, theEarliestOfSeveral) {
  const Searched s = search({[](double x) { return 0.9 - x; }, [](double x) { return 0.3 - x; }});
  EXPECT_EQ(s.found.function, 1);
  EXPECT_LE(s.found.low, 0.3);
  EXPECT_GE(s.found.high, 0.3);
}

TEST(SignSearch, periodsThatSuitSimpleFractionsAreSeen) {
  // zero at quarters, eighths and tenths of the step, below it between them
  for (int n : {4, 5, 8, 10, 16}) {
    const auto wave = [&](double x) { return 0.5 - std::abs(std::sin(std::numbers::pi * n * x)); };
    EXPECT_EQ(search({wave}).found.function, 0) << n;
  }
}

TEST(SignSearch, valuesThatAreNotFiniteEnd) {
  const Searched s = search({[](double x) { return x == 0 ? 1 : std::nan(""); }});
  EXPECT_EQ(s.found.function, -1);
  EXPECT_LT(s.looks, 10);
}

}  // namespace
}  // namespace escapement
