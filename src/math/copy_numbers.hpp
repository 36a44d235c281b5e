// Copying numbers where the calls of memcpy would cost more than they copy: most programs have a few constants and inputs.
#pragma once

#include <cstddef>
#include <cstring>

namespace escapement::inline math {

[[gnu::always_inline]] inline double* copy_numbers(const double* from, std::size_t count, double* to) {
  constexpr std::size_t block = 8;
  for (double* const last = to + (count & ~(block - 1)); to != last; to += block, from += block) std::memcpy(to, from, block * sizeof(double));
  if (count & 4) {
    std::memcpy(to, from, 4 * sizeof(double));
    to += 4;
    from += 4;
  }
  if (count & 2) {
    std::memcpy(to, from, 2 * sizeof(double));
    to += 2;
    from += 2;
  }
  if (count & 1) *to++ = *from;
  return to;
}

}  // namespace escapement
