#include "model/row_group.hpp"

#include <algorithm>

namespace escapement::inline model {

std::vector<int> moving_bodies(std::vector<int> bodies) {
  std::erase(bodies, ground);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

template <int D>
void RowGroup<D>::set_bodies(std::vector<int> bodies, int count) {
  bodies_ = moving_bodies(std::move(bodies));
  count_ = count;
}

template <int D>
MeasurePlaces<D> places_in(const std::vector<int>& bodies, const Measure<D>& measure) {
  return {first_column(bodies, measure.a(), width<D>), first_column(bodies, measure.b(), width<D>)};
}

int first_column(const std::vector<int>& bodies, int body, int width) {
  const auto place = std::find(bodies.begin(), bodies.end(), body);
  return place == bodies.end() ? -1 : width * static_cast<int>(place - bodies.begin());
}

template <int D>
void MeasurePlaces<D>::add(double factor, const Gradient<D>& g, double* row) const {
  for (int i = 0; i < width<D> && a >= 0; ++i) row[a + i] += factor * g.a[i];
  for (int i = 0; i < width<D> && b >= 0; ++i) row[b + i] += factor * g.b[i];
}

template <int D>
void MeasurePlaces<D>::add(const PairMatrix<D>& H, int columns, double* K, bool turns_only) const {
  const int from[] = {0, width<D>}, to[] = {a, b}, first = turns_only ? D : 0;
  for (int p = 0; p < 2; ++p)
    for (int q = 0; q < 2; ++q) {
      if (to[p] < 0 || to[q] < 0) continue;
      for (int i = first; i < width<D>; ++i)
        for (int j = first; j < width<D>; ++j) K[(to[p] + i) * columns + to[q] + j] += H(from[p] + i, from[q] + j);
    }
}

template <int D>
void MeasurePlaces<D>::add_product(double factor, const Gradient<D>& g, const double* row, int columns,
                                   double* K) const {
  for (int i = 0; i < width<D>; ++i)
    for (int j = 0; j < columns; ++j) {
      if (a >= 0) K[(a + i) * columns + j] += factor * g.a[i] * row[j];
      if (b >= 0) K[(b + i) * columns + j] += factor * g.b[i] * row[j];
    }
}

template class RowGroup<2>;
template class RowGroup<3>;
template struct MeasurePlaces<2>;
template struct MeasurePlaces<3>;
template MeasurePlaces<2> places_in<2>(const std::vector<int>&, const Measure<2>&);
template MeasurePlaces<3> places_in<3>(const std::vector<int>&, const Measure<3>&);

}  // namespace escapement
