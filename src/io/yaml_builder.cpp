#include "io/yaml_builder.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "math/expression_parser.hpp"

namespace escapement::inline io {

namespace {

constexpr std::size_t depth_limit = 64;
constexpr std::size_t expansion_limit = 4'000'000;

std::size_t offset_of(const YAML::Mark& mark) { return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos); }

// the parser's mark of a value with an anchor or a tag points at these: step over them
std::size_t skip_properties(const std::string& text, std::size_t i) {
  while (i < text.size() && (text[i] == '&' || text[i] == '!')) {
    const std::size_t end = text.find_first_of(" \t\n", i);
    const std::size_t next = end == std::string::npos ? end : text.find_first_not_of(" \t\n", end);
    if (next == std::string::npos) return i;
    i = next;
  }
  return i;
}

// at most 60 characters, as one would write it in the file
std::string double_quoted(std::string_view text) {
  const std::string shown = quote(text);
  return fmt::format("\"{}\"", shown.substr(1, shown.size() - 2));
}

// the parser lets a quote run to the end of the file
bool is_closed(const std::string& text, std::size_t offset) {
  const char mark = text[offset];
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (mark == '"' && text[i] == '\\')
      ++i;
    else if (mark == '\'' && text[i] == mark && i + 1 < text.size() && text[i + 1] == mark)
      ++i;
    else if (text[i] == mark)
      return true;
  }
  return false;
}

int open_parentheses(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '(') - std::count(text.begin(), text.end(), ')'));
}

}  // namespace

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (documents_++ > 0)
    source_.fail(offset_of(mark), "a second document starts here; a model is one document, so remove the --- line");
}

YamlNode& YamlBuilder::add_node(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
  YamlNode& node = tree_.nodes_.emplace_back();
  node.kind = kind;
  node.offset = skip_properties(source_.text(), offset_of(mark));
  const bool standard = tag.empty() || tag == "?" || tag == "!" || tag.rfind("tag:yaml.org,2002:", 0) == 0;
  if (!standard)
    source_.fail(offset_of(mark), fmt::format("the tag {} means nothing in a model; remove it", quote(tag)));
  return node;
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  YamlNode& node = add_node(YamlNode::Kind::null, mark, "");
  place(node, anchor, node.offset, 1);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  YamlNode& node = add_node(YamlNode::Kind::scalar, mark, tag);
  node.text = value;
  node.quoted = tag != "?";
  const char first = node.offset < source_.text().size() ? source_.text()[node.offset] : '\0';
  if (node.quoted && (first == '"' || first == '\'') && !is_closed(source_.text(), node.offset))
    source_.fail(node.offset, "this quote is not closed; add the missing one");
  place(node, anchor, node.offset, 1);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto it = anchors_.find(anchor);
  if (it == anchors_.end())
    source_.fail(offset_of(mark), "this alias stands inside the value it refers to; a value cannot contain itself");
  place(*it->second.node, 0, offset_of(mark), it->second.expanded);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value style) {
  YamlNode& node = add_node(YamlNode::Kind::sequence, mark, tag);
  node.flow = style == YAML::EmitterStyle::Flow;
  open(node, anchor);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  YamlNode& node = add_node(YamlNode::Kind::map, mark, tag);
  node.flow = style == YAML::EmitterStyle::Flow;
  open(node, anchor);
}

void YamlBuilder::open(YamlNode& node, YAML::anchor_t anchor) {
  if (stack_.size() >= depth_limit)
    source_.fail(node.offset,
                 fmt::format("the values are nested more than {} levels deep; a model needs fewer", depth_limit));
  stack_.push_back({.node = &node, .anchor = anchor});
}

void YamlBuilder::close() {
  Open done = std::move(stack_.back());
  stack_.pop_back();
  if (done.node->flow) check_commas(*done.node);
  if (done.node->is_map()) {
    check_duplicates(*done.node);
    resolve_merges(*done.node, done.expanded);
  }
  place(*done.node, done.anchor, done.node->offset, done.expanded);
}

