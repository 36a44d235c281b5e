#include "model/force.hpp"

#include <algorithm>

namespace escapement {

template <int D>
void Force<D>::set_bodies(std::vector<int> bodies) {
  std::erase(bodies, ground);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  bodies_ = std::move(bodies);
}

template <int D>
int Force<D>::local(int body) const {
  const auto place = std::find(bodies_.begin(), bodies_.end(), body);
  return place == bodies_.end() ? -1 : width<D> * static_cast<int>(place - bodies_.begin());
}

template class Force<2>;
template class Force<3>;

}  // namespace escapement
