// Reference solutions of tests/data as states.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "system/system.hpp"

namespace escapement::testing {

inline nlohmann::json read_json(const std::string& name) {
  const std::string path = escapement::testing::source_folder() + "/tests/data/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(file);
}

inline Vec read_vector(const nlohmann::json& list) {
  Vec x(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) x[i] = std::stod(list[i].get<std::string>());
  return x;
}

// the entries {t, q, v, a, lambda} of a grid
inline std::vector<State> read_grid(const nlohmann::json& grid) {
  std::vector<State> states;
  for (const auto& entry : grid) {
    State& s = states.emplace_back();
    s.t = std::stod(entry.at("t").get<std::string>());
    s.q = read_vector(entry.at("q"));
    s.v = read_vector(entry.at("v"));
    s.vdot = read_vector(entry.at("a"));
    s.lambda = read_vector(entry.at("lambda"));
  }
  return states;
}

inline State at_time(const std::vector<State>& grid, double t) {
  for (const State& s : grid)
    if (std::abs(s.t - t) < 1e-12) return s;
  throw std::runtime_error("the reference has no such time");
}

}  // namespace escapement::testing
