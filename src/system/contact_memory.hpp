// What a step leaves of the contacts that it found, as part of the state: the next step starts from their forces, found again by id.
#pragma once

#include <vector>

#include "system/contact_search.hpp"

namespace escapement::inline system {

struct ActingContact {
  ContactPoint at;                                   // where the step began
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   // on b, its mean over the step
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  // on b: resistance to rolling and spinning
  double approach = 0;  // rate < 0 of a gap that was still open and closes with this step: the impact comes in the next
};

struct ContactMemory {
  double penetration = 0;  // at the end of the step; a length
  double sunk = 0;         // the same over the size of the smaller body
  double step_energy = 0;  // kinetic, that forces would give all bodies in the step from rest without contacts
  std::vector<ActingContact> contacts;  // ids ascending

  // in State::memory, as one vector of numbers
  void keep(Memory&) const;
  void recall(const Memory&);  // nothing where it holds none
};

}  // namespace escapement
