#include "math/symbols.hpp"

namespace escapement::inline math {

void Symbols::add(const std::string& name, Expr value) { values_.insert_or_assign(name, value); }
void Symbols::add_table(const std::string& name, std::shared_ptr<const Table> table) {
  tables_.insert_or_assign(name, std::move(table));
}
void Symbols::add_call(const std::string& name, Call call) { calls_.insert_or_assign(name, std::move(call)); }
void Symbols::add_selector(const std::string& name, Selector selector) {
  selectors_.insert_or_assign(name, std::move(selector));
}
void Symbols::refuse(const std::string& name, const std::string& reason) { refusals_.insert_or_assign(name, reason); }

const Expr* Symbols::find(std::string_view name) const {
  const auto place = values_.find(name);
  return place == values_.end() ? nullptr : &place->second;
}
const std::shared_ptr<const Table>* Symbols::find_table(std::string_view name) const {
  const auto place = tables_.find(name);
  return place == tables_.end() ? nullptr : &place->second;
}
const Symbols::Call* Symbols::find_call(std::string_view name) const {
  const auto place = calls_.find(name);
  return place == calls_.end() ? nullptr : &place->second;
}
const Symbols::Selector* Symbols::find_selector(std::string_view name) const {
  const auto place = selectors_.find(name);
  return place == selectors_.end() ? nullptr : &place->second;
}
const std::string* Symbols::find_refusal(std::string_view name) const {
  const auto place = refusals_.find(name);
  return place == refusals_.end() ? nullptr : &place->second;
}
std::vector<std::string> Symbols::known() const {
  std::vector<std::string> result;
  for (const auto& [name, value] : values_) result.push_back(name);
  return result;
}
std::vector<std::string> Symbols::known_tables() const {
  std::vector<std::string> result;
  for (const auto& [name, table] : tables_) result.push_back(name);
  for (const auto& [name, call] : calls_) result.push_back(name);
  for (const auto& [name, selector] : selectors_) result.push_back(name);
  return result;
}

}  // namespace escapement
