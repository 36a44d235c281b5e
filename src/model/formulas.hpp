// A mechanical system given by formulas: energies, generalized forces, constraints and contacts.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "math/expression.hpp"

namespace escapement::inline model {

struct FormulaConstraint {
  std::string name;
  Expr g;  // = 0
};

struct FormulaContact {
  std::string name;
  Expr gap;  // >= 0
  double restitution = 0, friction = 0;
  std::vector<Expr> slip;  // tangential velocity, affine in the rates; used when friction > 0: one, or two in space
};

struct Formulas {
  std::vector<std::string> names;  // of the coordinates
  Expr t;
  std::vector<Expr> q, v;  // the variables that stand for coordinates and rates
  std::vector<double> scale;  // what counts as one in each coordinate, and per second in its rate; empty: 1
  Expr kinetic{}, potential{};
  std::vector<Expr> forces;  // one per coordinate
  std::vector<std::string> state_names;
  std::vector<Expr> z, state_rates;  // first-order states: the variables that stand for them, and z'
  std::vector<Expr> parameters;  // variables that are no state: they stay open where many members are run at once
  std::vector<FormulaConstraint> constraints;
  std::vector<FormulaContact> contacts;
};

struct FormulaError : std::runtime_error {
  enum class Part { kinetic_energy, slip } part;
  int contact;  // of a slip
  FormulaError(Part part_, int contact_, const std::string& message)
      : std::runtime_error(message), part(part_), contact(contact_) {}
};

}  // namespace escapement
