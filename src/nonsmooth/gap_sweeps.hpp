// Frictionless contacts at position level: 0 <= g + J dx  perp  P >= 0 with dx = A^-1 J^T P, by sweeps of Gauss-Seidel. What a sweep
// reads of a contact stands together, and contacts that turn no body (a ball's) read no more than that.
#pragma once

#include <vector>

#include "nonsmooth/many_contacts.hpp"

namespace escapement::inline nonsmooth {

class GapSweeps {
 public:
  // contacts without friction, their responses set, the gaps as bias; their bodies' velocities are dx, which sweeps change
  void start(ManyContacts&);
  double sweep();  // the largest W |dP|, a length

 private:
  using V3 = ManyContacts::V3;
  struct Row {
    V3 n;
    double gap, P = 0, response;  // W
    double a_mass, b_mass;        // inverses
    int a, b;
    bool turns, wide, own;
    int contact;
    V3 La, Lb, a_turning, b_turning;  // a_turning: what a unit of P turns it by
  };

  ManyContacts* problem_ = nullptr;
  std::vector<Row> rows_;
};

}  // namespace escapement
