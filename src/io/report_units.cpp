#include "io/report_units.hpp"

#include "io/yaml_tree.hpp"

namespace escapement::inline io {

namespace {

class UnitFinder {
 public:
  explicit UnitFinder(const YamlNode& model) : model_(model) {}

  std::map<std::string, std::string> find() {
    each("coordinates", [&](const YamlNode::Entry& entry) { give(entry, {"q/" + entry.key, "v/" + entry.key}); });
    each("states", [&](const YamlNode::Entry& entry) { give(entry, {"states/" + entry.key}); });
    each("outputs", [&](const YamlNode::Entry& entry) { give(entry, {"outputs/" + entry.key}); });
    each("contacts", [&](const YamlNode::Entry& entry) { give(entry, {"contacts/" + entry.key + "/gap", "contacts/" + entry.key + "/gap_rate"}); });
    each("forces", [&](const YamlNode::Entry& entry) { brake(entry); });
    return std::move(units_);
  }

 private:
  template <class Action>
  void each(const char* block, Action action) const {
    const YamlNode::Entry* entries = model_.find(block);
    if (!entries || !entries->value->is_map()) return;
    for (const YamlNode::Entry& entry : entries->value->entries)
      if (entry.value->is_map()) action(entry);
  }

  // of a quantity and, where it has one, of its rate
  void give(const YamlNode::Entry& entry, std::initializer_list<std::string> paths) {
    const YamlNode::Entry* unit = entry.value->find("unit");
    if (!unit || !unit->value->is_scalar()) return;
    for (const std::string& path : paths) units_[path] = path == *paths.begin() ? unit->value->text : unit->value->text + "/s";
  }

  // friction against the angle of a joint is a torque
  void brake(const YamlNode::Entry& entry) {
    const YamlNode::Entry *joint = entry.value->find("friction"), *coordinate = entry.value->find("coordinate"), *joints = model_.find("joints");
    if (!joint || !joint->value->is_scalar() || !joints || !joints->value->is_map()) return;
    const YamlNode::Entry* of = joints->value->find(joint->value->text);
    const bool slides = coordinate ? coordinate->value->text == "length" : of && of->value->is_map() && of->value->find("prismatic");
    units_["brakes/" + entry.key + "/force"] = slides ? "N" : "N m";
  }

  const YamlNode& model_;
  std::map<std::string, std::string> units_;
};

}  // namespace

std::map<std::string, std::string> units_in(const std::string& model_text) {
  try {
    const SourceText source("model", model_text);
    const YamlTree tree(source);
    if (tree.root().is_map()) return UnitFinder(tree.root()).find();
  } catch (const ModelError&) {  // a model that was built by a program has no text
  }
  return {};
}

}  // namespace escapement
