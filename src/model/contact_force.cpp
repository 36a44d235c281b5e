#include "model/contact_force.hpp"

namespace escapement {

namespace {

using Normal = ContactForceLaw::Normal;
using Friction = ContactForceLaw::Friction;

Expr normal_force(ExpressionGraph& graph, const ContactForceLaw& law, Expr gap, Expr gap_rate) {
  const Expr zero = graph.constant(0), depth = graph.function(Op::max, graph.neg(gap), zero);
  const Expr elastic = graph.scale(law.exponent == 1 ? depth : graph.pow(depth, law.exponent), law.stiffness);
  if (law.damping == 0) return elastic;
  const Expr rate = graph.neg(gap_rate);
  const Expr force = law.normal == Normal::hunt_crossley
                         ? graph.mul(elastic, graph.add(graph.constant(1), graph.scale(rate, law.damping)))
                         : graph.add(elastic, graph.scale(rate, law.damping));
  return graph.select(graph.function(Op::less, gap, zero), graph.function(Op::max, force, zero), zero);
}

// Stribeck's curve
Expr coefficient(ExpressionGraph& graph, const ContactForceLaw& law, Expr slip) {
  if (law.mu_s == law.mu_k) return graph.constant(law.mu_k);
  const Expr size = graph.function(Op::abs, graph.scale(slip, 1 / law.v_s));
  const Expr fading =
      graph.function(Op::exp, graph.neg(law.gamma == 2 ? graph.square(size) : graph.pow(size, law.gamma)));
  return graph.add(graph.constant(law.mu_k), graph.scale(fading, law.mu_s - law.mu_k));
}

}  // namespace

ContactForce contact_force(ExpressionGraph& graph, const ContactForceLaw& law, Expr gap, Expr gap_rate, Expr slip,
                           Expr state) {
  ContactForce out;
  out.normal = normal_force(graph, law, gap, gap_rate);
  if (law.friction == Friction::none) return out;
  Expr relative{};  // friction over the normal force
  if (law.friction == Friction::lugre) {
    const Expr mu = coefficient(graph, law, slip);
    // z' = s - |s| u/mu
    const Expr rate = graph.sub(slip, graph.div(graph.mul(graph.function(Op::abs, slip), state), mu));
    relative = graph.add(state, graph.add(graph.scale(rate, law.sigma1), graph.scale(slip, law.sigma2)));
    const Expr zero = graph.constant(0);
    out.state_rate = graph.select(graph.function(Op::less, gap, zero), graph.scale(rate, law.sigma0), zero);
  } else {
    const Expr sign = graph.function(Op::tanh, graph.scale(slip, 1 / law.velocity));
    relative = graph.mul(coefficient(graph, law, slip), sign);
    if (law.friction == Friction::stribeck) relative = graph.add(relative, graph.scale(slip, law.sigma2));
  }
  out.friction = graph.neg(graph.mul(out.normal, relative));
  return out;
}

}  // namespace escapement
