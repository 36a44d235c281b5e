#include "io/repetition.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace escapement::inline io {

namespace {
constexpr long most_repetitions = 100000;
constexpr std::pair<std::string_view, const char*> blocks[] = {
    {"bodies", "body"}, {"beams", "beam"}, {"joints", "joint"}, {"forces", "force"}, {"contacts", "contact"}};

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
}
}  // namespace

const YamlNode& Repetition::expand(const YamlNode& model) {
  YamlNode& root = nodes_.emplace_back(model);
  for (auto& entry : root.entries)
    for (const auto& [block, what] : blocks)
      if (entry.key == block && entry.value->is_map()) entry.value = &expand_block(*entry.value, what);
  return root;
}

const YamlNode& Repetition::expand_block(const YamlNode& block, const char* what) {
  bool any = false;
  for (const auto& entry : block.entries) any = any || is_repeated(entry);
  if (!any) return block;
  YamlNode& expanded = nodes_.emplace_back(block);
  expanded.entries.clear();
  // names of bodies and joints are declared for good, those of the others only once here
  const std::string_view kind = what;
  const bool declares = kind == "body" || kind == "beam" || kind == "joint";
  std::set<std::string> names;
  for (const auto& entry : block.entries)
    if (!is_repeated(entry)) names.insert(entry.key);
  for (const auto& entry : block.entries) {
    if (!is_repeated(entry)) {
      expanded.entries.push_back(entry);
      continue;
    }
    check_shape(entry);
    std::vector<YamlNode::Entry> made;
    repeat(entry, 0, made);
    for (YamlNode::Entry& one : made) {
      if (declares) reading_.declare(one.key, what, entry.key_offset);
      if (!names.insert(one.key).second)
        reading_.fail(entry.key_offset,
                      fmt::format("there is a {} {} already; rename one of them", what, quote(one.key)));
      expanded.entries.push_back(std::move(one));
    }
  }
  return expanded;
}

void Repetition::check_shape(const YamlNode::Entry& entry) {
  const YamlNode::Entry& repeat = *entry.value->find("repeat");
  bool shaped = repeat.value->is_map() && !repeat.value->entries.empty();
  if (shaped)
    for (const auto& counter : repeat.value->entries)
      shaped = shaped && counter.value->is_sequence() && counter.value->entries.size() == 2;
  if (!shaped)
    reading_.fail(repeat.key_offset,
                  "'repeat' names a counter with its first and last value, like {k: [1, n]}, or several for a grid");
  for (const auto& counter : repeat.value->entries) {
    const std::size_t place = entry.key.find('{');
    if (place == std::string::npos || replace_counter(entry.key.substr(place), {counter.key}, 0) == entry.key.substr(place))
      reading_.fail(entry.key_offset, fmt::format("{} is repeated, so its name needs the counter, like {}{{{}}}",
                                                  quote(entry.key), entry.key, counter.key));
  }
}

void Repetition::repeat(const YamlNode::Entry& entry, std::size_t depth, std::vector<YamlNode::Entry>& out) {
  const YamlNode::Entry& repeat_entry = *entry.value->find("repeat");
  const Counter counter = counter_of(repeat_entry, depth);
  const bool last = depth + 1 == repeat_entry.value->entries.size();
  for (long k = counter.first; k <= counter.last; ++k) {
    YamlNode::Entry one = entry;
    one.key = substitute(entry.key, counter, k, entry.key_offset, last);
    one.value = &copy(*entry.value, counter, k, last);
    if (last) {
      if (out.size() >= static_cast<std::size_t>(most_repetitions))
        reading_.fail(repeat_entry.key_offset, fmt::format("more than {} repetitions; take fewer", most_repetitions));
      out.push_back(std::move(one));
    } else {
      repeat(one, depth + 1, out);
    }
  }
}

Repetition::Counter Repetition::counter_of(const YamlNode::Entry& repeat, std::size_t which) {
  const YamlNode::Entry& given = repeat.value->entries[which];
  Counter counter;
  counter.name = given.key;
  reading_.check_name(counter.name, "counter", given.key_offset);
  if (const char* what = reading_.what_is(counter.name))
    reading_.fail(given.key_offset,
                  fmt::format("the counter {} has the name of a {}; rename one of them", quote(counter.name), what));
  counter.first = bound(given.value->entries[0]);
  counter.last = bound(given.value->entries[1]);
  if (counter.last - counter.first >= most_repetitions)
    reading_.fail(repeat.key_offset, fmt::format("{} repetitions are more than {}; take fewer",
                                                 counter.last - counter.first + 1, most_repetitions));
  return counter;
}

long Repetition::bound(const YamlNode::Entry& entry) {
  const double value = reading_.constant(entry);
  if (value != std::round(value) || std::abs(value) > 1e9)
    reading_.fail(*entry.value,
                  fmt::format("{} is {:g}, and a counter takes whole numbers", quote(entry.value->text), value));
  return static_cast<long>(value);
}

const YamlNode& Repetition::copy(const YamlNode& node, const Counter& counter, long k, bool last) {
  YamlNode& made = nodes_.emplace_back(node);
  if (made.is_scalar()) made.text = substitute(made.text, counter, k, made.offset, last);
  if (last) std::erase_if(made.entries, [](const YamlNode::Entry& entry) { return entry.key == "repeat"; });
  for (auto& entry : made.entries) entry.value = &copy(*entry.value, counter, k, last);
  return made;
}

std::string Repetition::substitute(const std::string& text, const Counter& counter, long k, std::size_t offset,
                                   bool last) {
  std::string result;
  for (std::size_t i = 0;;) {
    const std::size_t open = text.find('{', i);
    result += replace_counter(text.substr(i, open - i), counter, k);
    if (open == std::string::npos) return result;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) reading_.fail(offset, fmt::format("{} has a '{{' without its '}}'", quote(text)));
    if (!last) {  // other counters are to come
      result += "{" + replace_counter(text.substr(open + 1, close - open - 1), counter, k) + "}";
      i = close + 1;
      continue;
    }
    YamlNode number;
    number.kind = YamlNode::Kind::scalar;
    number.offset = offset;
    number.text = replace_counter(text.substr(open + 1, close - open - 1), counter, k);
    result += std::to_string(bound({"", offset, &number}));
    i = close + 1;
  }
}

std::string Repetition::replace_counter(const std::string& text, const Counter& counter, long k) {
  std::string result;
  const std::string value = k < 0 ? fmt::format("({})", k) : std::to_string(k);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t at = text.find(counter.name, i), end = at + counter.name.size();
    result += text.substr(i, at - i);
    if (at == std::string::npos) break;
    const bool alone =
        (at == 0 || !is_part_of_name(text[at - 1])) && (end == text.size() || !is_part_of_name(text[end]));
    result += alone ? value : counter.name;
    i = end;
  }
  return result;
}

}  // namespace escapement
