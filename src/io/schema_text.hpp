// What is made from the schema of the model format: the reference page, a JSON schema for editors, help on a key.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace escapement::inline io {

std::string schema_reference();        // a page in Markdown
nlohmann::ordered_json json_schema();  // JSON Schema, draft 7
std::string help_overview();           // the blocks of a model
// what a key ("friction"), a path ("simulation.end"), an option or a scheme means; empty when nothing has this name
std::string key_help(const std::string& key);
std::string key_suggestion(const std::string& key);  // "; did you mean ...?", or empty

}  // namespace escapement
