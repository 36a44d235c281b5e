// What the identifiers in the text of an expression stand for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "math/expression.hpp"

namespace escapement {

// Functions and pi are known without being listed; `t` is a name like any other.
class Symbols {
 public:
  void add(const std::string& name, Expr value);  // a variable, or a parameter already made an expression
  void add_table(const std::string& name, std::shared_ptr<const Table> table);
  // a name that exists but may not stand here, with the reason: "a parameter may not depend on the time"
  void refuse(const std::string& name, const std::string& reason);

  const Expr* find(std::string_view name) const;
  const std::shared_ptr<const Table>* find_table(std::string_view name) const;
  const std::string* find_refusal(std::string_view name) const;
  std::vector<std::string> known() const;         // names that stand for values
  std::vector<std::string> known_tables() const;  // names that are called

 private:
  std::map<std::string, Expr, std::less<>> values_;
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables_;
  std::map<std::string, std::string, std::less<>> refusals_;
};

}  // namespace escapement
