// What the commands that look for equilibria say about them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/model_file.hpp"
#include "simulate/statics.hpp"

namespace escapement::cli {

struct Touch {
  std::string name;
  bool held;
  double gap, force;
};
std::vector<Touch> touches(const Model&, const Equilibrium&);
std::vector<std::string> with_friction(const Model&);  // contacts
nlohmann::ordered_json equilibrium_json(const Model&, const Equilibrium&);
void print_equilibrium(const Model&, const Equilibrium&);
std::string why_not(const Model&, const Equilibrium&);  // none was found

}  // namespace escapement::cli
