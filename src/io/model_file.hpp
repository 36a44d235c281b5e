// Model files: YAML in, a model that can be run out.
#pragma once

#include <memory>
#include <string>

#include "io/model_error.hpp"
#include "run/model.hpp"

namespace escapement::inline io {

// throws ModelError, or OverrideError for what the command line gave
Model load_model(const std::string& path, const Overrides& = {});
// the same from a text; file is its name in messages, and tables are looked for in its folder
Model read_model(const std::string& file, const std::string& text, const Overrides& = {});
// the model of a result, with the overrides it was run with; file: where its tables are
Model read_model_of(const Result&, const std::string& file);
// why a run of this model would not go on from a result with the same bits; file: where the model was, which may be gone
std::vector<std::string> changes_since(const Result&, const Model&, const std::string& file);

// the texts of the files that a model reads (Model::tables), for Overrides::files: a model that carries them can be read anywhere
std::vector<std::pair<std::string, std::string>> table_files(const std::string& model_file, const Overrides&,
                                                             const std::vector<std::pair<std::string, std::string>>& tables);

// A model's text from which many models are read that differ in what overrides give: the text is taken apart once, and formulas
// that differ in numbers alone are derived once. What it reads is what read_model reads, to the bit. For several threads
class ModelText {
 public:
  ModelText(const std::string& file, const std::string& text);  // throws ModelError
  ~ModelText();

  Model read(const Overrides&) const;  // as read_model
  std::size_t derived() const;         // how many systems of formulas were derived for others to be made like them

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace escapement
