#include "model/row_group.hpp"

#include <algorithm>

namespace escapement {

template <int D>
void RowGroup<D>::set_bodies(std::vector<int> bodies, int count) {
  std::erase(bodies, ground);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  bodies_ = std::move(bodies);
  count_ = count;
}

template <int D>
int RowGroup<D>::local(int body) const {
  const auto place = std::find(bodies_.begin(), bodies_.end(), body);
  return place == bodies_.end() ? -1 : width<D> * static_cast<int>(place - bodies_.begin());
}

template <int D>
void MeasurePlaces<D>::add(double factor, const Gradient<D>& g, double* row) const {
  for (int i = 0; i < width<D> && a >= 0; ++i) row[a + i] += factor * g.a[i];
  for (int i = 0; i < width<D> && b >= 0; ++i) row[b + i] += factor * g.b[i];
}

template <int D>
void MeasurePlaces<D>::add(const PairMatrix<D>& H, int columns, double* K) const {
  const int from[] = {0, width<D>}, to[] = {a, b};
  for (int p = 0; p < 2; ++p)
    for (int q = 0; q < 2; ++q) {
      if (to[p] < 0 || to[q] < 0) continue;
      for (int i = 0; i < width<D>; ++i)
        for (int j = 0; j < width<D>; ++j) K[(to[p] + i) * columns + to[q] + j] += H(from[p] + i, from[q] + j);
    }
}

template class RowGroup<2>;
template class RowGroup<3>;
template struct MeasurePlaces<2>;
template struct MeasurePlaces<3>;

}  // namespace escapement
