// Builds a YamlTree from the events of the YAML parser.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <map>
#include <vector>

#include "io/yaml_tree.hpp"

namespace escapement::inline io {

class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(const SourceText& source, YamlTree& tree) : source_(source), tree_(tree) {}
  bool has_document() const { return documents_ > 0; }

  void OnDocumentStart(const YAML::Mark&) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override;
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override;
  void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t, const std::string& value) override;
  void OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override;
  void OnMapEnd() override { close(); }

 private:
  struct Open {  // a collection that is not complete yet
    YamlNode* node = nullptr;
    YAML::anchor_t anchor = 0;
    std::size_t expanded = 1;  // values it holds when every alias is written out
    bool has_key = false;
    std::string key{};
    std::size_t key_offset = 0;
  };

  YamlNode& add_node(YamlNode::Kind, const YAML::Mark&, const std::string& tag);
  void open(YamlNode&, YAML::anchor_t);
  void close();
  void place(const YamlNode&, YAML::anchor_t, std::size_t offset, std::size_t expanded);
  void take_key(const YamlNode&, std::size_t offset);
  void check_commas(const YamlNode&) const;
  void check_duplicates(const YamlNode&) const;
  void resolve_merges(YamlNode&, std::size_t& expanded) const;

  const SourceText& source_;
  YamlTree& tree_;
  std::vector<Open> stack_;
  struct Anchored {
    const YamlNode* node;
    std::size_t expanded;
  };
  std::map<YAML::anchor_t, Anchored> anchors_;
  int documents_ = 0;
};

}  // namespace escapement
