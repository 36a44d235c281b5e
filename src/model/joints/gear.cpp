// Gear: two coordinates of joints move in a fixed ratio.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

template <int D>
Joint<D> gear(const std::string& name, MeasurePtr<D> coordinate_a, double start_a, MeasurePtr<D> coordinate_b,
              double start_b, double ratio) {
  Joint<D> joint;
  joint.name = name;
  joint.a = coordinate_a->b();
  joint.b = coordinate_b->b();
  joint.rows.push_back(
      {"", {{1, std::move(coordinate_b)}, {-ratio, std::move(coordinate_a)}}, start_b - ratio * start_a});
  return joint;
}

template Joint<2> gear<2>(const std::string&, MeasurePtr<2>, double, MeasurePtr<2>, double, double);
template Joint<3> gear<3>(const std::string&, MeasurePtr<3>, double, MeasurePtr<3>, double, double);

}  // namespace escapement
