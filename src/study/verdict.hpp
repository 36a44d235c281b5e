// How our number compares with a printed one. Computed, never stated.
#pragma once

#include <functional>
#include <string>

namespace escapement {

enum class VerdictKind {
  equal,   // to the printed digits
  same,    // to within a stated difference
  holds,   // a statement
  better,  // than our own baseline
  worse,
  differs,      // with a reason
  unexplained,  // differs, and what was tried
  alone,    // nothing is printed to compare with
  absent,   // not computed, with a reason
  left_out  // by the quick version
};

const char* name_of(VerdictKind);

struct Verdict {
  VerdictKind kind = VerdictKind::left_out;
  std::string text;
};

// digits of the mantissa as printed: "4.98566e-05" has 6, "0.037" has 2
int printed_digits(const std::string& published);

// same_within: largest relative difference called the same; rounding: both below it are the same; because: the reason
// when they differ
Verdict compare_numbers(const std::string& published, double ours, double same_within, double rounding,
                        const std::function<std::string()>& because);

// "1.7 %", "a factor of 2.3": the difference of a ratio from 1, rounded up; at_least: rounded down
std::string difference_text(double ratio, bool at_least = false);

}  // namespace escapement
