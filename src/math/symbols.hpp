// What the identifiers in the text of an expression stand for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "math/expression.hpp"

namespace escapement::inline math {

// Functions and pi are known without being listed; `t` is a name like any other.
class Symbols {
 public:
  void add(const std::string& name, Expr value);  // a variable, or a parameter already made an expression
  void add_table(const std::string& name, std::shared_ptr<const Table> table);
  // a name that exists but may not stand here, with the reason: "a parameter may not depend on the time"
  void refuse(const std::string& name, const std::string& reason);
  // a name that is called with arguments and then stands for a value; it throws std::invalid_argument with what is wrong
  using Call = std::function<Expr(const std::vector<Expr>&)>;
  void add_call(const std::string& name, Call call);
  // a name that is called and then stands for the first part of another: arm.node(8).x is arm.8.x
  using Selector = std::function<std::string(const std::vector<Expr>&)>;
  void add_selector(const std::string& name, Selector selector);

  const Expr* find(std::string_view name) const;
  const std::shared_ptr<const Table>* find_table(std::string_view name) const;
  const Call* find_call(std::string_view name) const;
  const Selector* find_selector(std::string_view name) const;
  const std::string* find_refusal(std::string_view name) const;
  std::vector<std::string> known() const;         // names that stand for values
  std::vector<std::string> known_tables() const;  // names that are called

 private:
  std::map<std::string, Expr, std::less<>> values_;
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables_;
  std::map<std::string, std::string, std::less<>> refusals_;
  std::map<std::string, Call, std::less<>> calls_;
  std::map<std::string, Selector, std::less<>> selectors_;
};

}  // namespace escapement
