// Contacts of shapes that come and go: found anew where a step begins, known from step to step by their ids.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "system/state.hpp"

namespace escapement::inline system {

// how a pair of bodies touches
struct TouchLaw {
  int contact = 0;  // of TouchingBodies: whom its forces belong to
  double restitution = 0, friction = 0;
  double rolling = 0, spinning = 0;  // lengths: the moment that resists is at most this times the normal force
};

// what stays the same throughout a run
struct TouchingBodies {
  int width = 6;                      // velocities of a body: 3 in the plane, 6 in space
  std::vector<double> extent;         // of each body: the farthest point of its shapes from its centre of mass
  std::vector<std::string> names;     // of the bodies
  std::vector<std::string> contacts;  // as the model names them
  std::vector<TouchLaw> laws;
  std::string why;                    // they are found and have no rows: who asks for it, like "'among'"
};

// where the shapes of two bodies touch, or nearly do. In the plane z is 0
struct ContactPoint {
  std::uint64_t id = 0;  // of the pair and the feature by which it touches: the same from step to step
  int a = -1, b = -1;    // bodies, -1: the ground
  int law = 0;           // of TouchingBodies
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // of the world, midway between the surfaces
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  // of the world, from a to b
  double gap = 0;
};

// a body's centre of mass, and its axes in the world
struct BodyPlace {
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
};

// belongs to one run: it has a workspace of its own
class ContactSearch {
 public:
  virtual ~ContactSearch() = default;
  // the points of all pairs that are nearer than their bodies reach together, ids ascending. The ground reaches nowhere
  virtual void find(const State&, const std::vector<double>& reach, std::vector<ContactPoint>& points) = 0;
  virtual const std::vector<BodyPlace>& places() const = 0;  // of the bodies, at the last find()
};

// a System may have such contacts beside those that have rows
class TouchingSystem {
 public:
  virtual ~TouchingSystem() = default;
  virtual const TouchingBodies* touching() const = 0;  // nullptr: none
  virtual std::unique_ptr<ContactSearch> make_search() const = 0;
};

}  // namespace escapement
