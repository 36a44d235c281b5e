// An MJCF file as it is written: elements whose attributes fall back on defaults, places in its units of angles.
#pragma once

#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "io/import_text.hpp"
#include "io/source_text.hpp"

namespace escapement::inline io {

// an element with the class whose defaults it takes
struct MjcfElement {
  pugi::xml_node node;
  std::string of_class;
};

class MjcfTree {
 public:
  explicit MjcfTree(SourceText source);  // throws ModelError

  const std::string& file() const { return source_.file(); }
  pugi::xml_node root() const { return root_; }
  pugi::xml_node compiler() const { return root_.child("compiler"); }
  // of a child of something with this class
  MjcfElement element(pugi::xml_node, const std::string& class_of_parent) const;

  pugi::xml_attribute attribute(const MjcfElement&, const char* key) const;  // its own, or that of its class; empty: none
  std::string word(const MjcfElement&, const char* key, const std::string& fallback) const;
  double number(const MjcfElement&, const char* key, double fallback) const;
  std::vector<double> numbers(const MjcfElement&, const char* key) const;  // none: not given
  Vec3 vector(const MjcfElement&, const char* key, const Vec3& fallback) const;
  Place3 place(const MjcfElement&) const;  // pos and one of quat, axisangle, euler, xyaxes, zaxis
  double angle_unit() const { return degrees_ ? M_PI / 180 : 1; }

  static std::size_t offset_of(pugi::xml_node node) { return node.offset_debug() > 0 ? static_cast<std::size_t>(node.offset_debug()) - 1 : 0; }
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const { source_.fail(offset, message); }
  [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const { fail(offset_of(node), message); }
  void warn(pugi::xml_node node, const std::string& message);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Attributes = std::map<std::string, pugi::xml_attribute>;
  using Class = std::map<std::string, Attributes>;  // by element

  void read_defaults(pugi::xml_node, const Class& outer, bool outermost);
  Mat3 rotation(const MjcfElement&) const;

  SourceText source_;
  std::string buffer_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::map<std::string, Class> classes_;
  bool degrees_ = true;
  std::string euler_order_ = "xyz";
  std::vector<std::string> warnings_;
};

}  // namespace escapement
