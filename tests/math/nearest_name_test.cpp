#include "math/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace escapement::nearest_name_test {
namespace {

const std::vector<std::string> known{"theta", "theta'", "mass", "length", "l", "pin.angle", "tolerance"};

TEST(NearestName, distance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(NearestName, finds_misspellings) {
  EXPECT_EQ(nearest_name("thet", known), "theta");
  EXPECT_EQ(nearest_name("torsional_spring", std::vector<std::string>{"spring", "torsional_spring_damper"}), "torsional_spring_damper");
  EXPECT_EQ(nearest_name("thteta'", known), "theta'");
  EXPECT_EQ(nearest_name("Mass", known), "mass");
  EXPECT_EQ(nearest_name("pin.agnle", known), "pin.angle");
  EXPECT_EQ(nearest_name("tolerence", known), "tolerance");
}

TEST(NearestName, is_silent_when_nothing_is_near) {
  EXPECT_EQ(nearest_name("velocity", known), "");
  EXPECT_EQ(nearest_name("q", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'a'), known), "");
  EXPECT_EQ(did_you_mean("velocity", known), "");
  EXPECT_EQ(did_you_mean("masss", known), "; did you mean 'mass'?");
}

}  // namespace
}  // namespace escapement
