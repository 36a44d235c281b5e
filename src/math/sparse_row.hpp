// The entries of a sparse row of a mechanism: columns ascend, and those of a body in space are six neighbours.
#pragma once

namespace escapement::inline math {

constexpr int columns_of_body = 6;

// a body's columns begin at place k of a row that ends at last
[[gnu::always_inline]] inline bool body_begins(const int* col, int k, int last) {
  return k + columns_of_body <= last && col[k + columns_of_body - 1] == col[k] + columns_of_body - 1;
}

// f(place, column) for places first to last - 1, in order
template <class F>
[[gnu::always_inline]] inline void for_each_place(const int* col, int first, int last, F&& f) {
  for (int k = first; k < last;) {
    if (!body_begins(col, k, last)) {
      f(k, col[k]);
      ++k;
      continue;
    }
    const int column = col[k];
#pragma GCC unroll 6
    for (int j = 0; j < columns_of_body; ++j) f(k + j, column + j);
    k += columns_of_body;
  }
}

}  // namespace escapement
