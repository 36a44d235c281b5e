// One contact of several features, like the faces and corners of a polygon: for every position one of them is chosen, and its
// gap and slips are the contact's. The gap goes over from feature to feature with a continuous gradient, and only its curvature jumps;
// but where a sharp corner leaves its face it begins to open.
#pragma once

#include "model/shape_contact.hpp"

namespace escapement::inline model {

template <int D>
class FeatureChoice {
 public:
  virtual ~FeatureChoice() = default;
  virtual int choose(const Motion<D>&) const = 0;
  virtual std::size_t scratch_size() const { return 0; }
};

// all features are of the same two bodies
template <int D>
ShapeContact<D> make_feature_contact(std::shared_ptr<const FeatureChoice<D>>, std::vector<ShapeContact<D>> features);

}  // namespace escapement
