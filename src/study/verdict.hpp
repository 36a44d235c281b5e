// How our number compares with a printed one. Computed, never stated.
#pragma once

#include <string>

namespace escapement::inline study {

enum class VerdictKind {
  // of what a paper prints
  equal,        // to the printed digits
  same,         // to within a stated difference
  fitted,       // equal, the same or explained, but by a reading that was picked because it is
  holds,        // a statement
  explained,    // differs, and a proof bears the reason out
  unexplained,  // differs, and what was tried
  absent,       // not computed, with a reason
  // of what we say ourselves
  ours,    // a number or statement of ours is met
  missed,  // and is not
  better,  // than our own baseline
  worse,
  alone,    // a number beside which nothing stands
  left_out  // by the quick version
};

const char* name_of(VerdictKind);

struct Verdict {
  VerdictKind kind = VerdictKind::left_out;
  std::string text;
};

bool is_ours(VerdictKind);

// digits of the mantissa as printed: "4.98566e-05" has 6, "0.037" has 2
int printed_digits(const std::string& published);

// equal, same or unexplained. same_within: largest relative difference called the same; rounding: both below it are the
// same. One printed digit says little: ours has to have it and a zero behind it
Verdict compare_numbers(const std::string& published, double ours, double same_within, double rounding);

// "1.7 %", "a factor of 2.3": the difference of a ratio from 1, rounded up; at_least: rounded down
std::string difference_text(double ratio, bool at_least = false);

}  // namespace escapement
