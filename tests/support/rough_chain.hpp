#pragma once

#include <string>

#include "io/model_file.hpp"

namespace escapement::testing {

// links of 0.1 m that hang on a pin and fall on a rough floor, one contact each
inline Model rough_chain(int links, const std::string& gap, double end) {
  return read_model("rough.yaml", R"(escapement: 1
parameters: {n: )" + std::to_string(links) + R"(, l: 0.1}
dimension: 2
gravity: [0, -9.81]
bodies:
  l{k}: {repeat: {k: [1, n]}, mass: 0.1, inertia: 1e-4, position: [(k - 0.5)*l, 0]}
joints:
  p1: {revolute: [ground, l1], at: [0, 0]}
  p{k}: {repeat: {k: [2, n]}, revolute: ["l{k - 1}", "l{k}"], at: [(k - 1)*l, 0]}
contacts:
  f{k}: {repeat: {k: [1, n]}, gap: ")" + gap + R"(", restitution: 0, friction: 0.3, slip: "l{k}.x'"}
simulation: {end: )" + std::to_string(end) + R"(, step: 1e-3}
)");
}

}  // namespace escapement::testing
