// The stages of HEM5 with contacts that may let go, [000] (20): in every stage
//   M(Q_i) V'_i - G^T(Q_i) Lambda_i = f,   0 <= G(Q_{i+1}) V'_i - r_i  perp  Lambda_i >= 0   on contacts, equality on other rows
// (the printed third line pairs V'_i with Lambda_i: docs/errata.md). Contacts that contradict each other beyond an edge have no
// solution as equalities; here the one that cannot follow carries no force.
#pragma once

#include <memory>
#include <vector>

#include "math/saddle_solver.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "schemes/stage_rates.hpp"
#include "system/system.hpp"

namespace escapement::inline schemes {

class StageComplementarity {
 public:
  // rows first_contact .. first_contact + contacts - 1 of the system are contacts; its zero rows are off
  StageComplementarity(const System&, int first_contact, int contacts);

  bool step(const State& s, double h);                    // false: a stage was not solved
  double force(int contact) const { return Lambda_[first_ + contact]; }  // of the last stage

 private:
  void stage_value(const State& s, double h, int i);
  bool solve_stage(const Terms& T, const Terms& T1, double step, Vec& Vdot);

  const System& system_;
  int first_, contacts_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  SaddleSolver mass_;
  Terms T_[2];  // terms at the current and the next stage
  State stage_;
  StageRates Xdot_;
  std::vector<Vec> answer_;              // per row of the problem: M^-1 times the direction of its force
  std::vector<int> row_;                 // per row of the problem: row of the system
  Vec free_, none_, Lambda_, P_, direction_;
};

}  // namespace escapement
