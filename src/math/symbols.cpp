#include "math/symbols.hpp"

namespace escapement {

void Symbols::add(const std::string& name, Expr value) { values_.insert_or_assign(name, value); }
void Symbols::add_table(const std::string& name, std::shared_ptr<const Table> table) {
  tables_.insert_or_assign(name, std::move(table));
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
  return result;
}

}  // namespace escapement
