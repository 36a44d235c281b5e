#include "study/verdict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace escapement::inline study {

namespace {

double rounded(double x, int digits, bool up) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - (digits - 1));
  return (up ? std::ceil(x / unit * (1 - 1e-12)) : std::floor(x / unit * (1 + 1e-12))) * unit;
}

}  // namespace

const char* name_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::equal:
      return "equal";
    case VerdictKind::same:
      return "same";
    case VerdictKind::holds:
      return "holds";
    case VerdictKind::fitted:
      return "fitted";
    case VerdictKind::explained:
      return "explained";
    case VerdictKind::unexplained:
      return "not explained";
    case VerdictKind::absent:
      return "absent";
    case VerdictKind::ours:
      return "ours";
    case VerdictKind::missed:
      return "ours, missed";
    case VerdictKind::better:
      return "better";
    case VerdictKind::worse:
      return "worse";
    case VerdictKind::alone:
      return "alone";
    case VerdictKind::left_out:
      return "left out";
  }
  return "";
}

bool is_ours(VerdictKind kind) { return kind >= VerdictKind::ours && kind <= VerdictKind::alone; }

int printed_digits(const std::string& published) {
  int digits = 0;
  for (const char c : published) {
    if (c == 'e' || c == 'E') break;
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  }
  return digits > 0 ? digits : 1;
}

std::string difference_text(double ratio, bool at_least) {
  const double factor = ratio >= 1 ? ratio : 1 / ratio;
  if (factor >= 1.5) return fmt::format("a factor of {:.3g}", rounded(factor, factor < 10 ? 2 : 1, !at_least));
  const double percent = 100 * (factor - 1);
  return percent > 0 ? fmt::format("{:.3g} %", rounded(percent, 2, !at_least)) : "0 %";
}

Verdict compare_numbers(const std::string& published, double ours, double same_within, double rounding) {
  const double printed = std::stod(published);
  const int digits = printed_digits(published);
  const int compared = std::max(digits, 2);
  if (printed != 0 && fmt::format("{:.{}e}", printed, compared - 1) == fmt::format("{:.{}e}", ours, compared - 1))
    return {VerdictKind::equal, digits > 1 ? "equal to the printed digits" : "equal to the one printed digit"};
  // the last printed digit, one unit up or down
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(printed))) - (digits - 1));
  if (digits > 2 && std::abs(ours - printed) <= 1.5 * unit)
    return {VerdictKind::same, "same to within one unit of the last printed digit"};
  if (rounding > 0 && std::abs(printed) <= rounding && std::abs(ours) <= rounding)
    return {VerdictKind::same, fmt::format("same to within rounding: both below {:.0e}", rounding)};
  const double ratio = ours / printed;
  if (std::isfinite(ratio) && ratio > 0 && std::max(ratio, 1 / ratio) <= 1 + same_within)
    return {VerdictKind::same,
            "same to within " + difference_text(ratio) + (digits > 1 ? "" : "; one digit is printed")};
  return {VerdictKind::unexplained, ""};
}

}  // namespace escapement
