#include "model/frame.hpp"

#include <cmath>

namespace escapement::inline model {

template <int D>
void set_frames(const State& s, int bodies, Frame<D>* frames) {
  frames[0] = Frame<D>{};
  for (int b = 0; b < bodies; ++b) {
    Frame<D>& frame = frames[b + 1];
    const double* q = s.q.data() + places<D> * b;
    const double* v = s.v.data() + width<D> * b;
    frame.x = Eigen::Map<const Vector<D>>(q);
    frame.v = Eigen::Map<const Vector<D>>(v);
    frame.w = Eigen::Map<const Angular<D>>(v + D);
    frame.orientation = Eigen::Map<const Orientation<D>>(q + D);
    if constexpr (D == 2) {
      const double c = std::cos(q[2]), sine = std::sin(q[2]);
      frame.R << c, -sine, sine, c;
    } else {
      frame.R = rotation_matrix(frame.orientation);
    }
  }
}

template void set_frames<2>(const State&, int, Frame<2>*);
template void set_frames<3>(const State&, int, Frame<3>*);

}  // namespace escapement
