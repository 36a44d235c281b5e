// Static equilibrium near a state, and the natural frequencies of small motions about it.
#pragma once

#include <complex>
#include <vector>

#include "system/system.hpp"

namespace escapement {

struct Equilibrium {
  bool found = false;
  State state;          // at rest; lambda holds the reactions
  double residual = 0;  // largest unbalanced force over the largest force, with constraints
  int iterations = 0;
};

// Newton's method for f(q, 0) + G^T lambda = 0, g = 0 at the time of the given state, which must satisfy its
// constraints; contacts that the given state or the way to the equilibrium closes are held while they push
Equilibrium find_equilibrium(const System&, const State&);

struct Mode {
  double square = 0;         // of the angular frequency; negative: the equilibrium is unstable in this direction
  Vec shape;                 // velocities, largest entry 1
  double frequency() const;  // in hertz, of a stable mode
};

struct Modes {
  std::vector<Mode> modes;                        // without damping, ascending
  std::vector<std::complex<double>> eigenvalues;  // with damping and gyroscopic terms, by magnitude; empty without
};

// small motions about an equilibrium that keep the bilateral rows and the contacts with reactions
Modes find_modes(const System&, const State& equilibrium);

}  // namespace escapement
