#include "model/block_layout.hpp"

namespace escapement {

void BlockLayout::build(int bodies, int width, const std::vector<std::vector<int>>& cliques, bool sparse) {
  width_ = width;
  const int n = bodies * width;
  row_stride_.assign(bodies, 1);
  if (sparse) {
    std::vector<std::pair<int, int>> pairs, places;
    for (int b = 0; b < bodies; ++b) pairs.emplace_back(b, b);
    for (const std::vector<int>& clique : cliques)
      for (int i : clique)
        for (int j : clique) pairs.emplace_back(i, j);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (auto [i, j] : pairs)
      for (int r = 0; r < width; ++r)
        for (int c = 0; c < width; ++c) places.emplace_back(width * i + r, width * j + c);
    zero_.set_pattern(n, n, places);
    for (int b = 0; b < bodies; ++b) row_stride_[b] = zero_.row_start()[width * b + 1] - zero_.row_start()[width * b];
    column_stride_ = 1;
  } else {
    zero_.resize(n, n);
    column_stride_ = n;
  }
  diagonal_.resize(bodies);
  for (int b = 0; b < bodies; ++b) diagonal_[b] = place(b, b);
}

int BlockLayout::place(int i, int j) const {
  return zero_.is_sparse() ? zero_.slot(width_ * i, width_ * j) : width_ * j * zero_.rows() + width_ * i;
}

std::vector<int> BlockLayout::blocks(const std::vector<int>& bodies) const {
  std::vector<int> result;
  for (int i : bodies)
    for (int j : bodies) result.push_back(place(i, j));
  return result;
}

void BlockLayout::add(const double* local, const std::vector<int>& bodies, const std::vector<int>& blocks,
                      Matrix& to) const {
  double* out = data(to);
  const std::size_t count = bodies.size(), columns = count * width_;
  const int* block = blocks.data();
  for (std::size_t i = 0; i < count; ++i) {
    const int stride = row_stride_[bodies[i]];
    for (std::size_t j = 0; j < count; ++j) {
      double* corner = out + *block++;
      const double* from = local + i * width_ * columns + j * width_;
      for (int r = 0; r < width_; ++r, corner += stride, from += columns)
        for (int c = 0; c < width_; ++c) corner[c * column_stride_] += from[c];
    }
  }
}

void BlockLayout::add_diagonal(const double* local, int body, Matrix& to) const {
  double* corner = data(to) + diagonal_[body];
  for (int r = 0; r < width_; ++r, corner += row_stride_[body])
    for (int c = 0; c < width_; ++c) corner[c * column_stride_] += local[r * width_ + c];
}

}  // namespace escapement
