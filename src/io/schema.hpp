// The model format in one table: every key, where it stands, what it takes, and what it means. The readers check
// against it, and messages, help and documentation are made from it.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace escapement::inline io {

enum class ValueType { number, expression, condition, text, word, flag, map, list, any };

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open = false;  // min itself is outside
  bool contains(double x) const { return (open ? x > min : x >= min) && x <= max; }
  std::string requirement() const;  // "must be greater than 0"
};

struct KeyInfo {
  std::string_view
      where;  // the block: "model", "model.simulation", "formula.contacts.*"; * stands for a name of the user's
  std::string_view key;  // "*": any name
  ValueType type;
  std::string_view doc;
  bool required = false;
  std::string_view fallback = "";  // the default, as one would write it
  Range range = {};
  std::span<const std::string_view> choices = {};  // of a word
  bool built = true;                               // false: known, but not available in this version
};

std::span<const KeyInfo> schema();
std::vector<const KeyInfo*> keys_of(std::string_view where);
const KeyInfo* find_key(std::string_view where, std::string_view key);
// the block of the schema whose keys a block with this key has: "model.simulation" for ("model", "simulation")
std::string block_of(const KeyInfo&);

}  // namespace escapement
