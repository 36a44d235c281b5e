// The stages of a Runge-Kutta method: their rates of change Xdot_i, and the points to which these lead.
#pragma once

#include <span>
#include <vector>

#include "system/system.hpp"

namespace escapement::inline schemes {

struct StageRates {
  std::vector<Vec> q, v, z;  // per stage

  void resize(int stages, const Dim&);
  // t, q, v and z of x = x_n + h sum_j weights_j Xdot_j, c h after s, over as many stages as there are weights
  void lead(const State& s, double h, double c, std::span<const double> weights, State& x) const;
  // h sum_j weights_j Xdot_j
  void sum(double h, std::span<const double> weights, Vec& sum_q, Vec& sum_v, Vec& sum_z) const;
};

// t, q, v and z; what else a state holds stays
void copy_point(const State& from, State& to);

}  // namespace escapement
