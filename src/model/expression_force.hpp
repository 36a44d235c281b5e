// Forces given by expressions.
#pragma once

#include <array>
#include <optional>

#include "model/force.hpp"
#include "model/vocabulary.hpp"

namespace escapement::inline model {

// a force at a point of a body and a torque on it; an action on the ground has no effect
template <int D>
struct Action {
  int body = ground;
  Vector<D> point = Vector<D>::Zero();  // fixed in the body
  std::optional<int> point_of{};        // or in this one, which carries the point along
  bool in_body = false;                 // components in the body frame, else in the world
  std::array<Expr, D> force{};          // Expr{} is 0
  std::array<Expr, angular<D>> torque{};
};

// what acts on `from` when an action in world components is one between two bodies: its opposite, at the same point of
// the world at every instant, so that momentum and angular momentum stay what they are
template <int D>
Action<D> reaction_to(ExpressionGraph&, const Action<D>&, int from);

// pushes along a measure by an expression of t, names, rates and states
template <int D>
struct Push {
  MeasurePtr<D> measure;
  Expr size;
};
template <int D>
ForcePtr<D> make_generalized_force(ExpressionGraph&, const Vocabulary<D>&, std::vector<Push<D>>);

template <int D>
ForcePtr<D> make_expression_force(ExpressionGraph&, const Vocabulary<D>&, std::vector<Action<D>>);

}  // namespace escapement
