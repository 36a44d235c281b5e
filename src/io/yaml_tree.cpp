#include "io/yaml_tree.hpp"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "io/yaml_builder.hpp"
#include "math/expression_parser.hpp"

namespace escapement::inline io {

namespace {

// what the parser says, and what it means to somebody who writes a model
struct Explanation {
  const char* parser_message;
  const char* sentence;
};
const std::array explanations{
    Explanation{YAML::ErrorMsg::END_OF_MAP_FLOW, "a { is not closed; add the missing } or comma"},
    Explanation{YAML::ErrorMsg::END_OF_SEQ_FLOW, "a [ is not closed; add the missing ] or comma"},
    Explanation{YAML::ErrorMsg::FLOW_END,
                "this bracket does not close what is open here; remove it or add the missing one"},
    Explanation{
        YAML::ErrorMsg::END_OF_MAP,
        "this line does not belong to the map around it; give its keys the same indentation, each as 'key: value'"},
    Explanation{YAML::ErrorMsg::END_OF_SEQ,
                "this line does not belong to the list around it; start each item with '- ' at the same indentation"},
    Explanation{YAML::ErrorMsg::MAP_VALUE,
                "a second ': ' may not stand here; put the value into quotes or start a new line"},
    Explanation{YAML::ErrorMsg::MAP_KEY, "a key may not start here; start a new line"},
    Explanation{YAML::ErrorMsg::BLOCK_ENTRY, "a list item ('- ') may not stand here; start a new line"},
    Explanation{YAML::ErrorMsg::EOF_IN_SCALAR, "a quote is not closed; add the missing one"},
    Explanation{YAML::ErrorMsg::DOC_IN_SCALAR, "a quote is not closed before this line; add the missing one"},
    Explanation{YAML::ErrorMsg::UNKNOWN_ANCHOR, "this alias names no anchor; define it before with '&'"},
    Explanation{YAML::ErrorMsg::UNKNOWN_TOKEN, "a value may not start with this character; put it into quotes"},
};

std::string explain(const std::string& parser_message) {
  for (const auto& [message, sentence] : explanations)
    if (parser_message.rfind(message, 0) == 0) return sentence;
  return fmt::format("this is not valid YAML ({:.60}); check indentation, quotes and brackets around here",
                     parser_message);
}

// ball{k} or lift[x] without quotes inside [ ] or { }, at or before the place of an error: there the bracket ends the name
struct BracketInName {
  std::size_t offset = std::string::npos;
  std::string word;
};
BracketInName find_bracket_in_name(const std::string& text, std::size_t error) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '{' || c == '}';
  };
  const std::size_t line_end = std::min(text.find('\n', error), text.size());
  for (std::size_t i = line_end; i-- > 1;) {
    if (text[i] == '\n' && i < error && error - i > 2000) break;  // far from the error
    if ((text[i] != '{' && text[i] != '[') || !is_part(text[i - 1]) || text[i - 1] == '{') continue;
    const std::size_t close = text.find(text[i] == '{' ? '}' : ']', i);
    if (close == std::string::npos || close > line_end || text.substr(i, close - i).find_first_of(":\n\"") != std::string::npos)
      continue;
    std::size_t first = i, last = close;
    while (first > 0 && is_part(text[first - 1]) && text[first - 1] != '{') --first;
    while (last + 1 < text.size() && is_part(text[last + 1]) && text[last + 1] != '}') ++last;
    if (first > 0 && (text[first - 1] == '"' || text[first - 1] == '\'')) continue;
    return {first, text.substr(first, last - first + 1)};
  }
  return {};
}

// a tab among the blanks that start a line, at or before the place of an error: the usual reason for it
std::size_t find_tab_indentation(const std::string& text, std::size_t error) {
  std::size_t found = std::string::npos;
  for (std::size_t line = 0; line <= error && line < text.size(); line = text.find('\n', line) + 1) {
    const std::size_t first = text.find_first_not_of(' ', line);
    if (first != std::string::npos && text[first] == '\t') found = first;
    if (text.find('\n', line) == std::string::npos) break;
  }
  return found;
}

}  // namespace

const YamlNode::Entry* YamlNode::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

const char* YamlNode::kind_name() const {
  switch (kind) {
    case Kind::map:
      return "a map";
    case Kind::sequence:
      return "a list";
    case Kind::scalar:
      return "a single value";
    default:
      return "nothing";
  }
}

YamlTree::YamlTree(const SourceText& source) : source_(source) {
  YamlBuilder builder(source, *this);
  std::istringstream in(source.text());
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const YAML::Exception& e) {
    const std::size_t offset = e.mark.is_null() ? 0 : static_cast<std::size_t>(e.mark.pos);
    const std::size_t tab = find_tab_indentation(source.text(), offset);
    if (tab != std::string::npos) source.fail(tab, "a tab may not indent a line in YAML; use spaces");
    const auto says = [&](const char* message) { return e.msg.rfind(message, 0) == 0; };
    if (says(YAML::ErrorMsg::END_OF_MAP_FLOW) || says(YAML::ErrorMsg::END_OF_SEQ_FLOW) || says(YAML::ErrorMsg::FLOW_END))
      if (const BracketInName found = find_bracket_in_name(source.text(), offset); !found.word.empty())
        source.fail(found.offset,
                    found.word.find('{') != std::string::npos
                        ? fmt::format("inside [ ] and {{ }} a brace ends this name; put it into quotes: \"{}\"", found.word.substr(0, 60))
                        : fmt::format("{} has square brackets; tables and functions take round parentheses, like lift(x)", quote(found.word)));
    source.fail(offset, explain(e.msg));
  }
  if (!builder.has_document() || root_ == nullptr || root_->is_null())
    source.fail(0, "the file is empty; a model starts with 'escapement: 1' ('escapement new NAME' writes one)");
}

std::size_t YamlTree::offset_in(const YamlNode& scalar, std::size_t character) const {
  const std::string& text = source_.text();
  std::size_t i = scalar.offset;
  const char first = i < text.size() ? text[i] : '\0';
  if (scalar.quoted && (first == '"' || first == '\'')) ++i;
  if (scalar.quoted && (first == '|' || first == '>')) i = text.find('\n', i);
  for (std::size_t k = 0;; ++k) {
    if (i == std::string::npos || i >= text.size()) break;
    const char want = k < scalar.text.size() ? scalar.text[k] : '\0';
    const bool blank = want == ' ' || want == '\n';
    // folded lines: one blank of the value stands for a line break and the next line's indentation
    if (k == 0 || (k <= scalar.text.size() && (scalar.text[k - 1] == ' ' || scalar.text[k - 1] == '\n')))
      while (!blank && i < text.size() && (text[i] == '\n' || text[i] == ' ')) ++i;
    if (k == character) return i;
    if (k >= scalar.text.size()) break;
    if (text[i] == want || (blank && (text[i] == '\n' || text[i] == '\t'))) {
      i += first == '\'' && want == '\'' ? 2 : 1;  // a doubled quote
    } else {
      break;  // an escape: only the beginning is known
    }
  }
  return scalar.offset;
}

}  // namespace escapement
