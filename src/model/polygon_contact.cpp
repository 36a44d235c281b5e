#include "model/polygon_contact.hpp"

#include "model/feature_contact.hpp"

namespace escapement::inline model {

namespace {

// a point of one body in the frame of another
Vector<2> seen(const Motion<2>& m, int from, int body, const Vector<2>& p) {
  const Frame<2>&A = m[from], &B = m[body];
  return A.R.transpose() * (B.x + B.R * p - A.x);
}

// faces first, then corners
class NearestFeature : public FeatureChoice<2> {
 public:
  NearestFeature(PlacedPolygon polygon, const Ball<2>& ball) : polygon_(std::move(polygon)), ball_(ball) {}
  int choose(const Motion<2>& m) const override { return polygon_.nearest(seen(m, polygon_.body, ball_.body, ball_.centre)).feature; }

 private:
  PlacedPolygon polygon_;
  Ball<2> ball_;
};

class FaceOfCorner : public FeatureChoice<2> {
 public:
  FaceOfCorner(PlacedPolygon polygon, PlacedPolygon other, std::size_t corner)
      : polygon_(std::move(polygon)), other_(std::move(other)), corner_(corner) {}
  int choose(const Motion<2>& m) const override {
    thread_local PlacedPolygon from_here;  // the other one; room that is kept, of each thread its own
    from_here = other_;
    for (Vector<2>& corner : from_here.corners) corner = seen(m, polygon_.body, other_.body, corner);
    return polygon_.in_front(from_here.corners[corner_], from_here).feature;
  }

 private:
  PlacedPolygon polygon_, other_;
  std::size_t corner_;
};

}  // namespace

ShapeContact<2> polygon_with_ball(const ShapeContacts<2>& make, const PlacedPolygon& polygon, const Ball<2>& ball) {
  std::vector<ShapeContact<2>> features;
  const std::size_t n = polygon.corners.size();
  for (std::size_t k = 0; k < n; ++k) features.push_back(make.part(k).over(polygon.face(k), ball));
  for (std::size_t k = 0; k < n; ++k) features.push_back(make.part(n + k).beside(polygon.corner(k), ball));
  return make_feature_contact<2>(std::make_shared<NearestFeature>(polygon, ball), std::move(features));
}

ShapeContact<2> polygon_with_corner(const ShapeContacts<2>& make, const PlacedPolygon& polygon, const PlacedPolygon& other, std::size_t k) {
  if (polygon.radius + other.radius > 0) return polygon_with_ball(make, polygon, other.corner(k));
  std::vector<ShapeContact<2>> features;
  for (std::size_t i = 0; i < polygon.corners.size(); ++i) features.push_back(make.part(i).over(polygon.face(i), other.corner(k)));
  return make_feature_contact<2>(std::make_shared<FaceOfCorner>(polygon, other, k), std::move(features));
}

}  // namespace escapement
