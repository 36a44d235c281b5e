// The parameter sets of the structural methods in the reference file.
#pragma once

#include "schemes/structural.hpp"
#include "support/reference.hpp"

namespace escapement::testing {

using Given = std::map<std::string, OptionValue>;

inline const std::string E = "structural-explicit", CE = "structural-conditional", I = "structural-implicit";

inline double fraction(const std::string& text) {
  const auto slash = text.find('/');
  return slash == std::string::npos ? std::stod(text)
                                    : std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

// one parameter set of the reference file
struct StructuralSet {
  std::string scheme, name;
  int degree = 0;
  std::vector<double> alpha;
  nlohmann::json data;

  explicit StructuralSet(const nlohmann::json& entry) : degree(entry.at("degree")), data(entry) {
    const std::string family = entry.at("family");
    scheme = family == "E" ? E : family == "CE" ? CE : I;
    name = family + std::to_string(degree);
    for (const std::string text : entry.at("alpha")) {
      alpha.push_back(fraction(text));
      name += " " + text;
    }
  }
  Given options() const { return {{"degree", double(degree)}, {"parameters", alpha}}; }
};

inline std::vector<StructuralSet> reference_sets(const char* key) {
  const nlohmann::json file = read_json("002_structural_methods.json");
  std::vector<StructuralSet> sets;
  for (const auto& entry : file.at(key)) sets.emplace_back(entry);
  return sets;
}

}  // namespace escapement::testing
