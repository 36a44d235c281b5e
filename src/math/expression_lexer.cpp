#include "math/expression_lexer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "math/expression_parser.hpp"

namespace escapement::inline math {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// one printable character, or its bytes as \xHH
std::string_view character_at(std::string_view text, std::size_t offset) {
  const auto lead = static_cast<unsigned char>(text[offset]);
  const std::size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  std::size_t end = offset + 1;
  while (end < text.size() && end < offset + length && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return text.substr(offset, end - offset == length ? length : 1);
}

std::string hint_for(std::string_view character) {
  if (character == "=") return "; write == to compare";
  if (character == "&") return "; write 'and' for a condition";
  if (character == "|") return "; write 'or' for a condition, abs(x) for a magnitude";
  if (character == "!") return "; write 'not' for a condition";
  if (character == "[") return "; tables and functions take round parentheses, like lift(x)";
  if (character == "{") return "; {k} stands for a number only in entries with 'repeat: {k: [1, n]}'";
  if (character == "×" || character == "·") return "; write * to multiply";
  if (character == "÷") return "; write / to divide";
  if (character == "−" || character == "–") return "; write - to subtract";
  if (character == "°") return "; write 30*deg";
  if (character == "²") return "; write ^2";
  if (character == "³") return "; write ^3";
  if (character == "π") return "; write pi";
  if (character == "’" || character == "′") return "; write ' for a rate";
  return "; remove it";
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view c = character_at(text, i);
    const auto lead = static_cast<unsigned char>(c[0]);
    const bool visible =
        c.size() > 1 ? !(lead == 0xc2 && static_cast<unsigned char>(c[1]) < 0xa0) : lead >= 0x20 && lead < 0x7f;
    std::string piece(c);
    if (!visible) {
      piece.clear();
      for (const char byte : c) piece += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    const std::size_t width = visible ? 1 : piece.size();
    const bool last = i + c.size() == text.size();
    if (characters + width > (last ? longest : longest - 3)) {
      result += "...";
      break;
    }
    result += piece;
    characters += width;
    i += c.size();
  }
  return result + "'";
}

bool is_valid_name(std::string_view name) {
  bool at_start = true;
  for (const char c : name) {
    if (c == '.' ? at_start : !(is_letter(c) || (is_digit(c) && !at_start))) return false;
    at_start = c == '.';
  }
  return !at_start;
}

Token Lexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  if (position_ == text_.size()) return {TokenKind::end, position_, {}, 0};
  const char c = text_[position_];
  if (is_digit(c) || (c == '.' && position_ + 1 < text_.size() && is_digit(text_[position_ + 1]))) return number();
  const bool goes_on = c == '.' && position_ > 0 && text_[position_ - 1] == ')' && position_ + 1 < text_.size() &&
                       is_letter(text_[position_ + 1]);  // what a call has selected: arm.at(0.5).x
  return is_letter(c) || goes_on ? name() : symbol();
}

Token Lexer::number() {
  const std::size_t start = position_;
  double value = 0;
  const auto [stop, error] = std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
  position_ = std::size_t(stop - text_.data());
  const std::string_view word = text_.substr(start, position_ - start);
  if (error == std::errc::result_out_of_range)
    throw ExpressionError(
        start, fmt::format("the number {} is too large or too small; use one between 1e-308 and 1e308", quote(word)));
  if (position_ < text_.size() && (is_letter(text_[position_]) || text_[position_] == '.')) {
    std::size_t end = position_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) ++end;
    const std::string_view rest = text_.substr(position_, end - position_);
    if (rest[0] == '.')
      throw ExpressionError(start, fmt::format("{} is not a number", quote(text_.substr(start, end - start))));
    throw ExpressionError(position_, fmt::format("an operator is missing between {} and {}; write * to multiply",
                                                 quote(word), quote(rest)));
  }
  return {TokenKind::number, start, word, value};
}

Token Lexer::name() {
  const std::size_t start = position_;
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  const auto is_part = [&](char c) { return is_letter(c) || is_digit(c); };
  while (is_part(at(position_)) || (at(position_) == '.' && is_part(at(position_ + 1)))) ++position_;
  while (at(position_) == '\'') ++position_;
  return {TokenKind::name, start, text_.substr(start, position_ - start), 0};
}

Token Lexer::symbol() {
  const std::size_t start = position_;
  for (const std::string_view two : {"<=", ">=", "==", "!="})
    if (text_.substr(start, 2) == two)
      return position_ += 2, Token{TokenKind::symbol, start, text_.substr(start, 2), 0};
  if (text_.substr(start, 2) == "**")
    throw ExpressionError(start, "the operator '**' is not known; write ^ for a power");
  if (std::string_view("(),+-*/^<>").find(text_[start]) != std::string_view::npos)
    return ++position_, Token{TokenKind::symbol, start, text_.substr(start, 1), 0};
  const std::string_view character = character_at(text_, start);
  throw ExpressionError(start,
                        fmt::format("the character {} has no meaning here{}", quote(character), hint_for(character)));
}

}  // namespace escapement
