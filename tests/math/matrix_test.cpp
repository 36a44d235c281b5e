#include "math/matrix.hpp"

#include <gtest/gtest.h>

namespace escapement::matrix_test {
namespace {

// the same numbers in both storages
struct Pair {
  Matrix dense, sparse;
  Pair(int rows, int cols, const std::vector<std::tuple<int, int, double>>& entries) {
    dense.resize(rows, cols);
    std::vector<std::pair<int, int>> places;
    for (auto [i, j, x] : entries) places.emplace_back(i, j);
    sparse.set_pattern(rows, cols, places);
    for (auto [i, j, x] : entries) {
      dense.add(i, j, x);
      sparse.add(i, j, x);
    }
  }
};

void expect_equal(const Matrix& a, const Mat& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.cols(); ++j) EXPECT_DOUBLE_EQ(a(i, j), b(i, j)) << i << ' ' << j;
}

const Pair a(2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 1, -3}});
const Pair b(3, 3, {{0, 1, 4}, {1, 1, 5}, {2, 0, 6}, {2, 2, 7}});

TEST(Matrix, BlocksGoToTheirPlacesInBothStorages) {
  Vec weight(3);
  weight << 1, 0, 2;
  Mat expected = Mat::Zero(4, 6);
  expected.block(0, 0, 2, 3) += 2 * a.dense.dense();
  expected.block(1, 3, 3, 3) += 0.5 * (weight.asDiagonal() * b.dense.dense());
  expected.block(0, 2, 2, 3) -= a.dense.dense();
  Matrix dense, sparse;
  for (int pass = 0; pass < 2; ++pass) {
    dense.set_blocks(4, 6, {{2, &a.dense}, {0.5, &b.dense, 1, 3, &weight}, {-1, &a.dense, 0, 2}});
    sparse.set_blocks(4, 6, {{2, &a.sparse}, {0.5, &b.sparse, 1, 3, &weight}, {-1, &a.sparse, 0, 2}});
    expect_equal(dense, expected);
    EXPECT_TRUE(sparse.is_sparse());
    expect_equal(sparse, expected);
  }
}

TEST(Matrix, RowsThatStickOutAreLeftOut) {
  Matrix dense, sparse;
  dense.set_blocks(2, 3, {{1, &b.dense}});
  sparse.set_blocks(2, 3, {{1, &b.sparse}});
  expect_equal(dense, b.dense.dense().topRows(2));
  expect_equal(sparse, b.dense.dense().topRows(2));
}

TEST(Matrix, ProductsInBothStorages) {
  const Mat expected = a.dense.dense() * b.dense.dense();
  Matrix dense, sparse, mixed;
  for (int pass = 0; pass < 2; ++pass) {
    dense.set_product(a.dense, b.dense);
    sparse.set_product(a.sparse, b.sparse);
    mixed.set_product(a.sparse, b.dense);
    expect_equal(dense, expected);
    expect_equal(sparse, expected);
    expect_equal(mixed, expected);
    EXPECT_TRUE(sparse.is_sparse());
    EXPECT_FALSE(mixed.is_sparse());
  }
}

}  // namespace
}  // namespace escapement
