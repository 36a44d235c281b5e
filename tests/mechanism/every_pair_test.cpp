// Every ordered pair of shapes, one dropped on the other, as a model file says it and by what is chosen for it: it runs and is sound, or it
// is refused by its names, with its place.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/model_error.hpp"
#include "io/model_file.hpp"
#include "io/run.hpp"

namespace escapement::every_pair_test {
namespace {

struct Kind {
  const char* name;
  std::string shape, upside_down;  // as the lower one, as the upper one
};

std::string model(int dimension, const Kind& low, const Kind& up, const std::string& how) {
  const bool flat = dimension == 2;
  return std::string("escapement: 1\ndimension: ") + (flat ? "2\ngravity: [0, -9.81]" : "3\ngravity: [0, 0, -9.81]") + "\nbodies:\n  ground: {shapes: [{" +
         low.shape + "}]}\n  up: {mass: 1, " + (flat ? "inertia: 0.01, position: [0.01, 0.42]" : "inertia: [0.01, 0.012, 0.011], position: [0.01, 0.005, 0.42]") +
         ", shapes: [{" + up.upside_down + "}]}\ncontacts:\n  hit: {" + how + ": [ground, up], friction: 0.4, restitution: 0.3}\nsimulation: {end: 0.4}\n";
}

// sound, suspect, failed, or what it is refused with
std::string outcome(const std::string& text) {
  try {
    Model read = read_model("m.yaml", text);
    const RunReport report = run_model(read);
    return report.summary.status == Outcome::Status::completed ? report.summary.verdict() : "failed: " + report.summary.message;
  } catch (const ModelError& error) {
    return error.what();
  }
}

// refused: pairs that are not there
template <class Refused>
void try_all(int dimension, const std::vector<Kind>& kinds, Refused&& refused) {
  for (const Kind& low : kinds)
    for (const Kind& up : kinds)
      for (const std::string how : {"between", "among"}) {
        SCOPED_TRACE(std::string(up.name) + " on " + low.name + ", " + how);
        const std::string found = outcome(model(dimension, low, up, how));
        if (refused(low.name, up.name, how)) {
          EXPECT_EQ(found.substr(0, 7), "m.yaml:") << found;
          const auto key = [](const std::string& shape) { return " " + shape.substr(0, shape.find(':')) + " of '"; };
          EXPECT_NE(found.find(key(low.shape) + "ground'"), std::string::npos) << found;
          EXPECT_NE(found.find(key(up.shape) + "up'"), std::string::npos) << found;
          EXPECT_NE(found.find("which is not available"), std::string::npos) << found;
        } else {
          EXPECT_EQ(found, "sound");
        }
      }
}

Kind kind(const char* name, const std::string& shape, const std::string& upside_down = "") { return {name, shape, upside_down.empty() ? shape : upside_down}; }

TEST(EveryPair, InThePlane) {
  const std::string bowl = "curve: {x: 0.5*cos(phi), y: 0.5 - 0.5*sin(phi), over: [phi, pi/2 - 1, pi/2 + 1]}";
  const std::vector<Kind> kinds{kind("circle", "circle: 0.1"),
                                kind("box", "box: [0.3, 0.2]"),
                                kind("capsule", "capsule: [0.2, 0.1]"),
                                kind("polygon", "polygon: [[-0.15, -0.1], [0.15, -0.1], [0, 0.15]]"),
                                kind("segment", "segment: [[-0.15, 0], [0.15, 0]]"),
                                kind("half_plane", "half_plane: [0, 1]", "half_plane: [0, -1]"),
                                kind("curve", "curve: {x: 0.2*cos(phi), y: 0.1*sin(phi), over: [phi, 0, 2*pi]}"),
                                kind("cam", "cam: {radius: 0.12 + 0.01*cos(phi)}"),
                                kind("wavy", "cam: {radius: 0.12 + 0.02*cos(3*phi)}"),
                                kind("bowl", bowl, bowl + ", angle: pi")};
  const auto is = [](const std::string& one, std::initializer_list<const char*> list) { return std::find(list.begin(), list.end(), one) != list.end(); };
  const auto refused = [&](const std::string& a, const std::string& b, const std::string& how) {
    const auto either = [&](const char* one, std::initializer_list<const char*> others) { return (a == one && is(b, others)) || (b == one && is(a, others)); };
    return (a == "half_plane" && b == "half_plane") || either("wavy", {"box", "capsule", "polygon", "segment", "curve", "cam", "wavy", "bowl"}) ||
           either("bowl", {"curve", "cam", "wavy", "bowl"}) || (how == "among" && either("bowl", {"half_plane"}));
  };
  try_all(2, kinds, refused);
}

TEST(EveryPair, InSpace) {
  const std::string lying = ", orientation: {axis: [0, 1, 0], angle: pi/2}";
  const std::vector<Kind> kinds{kind("sphere", "sphere: 0.1"),
                                kind("box", "box: [0.3, 0.3, 0.2]"),
                                kind("capsule", "capsule: [0.2, 0.1]"),
                                kind("lying capsule", "capsule: [0.2, 0.1]" + lying),
                                kind("cylinder", "cylinder: [0.2, 0.15]"),
                                kind("lying cylinder", "cylinder: [0.2, 0.15]" + lying),
                                kind("half_space", "half_space: [0, 0, 1]", "half_space: [0, 0, -1]"),
                                kind("hull", "hull: [[-0.15, -0.15, -0.1], [0.15, -0.15, -0.1], [0, 0.2, -0.1], [0, 0, 0.2]]")};
  try_all(3, kinds, [](const std::string& a, const std::string& b, const std::string&) { return a == "half_space" && b == "half_space"; });
}

}  // namespace
}  // namespace escapement
