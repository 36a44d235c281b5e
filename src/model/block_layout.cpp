#include "model/block_layout.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>

namespace escapement::inline model {

void BlockLayout::build(int bodies, int linear, int width, const std::vector<Clique>& cliques, bool sparse) {
  linear_ = linear;
  width_ = width;
  const int n = bodies * width;
  linear_stride_.assign(bodies, 1);
  angular_stride_.assign(bodies, 1);
  if (sparse) {
    std::vector<std::tuple<int, int, bool>> pairs;
    for (const Clique& clique : cliques)
      for (int i : clique.bodies)
        for (int j : clique.bodies) pairs.emplace_back(i, j, clique.angular_only);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<std::pair<int, int>> places;
    for (auto [i, j, angular_only] : pairs)
      for (int r = angular_only ? linear : 0; r < width; ++r)
        for (int c = angular_only ? linear : 0; c < width; ++c) places.emplace_back(width * i + r, width * j + c);
    zero_.set_pattern(n, n, places);
    const auto length = [&](int row) { return zero_.row_start()[row + 1] - zero_.row_start()[row]; };
    for (int b = 0; b < bodies; ++b) {
      linear_stride_[b] = length(width * b);
      angular_stride_[b] = length(width * b + linear);
    }
    column_stride_ = 1;
  } else {
    zero_.resize(n, n);
    column_stride_ = n;
  }
  diagonal_.resize(bodies);
  for (int b = 0; b < bodies; ++b) diagonal_[b] = place(b, b).angular;
}

BlockLayout::Place BlockLayout::place(int i, int j) const {
  const auto at = [&](int row, int col) { return zero_.is_sparse() ? zero_.slot(row, col) : col * zero_.rows() + row; };
  return {at(width_ * i, width_ * j), at(width_ * i + linear_, width_ * j + linear_)};
}

std::vector<BlockLayout::Place> BlockLayout::blocks(const std::vector<int>& bodies) const {
  std::vector<Place> result;
  for (int i : bodies)
    for (int j : bodies) result.push_back(place(i, j));
  return result;
}

namespace {
// adds the rows of a block that stand `from_stride` and `stride` apart, of a length known beforehand
template <int length>
void add_rows(const double* from, int from_stride, int rows, double* corner, int stride, int column_stride) {
  for (int r = 0; r < rows; ++r, corner += stride, from += from_stride)
    if (column_stride == 1) {
      for (int c = 0; c < length; ++c) corner[c] += from[c];
    } else {
      for (int c = 0; c < length; ++c) corner[c * column_stride] += from[c];
    }
}
}  // namespace

void BlockLayout::add(const double* local, const std::vector<int>& bodies, const std::vector<Place>& blocks,
                      Matrix& to) const {
  double* out = data(to);
  const int count = static_cast<int>(bodies.size());
  const Place* place = blocks.data();
  const auto add_all = [&](auto linear_size, auto width_size) {
    constexpr int linear = linear_size, width = width_size, angular = width - linear;
    const int columns = count * width;
    for (int i = 0; i < count; ++i) {
      const int linear_stride = linear_stride_[bodies[i]], stride = angular_stride_[bodies[i]];
      for (int j = 0; j < count; ++j, ++place) {
        const double* from = local + i * width * columns + j * width;
        const double* turned = from + linear * columns;
        if (place->first < 0) {
          add_rows<angular>(turned + linear, columns, angular, out + place->angular, stride, column_stride_);
          continue;
        }
        add_rows<width>(from, columns, linear, out + place->first, linear_stride, column_stride_);
        add_rows<width>(turned, columns, angular, out + place->angular - linear * column_stride_, stride, column_stride_);
      }
    }
  };
  if (width_ == 3) {
    add_all(std::integral_constant<int, 2>{}, std::integral_constant<int, 3>{});
  } else {
    add_all(std::integral_constant<int, 3>{}, std::integral_constant<int, 6>{});
  }
}

void BlockLayout::add_angular(const double* local, int body, Matrix& to) const {
  const int size = width_ - linear_;
  double* corner = data(to) + diagonal_[body];
  for (int r = 0; r < size; ++r, corner += angular_stride_[body])
    for (int c = 0; c < size; ++c) corner[c * column_stride_] += *local++;
}

}  // namespace escapement
