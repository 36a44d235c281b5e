#include "math/column_turn.hpp"

#include "math/pairs.hpp"

namespace escapement::inline math {

namespace {

// width of the block that begins in this row and column, 0: none does
int block_at(const Matrix& b, int row) {
  const std::vector<int>&start = b.row_start(), &col = b.col();
  const int width = start[row + 1] - start[row];
  if ((width != 1 && width != 3) || row + width > b.rows()) return 0;
  for (int i = row; i < row + width; ++i)
    if (start[i + 1] - start[i] != width || col[start[i]] != row || col[start[i + 1] - 1] != row + width - 1) return 0;
  return width;
}

}  // namespace

bool ColumnTurn::look(const Matrix& a, const Matrix& b) {
  ones_.clear();
  blocks_.clear();
  if (a.cols() != b.rows()) return false;
  for (int i = 0; i < b.rows(); ++i)
    if (b.row_start()[i + 1] - b.row_start()[i] == 1) ones_.push_back(b.row_start()[i]);
  for (int i = 0; i < a.rows(); ++i)
    for (int k = a.row_start()[i], width = 0; k < a.row_start()[i + 1]; k += width) {
      const int column = a.col()[k];
      width = block_at(b, column);
      if (width == 0 || k + width > a.row_start()[i + 1] || a.col()[k + width - 1] != column + width - 1) return false;
      if (width == 3) blocks_.push_back({k, b.row_start()[column]});
    }
  return true;
}

bool ColumnTurn::fits(const Matrix& a, const Matrix& b) {
  if (!a.is_sparse() || !b.is_sparse()) return false;
  if (a.version() != version_a_ || b.version() != version_b_) {
    version_a_ = a.version();
    version_b_ = b.version();
    fits_ = look(a, b);
  }
  bool ones = true;
  for (int k : ones_) ones = ones && b.value()[k] == 1;
  return fits_ && ones;
}

void ColumnTurn::apply(const Matrix& b, const Matrix& a, Matrix& product) const {
  if (product.version() != a.version()) product.copy(a);
  const double *blocks = b.value().data(), *from = a.value().data();
  double* to = product.value().data();
  const int size = static_cast<int>(a.value().size());
  int done = 0;
  const auto copy_to = [&](int end) {
    for (int k = done; to != from && k < end; ++k) to[k] = from[k];
  };
  for (const Place& place : blocks_) {
    copy_to(place.in_a);
    done = place.in_a + 3;
    const double* x = from + place.in_a;
    double* y = to + place.in_a;
    const double* block = blocks + place.in_b;
    const double x0 = x[0], x1 = x[1], x2 = x[2];
    if (x0 == 0 && x1 == 0 && x2 == 0) {
      y[0] = x0, y[1] = x1, y[2] = x2;
      continue;
    }
    store_pair(x0 * load_pair(block) + x1 * load_pair(block + 3) + x2 * load_pair(block + 6), y);
    y[2] = x0 * block[2] + x1 * block[5] + x2 * block[8];
  }
  copy_to(size);
}

}  // namespace escapement
