#include "io/schema.hpp"

#include <fmt/format.h>

#include "io/schema_parts.hpp"

namespace escapement::inline io {

std::string Range::requirement() const {
  if (max < std::numeric_limits<double>::infinity()) return fmt::format("must lie between {:g} and {:g}", min, max);
  return open ? fmt::format("must be greater than {:g}", min) : fmt::format("must be at least {:g}", min);
}

std::span<const KeyInfo> schema() {
  static const std::vector<KeyInfo> all = [] {
    std::vector<KeyInfo> keys;
    for (auto part : {common_schema(), formula_schema(), mechanism_schema(), joint_schema(), force_schema(), contact_schema()})
      keys.insert(keys.end(), part.begin(), part.end());
    return keys;
  }();
  return all;
}

namespace {
std::span<const KeyInfo> keys_around(std::string_view where) { return where.starts_with("study") ? study_schema() : schema(); }
}  // namespace

std::vector<const KeyInfo*> keys_of(std::string_view where) {
  std::vector<const KeyInfo*> keys;
  for (const KeyInfo& info : keys_around(where))
    if (info.where == where) keys.push_back(&info);
  return keys;
}

const KeyInfo* find_key(std::string_view where, std::string_view key) {
  for (const KeyInfo& info : keys_around(where))
    if (info.where == where && info.key == key) return &info;
  return nullptr;
}

std::string block_of(const KeyInfo& info) { return fmt::format("{}.{}", info.where, info.key); }

}  // namespace escapement
