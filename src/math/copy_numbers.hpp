// Copying numbers where the calls of memcpy would cost more than they copy: most programs have a few constants and inputs.
#pragma once

#include <cstddef>
#include <cstring>

namespace escapement {

inline double* copy_numbers(const double* from, std::size_t count, double* to) {
  const auto take = [&](std::size_t block) {
    std::memcpy(to, from, block * sizeof(double));
    from += block;
    to += block;
  };
  for (; count >= 8; count -= 8) take(8);
  if (count & 4) take(4);
  if (count & 2) take(2);
  if (count & 1) take(1);
  return to;
}

}  // namespace escapement