void YamlBuilder::place(const YamlNode& node, YAML::anchor_t anchor, std::size_t offset, std::size_t expanded) {
  if (anchor != 0) anchors_[anchor] = {&node, expanded};
  if (stack_.empty()) {
    tree_.root_ = &node;
    return;
  }
  Open& parent = stack_.back();
  if (parent.node->is_map() && !parent.has_key) return take_key(node, offset);
  parent.expanded += expanded;
  if (parent.expanded > expansion_limit)
    source_.fail(offset, fmt::format("written out, the aliases here give more than {} values; use fewer of them",
                                     expansion_limit));
  const bool in_map = parent.node->is_map();
  parent.node->entries.push_back({in_map ? std::move(parent.key) : "", in_map ? parent.key_offset : offset, &node});
  parent.has_key = false;
}

void YamlBuilder::take_key(const YamlNode& node, std::size_t offset) {
  if (!node.is_scalar())
    source_.fail(
        offset, fmt::format("a key must be a word, but {} stands here", node.is_null() ? "nothing" : node.kind_name()));
  Open& parent = stack_.back();
  parent.has_key = true;
  parent.key = node.text;
  parent.key_offset = offset;
}

// {angle: atan2(y, x)} reads as {angle: "atan2(y", "x)": nothing}: YAML's comma ends the value
void YamlBuilder::check_commas(const YamlNode& node) const {
  const auto& entries = node.entries;
  for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
    const YamlNode& value = *entries[i].value;
    if (!value.is_scalar() || value.quoted || open_parentheses(value.text) <= 0) continue;
    std::string whole = value.text;
    for (std::size_t k = i + 1; k < entries.size() && open_parentheses(whole) > 0; ++k) {
      const YamlNode& next = *entries[k].value;
      if (node.is_map() ? !next.is_null() : !next.is_scalar()) break;
      whole += ", " + (node.is_map() ? entries[k].key : next.text);
    }
    if (whole == value.text) continue;
    source_.fail(value.offset, fmt::format("the comma ends this value inside {}; put the expression into quotes: {}",
                                           node.is_map() ? "{ }" : "[ ]", double_quoted(whole)));
  }
}

void YamlBuilder::check_duplicates(const YamlNode& node) const {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (const auto& entry : node.entries) {
    const auto [it, fresh] = seen.emplace(entry.key, entry.key_offset);
    if (!fresh)
      source_.fail(entry.key_offset, fmt::format("the key {} stands here twice (first in line {}); keep one of them",
                                                 quote(entry.key), source_.place(it->second).line));
  }
}

// <<: *base, or <<: [*a, *b]: their entries join this map unless it has the key itself; earlier ones win
void YamlBuilder::resolve_merges(YamlNode& node, std::size_t& expanded) const {
  const auto merge =
      std::find_if(node.entries.begin(), node.entries.end(), [](const auto& e) { return e.key == "<<"; });
  if (merge == node.entries.end()) return;
  std::vector<YamlNode::Entry> sources;
  if (merge->value->is_sequence())
    sources = merge->value->entries;
  else
    sources.push_back(*merge);
  const std::size_t place = merge->key_offset;
  node.entries.erase(merge);

  std::unordered_set<std::string> known;
  for (const auto& entry : node.entries) known.insert(entry.key);
  for (const auto& source : sources) {
    if (!source.value->is_map())
      source_.fail(source.key_offset, "a merge key (<<) takes an alias of a map, like '<<: *base'");
    expanded += source.value->entries.size();
    if (expanded > expansion_limit) source_.fail(place, "the merge keys give too many values; use fewer of them");
    for (YamlNode::Entry entry : source.value->entries) {
      entry.merged = true;
      if (known.insert(entry.key).second) node.entries.push_back(std::move(entry));
    }
  }
}

}  // namespace escapement
