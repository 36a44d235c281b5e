// The schema of the model format, and what is made from it.
#include "io/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "io/model_file.hpp"
#include "io/schema_text.hpp"
#include "support/source_folder.hpp"

namespace escapement::schema_test {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(escapement::testing::source_folder() + "/" + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Schema, TheToleranceByDefaultIsThatOfRuns) {
  EXPECT_EQ(std::strtod(std::string(find_key("model.simulation", "tolerance")->fallback).c_str(), nullptr), Settings::default_tolerance);
}

TEST(Schema, EveryKeyStandsOnceInABlockThatExists) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const KeyInfo& info : schema()) {
    EXPECT_TRUE(seen.emplace(info.where, info.key).second) << info.where << " " << info.key;
    EXPECT_FALSE(info.doc.empty()) << info.key;
    EXPECT_EQ(info.type == ValueType::word, !info.choices.empty()) << info.key;
    const std::string where(info.where);
    if (where == "model" || where == "formula" || where == "mechanism") continue;
    const std::string_view above = info.where.substr(0, info.where.rfind('.'));
    const std::string_view name = info.where.substr(info.where.rfind('.') + 1);
    const KeyInfo* owner = find_key(above, name);
    // the items of a list have no entry of their own
    if (!owner && name == "*") owner = find_key(above.substr(0, above.rfind('.')), above.substr(above.rfind('.') + 1));
    EXPECT_TRUE(owner) << where;
  }
}

TEST(Schema, RequiredKeysAreAskedFor) {
  const std::string mechanism =
      "escapement: 1\ndimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\nsimulation: {end: 1}\n";
  const std::string formula =
      "escapement: 1\ncoordinates: {x: {}}\nkinetic_energy: x'^2\ncontacts: {c: {gap: x + 1}}\nsimulation: {end: 1}\n";
  const auto fails_without = [](std::string text, const std::string& part, const std::string& key) {
    const std::size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    text.erase(at, part.size());
    try {
      read_model("m.yaml", text);
      ADD_FAILURE() << "read without " << part;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  };
  EXPECT_NO_THROW(read_model("m.yaml", mechanism));
  EXPECT_NO_THROW(read_model("m.yaml", formula));
  fails_without(mechanism, "dimension: 2\n", "dimension");
  fails_without(mechanism, "bodies: {a: {mass: 1, inertia: 1}}\n", "bodies");
  fails_without(mechanism, "mass: 1, ", "mass");
  fails_without(mechanism, ", inertia: 1", "inertia");
  fails_without(mechanism, "end: 1", "end");
  fails_without(formula, "coordinates: {x: {}}\n", "coordinates");
  fails_without(formula, "kinetic_energy: x'^2\n", "kinetic_energy");
  fails_without(formula, "gap: x + 1", "gap");
  EXPECT_TRUE(find_key("mechanism", "dimension")->required);
}

TEST(Schema, TheReferencePageIsUpToDate) {
  EXPECT_EQ(text_of("docs/model-reference.md"), schema_reference())
      << "make it anew: escapement schema --markdown > docs/model-reference.md";
}

TEST(Schema, TheSchemaForEditorsKnowsEveryKey) {
  const auto editors = json_schema();
  for (const auto& [kind, index] : {std::pair{"formula", 0}, std::pair{"mechanism", 1}})
    for (const char* where : {"model", kind})
      for (const KeyInfo* info : keys_of(where)) {
        const auto& properties = editors["anyOf"][index]["properties"];
        ASSERT_EQ(properties.contains(std::string(info->key)), info->built) << info->key;
        if (!info->built) continue;
        EXPECT_EQ(properties[std::string(info->key)]["description"], std::string(info->doc));
      }
  const auto& mechanism = editors["anyOf"][1]["properties"];
  EXPECT_EQ(mechanism["bodies"]["additionalProperties"]["properties"]["mass"]["exclusiveMinimum"], 0);
  EXPECT_EQ(mechanism["bodies"]["additionalProperties"]["required"].size(), 2u);
  const auto schemes = mechanism["simulation"]["properties"]["scheme"]["enum"].get<std::vector<std::string>>();
  EXPECT_NE(std::find(schemes.begin(), schemes.end(), "hem5"), schemes.end());
  EXPECT_TRUE(mechanism["simulation"]["properties"]["options"]["properties"].contains("rho_infinity"));
}

TEST(Schema, ExplainsKeysOptionsAndSchemes) {
  EXPECT_NE(key_help("revolute").find("joints.NAME.revolute (list)"), std::string::npos);
  EXPECT_NE(key_help("simulation.end").find("required"), std::string::npos);
  EXPECT_NE(key_help("joints.at").find("Its place"), std::string::npos);
  EXPECT_NE(key_help("restitution").find("must lie between 0 and 1"), std::string::npos);
  EXPECT_NE(key_help("rho_infinity").find("generalized-alpha"), std::string::npos);
  EXPECT_NE(key_help("hem5").find("(scheme)"), std::string::npos);
  EXPECT_NE(key_help("bodies").find("inertia"), std::string::npos);
  EXPECT_EQ(key_help("frictoin"), "");
  EXPECT_NE(key_suggestion("frictoin").find("friction"), std::string::npos);
}

}  // namespace
}  // namespace escapement
