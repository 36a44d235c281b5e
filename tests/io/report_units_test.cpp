// Units of a report's columns, as the model's text says them.
#include "io/report_units.hpp"

#include <gtest/gtest.h>

namespace escapement::report_units_test {
namespace {

using Units = std::map<std::string, std::string>;

TEST(ReportUnits, AreThoseOfTheText) {
  EXPECT_EQ(units_in(R"(escapement: 1
coordinates: {x: {start: 1, unit: m}, y: {}}
states: {current: {rate: x, unit: A}}
outputs: {pull: {value: 3*x, unit: N}, plain: x}
contacts: {stop: {gap: 1 - x, unit: rad}}
)"),
            (Units{{"q/x", "m"}, {"v/x", "m/s"}, {"states/current", "A"}, {"outputs/pull", "N"}, {"contacts/stop/gap", "rad"}, {"contacts/stop/gap_rate", "rad/s"}}));
}

TEST(ReportUnits, OfFrictionFollowItsJoint) {
  EXPECT_EQ(units_in(R"(joints: {pin: {revolute: [a, b]}, guide: {prismatic: [a, b]}, sleeve: {cylindrical: [a, b]}}
forces: {one: {friction: pin, size: 1}, two: {friction: guide, size: 1}, three: {friction: sleeve, size: 1}, four: {friction: sleeve, size: 1, coordinate: length}, push: {force: a}}
)"),
            (Units{{"brakes/one/force", "N m"}, {"brakes/two/force", "N"}, {"brakes/three/force", "N m"}, {"brakes/four/force", "N"}}));
}

TEST(ReportUnits, OfNoModelAreNone) {
  for (const char* text : {"", "[1, 2]", "a: {b", "coordinates: x"}) EXPECT_TRUE(units_in(text).empty()) << text;
}

}  // namespace
}  // namespace escapement
