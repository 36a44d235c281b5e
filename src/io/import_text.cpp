#include "io/import_text.hpp"

#include <cctype>
#include <cmath>

#include "math/expression_parser.hpp"

namespace escapement::inline io {

std::string import_number(double x) { return fmt::format("{}", std::abs(x) < 1e-15 ? 0.0 : x); }

std::string import_quoted(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 32) result += c;
  }
  return result;
}

std::string ImportNames::operator()(const std::string& kind, const std::string& name) {
  const auto [known, is_new] = known_.try_emplace({kind, name});
  if (!is_new) return known->second;
  std::string result = kind.empty() ? "" : kind + "_", lower;
  for (char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (result.empty() || !std::isalpha(static_cast<unsigned char>(result[0]))) result = "b_" + result;
  for (char c : result) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "null") result += "_";  // a word of YAML
  while (used_.contains(result) || is_reserved_name(result) || result == "t" || result == "ground") result += "_";
  used_.insert(result);
  return known->second = result;
}

}  // namespace escapement
