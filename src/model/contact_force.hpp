// Compliant contact: the force of a contact as expressions of its gap, its rate and the slip.
#pragma once

#include <span>
#include <vector>

#include "math/expression.hpp"

namespace escapement::inline model {

struct ContactForceLaw {
  // depth d = -gap > 0:
  //   linear         stiffness d + damping d'
  //   hertz          stiffness d^exponent + damping d'
  //   hunt_crossley  stiffness d^exponent (1 + damping d')
  // never below 0
  enum class Normal { linear, hertz, hunt_crossley } normal = Normal::linear;
  double stiffness = 0, damping = 0, exponent = 1;

  // of the normal force N, against the slip s (in space two, across each other: |s| is their size, and each has its own z):
  //   regularised    mu_k N tanh(s/velocity)
  //   stribeck       N (mu(s) tanh(s/velocity) + sigma2 s),   mu(s) = mu_k + (mu_s - mu_k) exp(-|s/v_s|^gamma)
  //   lugre          N (u + sigma1 z' + sigma2 s),   u = sigma0 z,   z' = s - |s| u/mu(s)
  // lugre has the state u, which stays while the contact is open
  enum class Friction { none, regularised, stribeck, lugre } friction = Friction::none;
  double mu_s = 0, mu_k = 0, v_s = 0.001, gamma = 2, velocity = 0.001, sigma0 = 0, sigma1 = 0, sigma2 = 0;
};

struct ContactForce {
  Expr normal{};                    // along the gap, at least 0
  std::vector<Expr> friction{};     // along each slip
  std::vector<Expr> state_rates{};  // of lugre's u, one for each slip
};

// slips and states are read where the law needs them
ContactForce contact_force(ExpressionGraph&, const ContactForceLaw&, Expr gap, Expr gap_rate, std::span<const Expr> slips,
                           std::span<const Expr> states);

}  // namespace escapement
