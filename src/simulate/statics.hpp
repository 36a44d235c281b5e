// Static equilibrium near a state, and the natural frequencies of small motions about it.
#pragma once

#include <complex>
#include <vector>

#include "system/system.hpp"

namespace escapement::inline simulate {

struct Equilibrium {
  bool found = false;
  State state;             // at rest; lambda holds the reactions
  std::vector<char> held;  // per contact: closed and pushing
  double residual = 0;     // largest unbalanced force over the largest force, with constraints; infinite: not a number
  Vec unbalanced;          // forces, per velocity
  int iterations = 0;
};

// Newton's method for f(q, 0) + G^T lambda = 0, g = 0 at the time of the given state, which must satisfy its
// constraints. Contacts that are closed in the given state or that the way to the equilibrium closes are held while
// they push; where nothing holds it, the system falls until a contact does. A stable equilibrium is preferred unless
// the given state is an unstable one itself. Contacts have no friction here. A system that leaves out redundant rows
// is given with all of them (Model::rows): those a motion can do without may be the ones that hold it where it rests
Equilibrium find_equilibrium(const System&, const State&);

struct NaturalMode {
  double square = 0;         // of the angular frequency; negative: unstable in this direction, 0: nothing holds it
  Vec shape;                 // velocities, largest entry 1
  double frequency() const;  // in hertz, of a stable mode
};

struct Modes {
  std::vector<NaturalMode> modes;                 // without damping, ascending
  std::vector<std::complex<double>> eigenvalues;  // with damping and gyroscopic terms, by magnitude; empty without
  bool all = true;     // false: there are more modes, and damping was not looked at
  bool finite = true;  // false: stiffness or damping is not a number there, and no mode is known
};

// Small motions about an equilibrium that keep the bilateral rows and the contacts that are held, without friction in them.
// count: the lowest so many (0: all); of large systems these alone are looked for, without damping
Modes find_modes(const System&, const Equilibrium&, int count = 0);

}  // namespace escapement
