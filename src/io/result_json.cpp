#include "io/result_json.hpp"

namespace escapement::inline io {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const OptionValue& value) {
  return std::visit([](const auto& x) -> Json { return x; }, value);
}

Json json_of(const Summary::Levels& levels) { return {{"position", levels.position}, {"velocity", levels.velocity}}; }

// names differ, so that none is looked for
template <class List, class Value>
Json named(const List& list, Value value) {
  Json::object_t object;
  object.reserve(list.size());
  for (const auto& [name, item] : list) object.emplace_back(name, value(item));
  return object;
}

Json named(const NamedValues& values) {
  return named(values, [](double x) { return x; });
}

Json command_json(const Overrides& given) {
  Json command = Json::object();
  for (const auto& [key, list] : {std::pair{"set", &given.parameters}, std::pair{"option", &given.options}}) {
    command[key] = Json::array();
    for (const auto& [name, text] : *list) command[key].push_back({name, text});
  }
  for (const auto& [key, text] : {std::pair{"scheme", &given.scheme}, std::pair{"step", &given.step},
                                  std::pair{"tolerance", &given.tolerance}, std::pair{"end", &given.end}})
    if (*text) command[key] = **text;
  return command;
}

Overrides read_command(const Json& command) {
  Overrides overrides;
  for (const auto& [key, list] : {std::pair{"set", &overrides.parameters}, std::pair{"option", &overrides.options}})
    for (const Json& item : command.at(key)) list->emplace_back(item.at(0).get<std::string>(), item.at(1).get<std::string>());
  for (const auto& [key, text] : {std::pair{"scheme", &overrides.scheme}, std::pair{"step", &overrides.step},
                                  std::pair{"tolerance", &overrides.tolerance}, std::pair{"end", &overrides.end}})
    if (command.contains(key)) *text = command[key].get<std::string>();
  return overrides;
}

// numbers that are not finite are written as null
double number(const Json& value) { return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(); }

OptionValue read_option(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return number(value);
  std::vector<double> list;
  for (const Json& item : value) list.push_back(number(item));
  return list;
}

}  // namespace

Json to_json(const Assembled& a) {
  Json parts = Json::array();
  for (const Assembled::Part& part : a.parts) {
    parts.push_back({{"name", part.name}, {"moved", part.moved}});
    if (part.turned) parts.back()["turned"] = *part.turned;
  }
  return {{"moved", a.moved}, {"most_moved", a.most_moved}, {"changed", a.changed}, {"most_changed", a.most_changed}, {"parts", parts}};
}

Json to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& f : findings)
    list.push_back({{"what", f.what}, {"where", f.where}, {"t", f.t}, {"value", f.value}, {"limit", f.limit}, {"remedy", f.remedy}});
  return list;
}

Json to_json(const Summary& s) {
  const Counts& counts = s.evaluations;
  return {
      {"model", s.model},
      {"scheme", s.scheme},
      {"scheme_choice", s.scheme_choice},
      {"status", to_string(s.status)},
      {"verdict", s.verdict()},
      {"findings", to_json(s.findings)},
      {"message", s.message},
      {"t", s.t},
      {"steps", s.steps},
      {"rejected_steps", s.rejected_steps},
      {"average_step", s.average_step},
      {"newton_iterations", s.newton_iterations},
      {"evaluations",
       {{"mass", counts.mass}, {"force", counts.force}, {"jacobian", counts.jacobian}, {"curvature", counts.curvature},
        {"stiffness", counts.stiffness}, {"damping", counts.damping}, {"linear_solves", s.linear_solves}}},
      {"work", s.work},
      {"max_drift", json_of(s.max_drift)},
      {"scaled_drift", json_of(s.scaled_drift)},
      {"drift_by_constraint", named(s.drift_by_constraint, [](const Summary::Levels& levels) { return json_of(levels); })},
      {"max_penetration", s.max_penetration},
      {"has_contacts", s.has_contacts},
      {"impacts", s.impacts},
      {"impacts_with_energy_gain", s.impacts_with_energy_gain},
      {"energy", {{"initial", s.energy.initial}, {"final", s.energy.final}, {"max_error", s.energy.max_error}}},
      {"redundant_constraints", s.redundant_constraints},
      {"assembled", s.assembled ? to_json(*s.assembled) : Json()},
      {"warnings", s.warnings},
      {"final", {{"q", named(s.final.q)}, {"v", named(s.final.v)}}},
      {"wall_seconds", s.wall_seconds},
      {"version", s.version},
  };
}

OriginTexts to_texts(const Origin& origin) {
  Json overrides{{"end", origin.end}, {"scheme", origin.scheme}};
  if (origin.step) overrides["step"] = *origin.step;
  if (origin.tolerance) overrides["tolerance"] = *origin.tolerance;
  for (const auto& [file, sum] : origin.tables) overrides["tables"][file] = sum;
  return {named(origin.parameters).dump(), overrides.dump(), command_json(origin.command).dump(),
          named(origin.options, [](const OptionValue& value) { return json_of(value); }).dump()};
}

void read_texts(const OriginTexts& texts, Origin& origin) {
  const auto each = [](const std::string& text, auto action) {
    const Json json = Json::parse(text);
    for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) action(name, value);
  };
  each(texts.parameters, [&](const std::string& name, const Json& value) { origin.parameters.emplace_back(name, number(value)); });
  each(texts.options, [&](const std::string& name, const Json& value) { origin.options.emplace_back(name, read_option(value)); });
  const Json overrides = Json::parse(texts.overrides);
  origin.end = number(overrides.at("end"));
  origin.scheme = overrides.at("scheme").get<std::string>();
  if (overrides.contains("step")) origin.step = number(overrides["step"]);
  if (overrides.contains("tolerance")) origin.tolerance = number(overrides["tolerance"]);
  if (overrides.contains("tables"))
    for (const auto& [file, sum] : overrides["tables"].get_ref<const Json::object_t&>())
      origin.tables.emplace_back(file, sum.get<std::string>());
  origin.command = read_command(Json::parse(texts.command));
}

}  // namespace escapement
