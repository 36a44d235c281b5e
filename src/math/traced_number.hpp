// The numbers of formulas, which can remember how they were computed.
//
// What is derived from formulas depends on their numbers twice: by values, and by what these decide (a factor of 1 vanishes, equal
// terms merge). Where a NumberTape is recording, both are kept: the operations, so that values can be computed again from other
// numbers, and the decisions, so that one can tell whether the same would be derived from them.
#pragma once

#include <cmath>
#include <cstdint>

namespace escapement::inline math {

class NumberTape;

class TracedNumber {
 public:
  using Operation = double (*)(double, double);
  using Question = bool (*)(double, double);

  TracedNumber(double value = 0) : value_(value) {}

  double plain() const { return value_; }  // for what decides nothing: hashes, messages, values at a state
  double fixed() const;                    // for what is not kept: other values need another derivation
  bool is_traced() const { return source_ >= 0; }
  int source() const { return source_; }  // its place on the tape, -1 when it does not depend on the tape's inputs
  void note() const;                      // it is compared with others by looking for an equal one

  friend TracedNumber operator+(TracedNumber a, TracedNumber b) { return combine([](double x, double y) { return x + y; }, a, b); }
  friend TracedNumber operator-(TracedNumber a, TracedNumber b) { return combine([](double x, double y) { return x - y; }, a, b); }
  friend TracedNumber operator*(TracedNumber a, TracedNumber b) { return combine([](double x, double y) { return x * y; }, a, b); }
  friend TracedNumber operator/(TracedNumber a, TracedNumber b) { return combine([](double x, double y) { return x / y; }, a, b); }
  friend TracedNumber operator-(TracedNumber a) { return combine([](double x, double) { return -x; }, a, 0); }
  friend TracedNumber abs(TracedNumber a) { return combine([](double x, double) { return std::abs(x); }, a, 0); }
  friend TracedNumber raised(TracedNumber a, TracedNumber b) { return combine([](double x, double y) { return std::pow(x, y); }, a, b); }
  friend TracedNumber larger(TracedNumber a, TracedNumber b) { return combine([](double x, double y) { return x < y ? y : x; }, a, b); }
  TracedNumber& operator+=(TracedNumber b) { return *this = *this + b; }
  TracedNumber& operator*=(TracedNumber b) { return *this = *this * b; }

  friend bool operator==(TracedNumber a, TracedNumber b) { return ask([](double x, double y) { return x == y; }, a, b); }
  friend bool operator<(TracedNumber a, TracedNumber b) { return ask([](double x, double y) { return x < y; }, a, b); }
  friend bool operator>(TracedNumber a, TracedNumber b) { return b < a; }
  friend bool isfinite(TracedNumber a) { return ask([](double x, double) { return std::isfinite(x); }, a); }
  friend bool isnormal(TracedNumber a) { return ask([](double x, double) { return std::isnormal(x); }, a); }
  friend bool isnan(TracedNumber a) { return ask([](double x, double) { return std::isnan(x); }, a); }

  template <class F>
  static bool ask(F question, TracedNumber a, TracedNumber b = 0) {
    if (a.source_ < 0 && b.source_ < 0) return question(a.value_, b.value_);
    return decide(question, a, b);
  }

 private:
  friend class NumberTape;
  template <class F>
  static TracedNumber combine(F operation, TracedNumber a, TracedNumber b) {
    if (a.source_ < 0 && b.source_ < 0) return operation(a.value_, b.value_);
    return record(operation, a, b);
  }
  static TracedNumber record(Operation, TracedNumber a, TracedNumber b);
  static bool decide(Question, TracedNumber a, TracedNumber b);

  double value_;
  int source_ = -1;
};

}  // namespace escapement
