// The order in which what a model defines can be evaluated: each after those that it uses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/yaml_tree.hpp"

namespace escapement::inline io {

using Uses = std::vector<std::vector<std::size_t>>;  // of each: those it needs first

struct OrderOfUse {
  std::vector<std::size_t> order;
  std::vector<std::size_t> circle;  // where some are left over: those that use each other in turn
};
OrderOfUse order_of_use(const Uses&);

// "a -> b -> a", or how many they are
std::string circle_text(const std::vector<std::size_t>& circle, const std::vector<const YamlNode::Entry*>& entries);

}  // namespace escapement
