// A model that can be run: a system with its start, settings, outputs and drawing, read from a file or built in C++.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/state_function.hpp"
#include "run/drawing.hpp"
#include "run/picture.hpp"
#include "run/result.hpp"
#include "simulate/settings.hpp"
#include "system/explicit_terms.hpp"
#include "system/system.hpp"

namespace escapement::inline run {

// how far assemble moved the start
struct Assembled {
  double moved = 0, changed = 0;          // largest change of a position and of a velocity
  std::string most_moved, most_changed;  // their names, empty: nothing changed
  struct Part {
    std::string name;              // a body, or a coordinate of a formula system
    double moved = 0;              // distance, or change of the coordinate
    std::optional<double> turned;  // angle of a body
  };
  std::vector<Part> parts;  // that moved
};

struct Model {
  std::string name;
  std::string file;                                        // as given
  std::string text;                                        // the file's full text
  std::vector<std::pair<std::string, std::string>> tables;  // files it reads, and what their bytes come to
  std::string kind;                                        // "formula system" or "mechanism"
  std::vector<std::pair<std::string, double>> parameters;  // in the file's order, values in use
  std::unique_ptr<System> system;
  enum class Load { unused, factor, own } load = Load::unused;  // what `load` means in its expressions
  State start;  // t, q, v consistent; the rest sized and zero
  std::optional<Assembled> assembled;
  Settings settings;
  std::vector<std::string> output_names, output_units;  // units as given, empty: none
  StateFunction outputs;              // one value per name
  std::optional<StateFunction> stop;  // not 0: the run ends
  ExplicitTerms stop_terms;           // of this condition alone, reactions included
  ExplicitTerms explicit_terms;       // of all that moves it, and of what ends it
  Drawing drawing;
  Picture scene;                      // the bodies and joints of a mechanism
  Overrides overrides;                // as given
  std::vector<std::string> warnings;  // "FILE:LINE:COLUMN: ..."
  // what of the model no step can go beyond at a state, in words; empty: nothing, or nobody knows
  std::function<std::string(const State&)> limit_reached;
};

std::vector<std::string> redundant_constraints(const System&, const State&);  // names of dependent bilateral rows

}  // namespace escapement
