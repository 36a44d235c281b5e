#include "model/contact_force.hpp"

#include <limits>

namespace escapement::inline model {

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

// the size of the slip over a velocity; that of two has slopes also at rest
Expr size_over(ExpressionGraph& graph, std::span<const Expr> slips, double velocity) {
  if (slips.size() == 1) return graph.function(Op::abs, graph.scale(slips[0], 1 / velocity));
  std::vector<Expr> squares;
  for (const Expr slip : slips) squares.push_back(graph.square(graph.scale(slip, 1 / velocity)));
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  squares.push_back(graph.constant(rounding * rounding));
  return graph.sqrt(graph.sum(squares));
}

// Stribeck's curve
Expr coefficient(ExpressionGraph& graph, const ContactForceLaw& law, std::span<const Expr> slips) {
  if (law.mu_s == law.mu_k) return graph.constant(law.mu_k);
  // a square has no corner where the slip turns round
  const Expr power = law.gamma == 2 && slips.size() == 1 ? graph.square(graph.scale(slips[0], 1 / law.v_s))
                     : law.gamma == 2                    ? graph.square(size_over(graph, slips, law.v_s))
                                                         : graph.pow(size_over(graph, slips, law.v_s), law.gamma);
  const Expr fading = graph.function(Op::exp, graph.neg(power));
  return graph.add(graph.constant(law.mu_k), graph.scale(fading, law.mu_s - law.mu_k));
}

// tanh(|s|/velocity) in the direction of s, along one slip
Expr direction(ExpressionGraph& graph, const ContactForceLaw& law, std::span<const Expr> slips, std::size_t along) {
  const Expr part = graph.scale(slips[along], 1 / law.velocity);
  if (slips.size() == 1) return graph.function(Op::tanh, part);
  const Expr size = size_over(graph, slips, law.velocity);
  return graph.mul(graph.div(graph.function(Op::tanh, size), size), part);
}

}  // namespace

ContactForce contact_force(ExpressionGraph& graph, const ContactForceLaw& law, Expr gap, Expr gap_rate,
                           std::span<const Expr> slips, std::span<const Expr> states) {
  ContactForce out;
  out.normal = normal_force(graph, law, gap, gap_rate);
  if (law.friction == Friction::none) return out;
  const Expr mu = coefficient(graph, law, slips);
  for (std::size_t k = 0; k < slips.size(); ++k) {
    const Expr slip = slips[k];
    Expr relative{};  // friction over the normal force
    if (law.friction == Friction::lugre) {
      // z' = s - |s| u/mu
      const Expr size = slips.size() == 1 ? graph.function(Op::abs, slip) : graph.scale(size_over(graph, slips, law.v_s), law.v_s);
      const Expr rate = graph.sub(slip, graph.div(graph.mul(size, states[k]), mu));
      relative = graph.add(states[k], graph.add(graph.scale(rate, law.sigma1), graph.scale(slip, law.sigma2)));
      const Expr zero = graph.constant(0);
      out.state_rates.push_back(graph.select(graph.function(Op::less, gap, zero), graph.scale(rate, law.sigma0), zero));
    } else {
      relative = graph.mul(mu, direction(graph, law, slips, k));
      if (law.friction == Friction::stribeck) relative = graph.add(relative, graph.scale(slip, law.sigma2));
    }
    out.friction.push_back(graph.neg(graph.mul(out.normal, relative)));
  }
  return out;
}

}  // namespace escapement
