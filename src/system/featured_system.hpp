// Contacts whose shapes have features, faces, edges and corners: from one to the next the curvature of a gap jumps, and where a sharp
// corner leaves its face also the gap.
#pragma once

#include <vector>

#include "system/state.hpp"

namespace escapement::inline system {

// a System may have such contacts
class FeaturedSystem {
 public:
  virtual ~FeaturedSystem() = default;
  virtual bool has_features() const = 0;
  // which feature each of some contacts lies on at a state, in their order
  virtual void features(const State&, const std::vector<int>& contacts, std::vector<int>& features) const = 0;
};

}  // namespace escapement
