// `repeat: {k: [first, last]}` in a body, joint, force or contact: it is read once per k, with k a number in its
// expressions and {k}, {k - 1} ... in names replaced by their values. Several counters make a grid, the last one running
// fastest; the bounds of a counter may use those before it.
#pragma once

#include <deque>

#include "io/reading.hpp"

namespace escapement::inline io {

inline bool is_repeated(const YamlNode::Entry& entry) { return entry.value->is_map() && entry.value->find("repeat"); }

class Repetition {
 public:
  explicit Repetition(Reading& reading) : reading_(reading) {}
  // the model with every repeated entry in full; the parameters must be known. It lives as long as this object
  const YamlNode& expand(const YamlNode& model);

 private:
  struct Counter {
    std::string name;
    long first = 0, last = 0;
  };

  const YamlNode& expand_block(const YamlNode& block, const char* what);  // what: "body" ...
  // one entry per value of the first counter that is left in 'repeat', and so on
  void repeat(const YamlNode::Entry&, std::size_t depth, std::vector<YamlNode::Entry>& out);
  Counter counter_of(const YamlNode::Entry& repeat, std::size_t which);
  long bound(const YamlNode::Entry&);
  void check_shape(const YamlNode::Entry&);
  // last: no counter is left, so that braces have their values
  const YamlNode& copy(const YamlNode&, const Counter&, long k, bool last);
  // {...} by its value, and the counter by its number wherever it stands alone
  std::string substitute(const std::string& text, const Counter&, long k, std::size_t offset, bool last);
  static std::string replace_counter(const std::string& text, const Counter&, long k);

  Reading& reading_;
  std::deque<YamlNode> nodes_;
};

}  // namespace escapement
