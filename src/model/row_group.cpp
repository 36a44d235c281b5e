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
  const auto put = [&](int at, const Velocity<D>& x) {
    if (at < 0) return;
    double* const to = row + at;
#pragma GCC unroll 6
    for (int i = 0; i < width<D>; ++i) to[i] += factor * x[i];
  };
  put(a, g.a);
  put(b, g.b);
}

namespace {

// the rows and columns of H from `first` on, in each of its blocks
template <int D, int first>
void add_blocks(const MeasurePlaces<D>& places, const PairMatrix<D>& H, int columns, double* K) {
  const int from[] = {0, width<D>}, to[] = {places.a, places.b};
  for (int p = 0; p < 2; ++p)
    for (int q = 0; q < 2; ++q) {
      if (to[p] < 0 || to[q] < 0) continue;
      double* row = K + (to[p] + first) * columns + to[q];
      for (int i = first; i < width<D>; ++i, row += columns)
#pragma GCC unroll 6
        for (int j = first; j < width<D>; ++j) row[j] += H(from[p] + i, from[q] + j);
    }
}

}  // namespace

template <int D>
void MeasurePlaces<D>::add(const PairMatrix<D>& H, int columns, double* K, bool turns_only) const {
  turns_only ? add_blocks<D, D>(*this, H, columns, K) : add_blocks<D, 0>(*this, H, columns, K);
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
