// Model files: YAML in, a system with its start, settings, outputs and drawing out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/drawing.hpp"
#include "io/model_error.hpp"
#include "io/picture.hpp"
#include "model/state_function.hpp"
#include "simulate/settings.hpp"
#include "system/explicit_terms.hpp"
#include "system/system.hpp"

namespace escapement {

// what the command line changes, as texts: each value may be an expression of the parameters
struct Overrides {
  std::vector<std::pair<std::string, std::string>> parameters;  // --set name=value
  std::optional<std::string> scheme, step, tolerance, end;      // step and tolerance replace each other
  std::vector<std::pair<std::string, std::string>> options;     // --option key=value; lists as [a, b]
  double load = 1;               // what `load` in expressions is, unless the model has something of this name
  bool lenient_options = false;  // options the scheme does not take are left for somebody else to judge
};

struct Model {
  std::string name;
  std::string file;                                        // as given
  std::string text;                                        // the file's full text
  std::string kind;                                        // "formula system" or "mechanism"
  std::vector<std::pair<std::string, double>> parameters;  // in the file's order, values in use
  std::unique_ptr<System> system;
  std::unique_ptr<System> every_row;  // the same with rows that its equations leave out; null: there are none
  const System& rows() const { return every_row ? *every_row : *system; }
  enum class Load { unused, factor, own } load = Load::unused;  // what `load` means in its expressions
  State start;   // t, q, v consistent; the rest sized and zero
  struct Assembled {
    double moved = 0, changed = 0;          // largest change of a position and of a velocity by assemble
    std::string most_moved, most_changed;  // their names, empty: nothing changed
    struct Part {
      std::string name;            // a body, or a coordinate of a formula system
      double moved = 0, turned = 0;  // distance, or change of the coordinate; angle
    };
    std::vector<Part> parts;  // that moved
  };
  std::optional<Assembled> assembled;
  Settings settings;
  std::vector<std::string> output_names, output_units;  // units as given, empty: none
  StateFunction outputs;              // one value per name
  std::optional<StateFunction> stop;  // not 0: the run ends
  ExplicitTerms explicit_terms;       // of all that moves it, and of what ends it
  Drawing drawing;
  Picture scene;                      // the bodies and joints of a mechanism
  Overrides overrides;                // as given
  std::vector<std::string> warnings;  // "FILE:LINE:COLUMN: ..."
};

// throws ModelError, or OverrideError for what the command line gave
Model load_model(const std::string& path, const Overrides& = {});
// the same from a text; file is its name in messages, and tables are looked for in its folder
Model read_model(const std::string& file, const std::string& text, const Overrides& = {});

}  // namespace escapement
