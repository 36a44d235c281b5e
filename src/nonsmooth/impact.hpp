// Impact laws over all contacts that take part at once, with Coulomb friction. U: relative velocities of the rows,
// normal and slip, just before (-) and after (+); P: impulses; U+ = U_free + W P.
//
//   newton   0 <= U+ + e U-  perp  P >= 0 for every contact of the set, whatever the sign of its U-, each with its own
//   e;
//            friction acts against the slip after the impact. No energy is gained without friction and with one e.
//   moreau   one e for all contacts that feel each other, and the same e for the slips: friction acts against
//            U_t+ + e U_t-. Energy is never gained. Where the e differ, their mean is taken, weighted with
//            min(0, U-)^2 / W_ii: the energies of approach. Resting contacts have no say.
//   poisson  compression, 0 <= U  perp  P_c >= 0; then expansion, whose impulse is at least e P_c, and more only where
//   the
//            contact would close again. No energy is gained without friction and with one e.
//
// Clamping U- to approaching contacts (e min(0, U-)) looks natural and gains energy as soon as there are two contacts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nonsmooth/contact_solver.hpp"

namespace escapement::inline nonsmooth {

enum class ImpactLaw { newton, moreau, poisson };
ImpactLaw find_impact_law(std::string_view name);  // throws std::invalid_argument for another name
const std::vector<std::string>& impact_law_names();

// vectors have room for the rows reserved; only the first rows() entries count
struct ImpactProblem {
  ContactProblem contact;           // W = G M^-1 G^T over the rows of the set, and cones; the law writes b
  std::vector<double> restitution;  // per cone
  Vec u_minus;
  Vec u_free;     // without contact impulses: what the forces of a time step make of U-
  Vec P, u_plus;  // results; P is also the first guess

  void reserve(int rows);
  void clear();
  int add(const Cone&, double restitution);  // returns the first row, as ContactProblem::add
  int rows() const { return contact.rows(); }

  // workspace
  Vec compression, known;      // impulses of the compression, and what the expansion takes over from them
  std::vector<int> group;      // per cone: the first of the cones it is coupled with
  std::vector<double> offset;  // per cone: its own, while the expansion uses another
};

struct ImpactReport {
  bool ok = false;
  double residual = 0;  // as in SolveReport, the worst of the phases
  int iterations = 0;
  double energy = 0;         // P (U+ + U-)/2: change of kinetic energy by the impulses
  bool energy_gain = false;  // more than rounding
};

ImpactReport solve_step(ImpactLaw, ImpactProblem&, ContactSolver&);     // u_minus and u_free are given
ImpactReport solve_instant(ImpactLaw, ImpactProblem&, ContactSolver&);  // u_minus is given, and is u_free
}  // namespace escapement
