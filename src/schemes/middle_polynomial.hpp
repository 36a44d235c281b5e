// Dense output from the derivatives in the middle of a step and the values at its ends. Everything is written in
// x = -1 ... 1 over the step: derivatives are with respect to x.
#pragma once

#include <array>

namespace escapement::inline schemes {

template <int most_coefficients>
class MiddlePolynomial {
 public:
  struct End {
    double value, slope;
  };

  void clear() { size_ = 0, factorial_ = 1; }
  // the value, the first derivative, the second one, ... in turn
  void add_derivative(double y) {
    if (size_ > 0) factorial_ *= size_;
    c_[size_++] = y / factorial_;
  }
  // the next higher powers make the values at -1 and 1 right
  void match_ends(double begin, double end) {
    const double s = sign(), b = begin - value(-1), e = end - value(1);
    append((e + s * b) / 2);
    append((e - s * b) / 2);
  }
  // values and slopes
  void match_ends(const End& begin, const End& end) {
    const int n = size_;
    const double s = sign();
    const double b = begin.value - value(-1), e = end.value - value(1);
    const double db = begin.slope - slope(-1), de = end.slope - slope(1);
    // powers n and n + 2 share a parity, n + 1 and n + 3 the other: A = c_n + c_(n+2), B = n c_n + (n + 2) c_(n+2)
    const double A0 = (e + s * b) / 2, B0 = (de - s * db) / 2;
    const double A1 = (e - s * b) / 2, B1 = (de + s * db) / 2;
    const double c2 = (B0 - n * A0) / 2, c3 = (B1 - (n + 1) * A1) / 2;
    append(A0 - c2);
    append(A1 - c3);
    append(c2);
    append(c3);
  }
  double value(double x) const {
    double sum = 0;
    for (int i = size_; i-- > 0;) sum = sum * x + c_[i];
    return sum;
  }
  double slope(double x) const {
    double sum = 0;
    for (int i = size_; i-- > 1;) sum = sum * x + i * c_[i];
    return sum;
  }

 private:
  double sign() const { return size_ % 2 == 0 ? 1 : -1; }  // of the next power at -1
  void append(double c) { c_[size_++] = c; }

  std::array<double, most_coefficients> c_{};
  int size_ = 0;
  double factorial_ = 1;
};

}  // namespace escapement
