// A numeric factor kept as a quotient, so that x/3 stays a division and 3*(x/3) is x.
#pragma once

#include "math/traced_number.hpp"

namespace escapement::inline math {

struct Ratio {
  TracedNumber num = 1;
  TracedNumber den = 1;  // positive; 1 unless a division could not be done without rounding
  TracedNumber value() const { return num / den; }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};

Ratio operator*(Ratio a, Ratio b);
Ratio operator+(Ratio a, Ratio b);
Ratio quotient(TracedNumber num, TracedNumber den);
Ratio integer_power(Ratio a, double n);

// a product or power of ordinary numbers may still overflow or lose bits below the normal range
bool is_normal(Ratio a);

}  // namespace escapement
