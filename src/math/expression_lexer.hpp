// Words of the expression language.
#pragma once

#include <cstddef>
#include <string_view>

namespace escapement::inline math {

enum class TokenKind { end, number, name, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t offset = 0;
  std::string_view text;  // symbol: one of ( ) , + - * / ^ < <= > >= == !=
  double value = 0;       // of a number
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();  // throws ExpressionError

 private:
  Token number();
  Token name();
  Token symbol();
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace escapement
