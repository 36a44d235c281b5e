// A YAML document as a tree of values that remember where they stand.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/source_text.hpp"

namespace escapement::inline io {

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  struct Entry {
    std::string key;             // empty in sequences
    std::size_t key_offset = 0;  // of the key in the source; in sequences of the value
    const YamlNode* value = nullptr;
    bool merged = false;  // came by a merge key
  };

  Kind kind = Kind::null;
  std::size_t offset = 0;  // of its first character in the source
  bool quoted = false;
  bool flow = false;           // written with { } or [ ]
  std::string text;            // of a scalar
  std::vector<Entry> entries;  // of a map or sequence

  bool is_map() const { return kind == Kind::map; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_null() const { return kind == Kind::null; }
  const Entry* find(std::string_view key) const;  // nullptr when a map has no such key
  const char* kind_name() const;                  // "a map", "a list", "a value", "nothing"
};

class YamlTree {
 public:
  // reads the only document of the source; throws ModelError. Duplicate keys, several documents, unbounded aliases and
  // expressions cut by a comma inside { } or [ ] are errors here; merge keys are resolved
  explicit YamlTree(const SourceText& source);

  const YamlNode& root() const { return *root_; }
  // offset in the source of a scalar's character, as well as it can be known: exact unless the scalar uses escapes
  std::size_t offset_in(const YamlNode& scalar, std::size_t character) const;

 private:
  friend class YamlBuilder;
  const SourceText& source_;
  std::deque<YamlNode> nodes_;
  const YamlNode* root_ = nullptr;
};

}  // namespace escapement
