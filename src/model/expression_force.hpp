// Forces given by expressions.
#pragma once

#include <array>

#include "model/force.hpp"
#include "model/vocabulary.hpp"

namespace escapement {

// a force at a point of a body and a torque on it; an action on the ground has no effect
template <int D>
struct Action {
  int body = ground;
  Vector<D> point = Vector<D>::Zero();  // fixed in the body
  bool in_body = false;                 // components in the body frame, else in the world
  std::array<Expr, D> force{};          // Expr{} is 0
  std::array<Expr, angular<D>> torque{};
};

template <int D>
ForcePtr<D> make_expression_force(ExpressionGraph&, const Vocabulary<D>&, std::vector<Action<D>>);

}  // namespace escapement
