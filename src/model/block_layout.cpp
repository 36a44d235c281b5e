#include "model/block_layout.hpp"

#include <algorithm>
#include <tuple>

namespace escapement {

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

void BlockLayout::add(const double* local, const std::vector<int>& bodies, const std::vector<Place>& blocks,
                      Matrix& to) const {
  double* out = data(to);
  const int count = static_cast<int>(bodies.size()), columns = count * width_;
  const Place* place = blocks.data();
  const auto add_rows = [&](const double* from, int rows, int length, double* corner, int stride) {
    for (int r = 0; r < rows; ++r, corner += stride, from += columns)
      for (int c = 0; c < length; ++c) corner[c * column_stride_] += from[c];
  };
  for (int i = 0; i < count; ++i) {
    const int stride = angular_stride_[bodies[i]];
    for (int j = 0; j < count; ++j, ++place) {
      const double* from = local + i * width_ * columns + j * width_;
      const double* turned = from + linear_ * columns;
      if (place->first < 0) {
        add_rows(turned + linear_, width_ - linear_, width_ - linear_, out + place->angular, stride);
        continue;
      }
      add_rows(from, linear_, width_, out + place->first, linear_stride_[bodies[i]]);
      add_rows(turned, width_ - linear_, width_, out + place->angular - linear_ * column_stride_, stride);
    }
  }
}

void BlockLayout::add_angular(const double* local, int body, Matrix& to) const {
  const int size = width_ - linear_;
  double* corner = data(to) + diagonal_[body];
  for (int r = 0; r < size; ++r, corner += angular_stride_[body])
    for (int c = 0; c < size; ++c) corner[c * column_stride_] += *local++;
}

}  // namespace escapement
