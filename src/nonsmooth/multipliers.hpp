// The method of multipliers for many contacts, with semismooth Newton inside. From impulses P it solves for v, joints held,
//
//   A (v - v_free) = sum J^T C(P - rho u) + G^T mu,   rho = k / weight,
//
// then P := C(P - rho u). C is Coulomb's law: the normal part at least 0, the tangential one within the disc of that normal part;
// of a brake, its bounds. The
// matrix A + sum rho J^T C' J is regular however many contacts there are to share a load. Guarded: P changes only where the inner
// problem was solved, else k falls; k grows while that is easy.
//
// Where loads can be shared in many ways, P may have far to go while v hardly moves, until a contact opens or slips: k must become so
// large that a rounding of v would count. So the unknown is what v has changed by since the last P, and rates go on from what they were.
#pragma once

#include "math/saddle_solver.hpp"
#include "nonsmooth/many_contacts.hpp"

namespace escapement::inline nonsmooth {

class Multipliers {
 public:
  // what the bodies are to answer with
  struct Motion {
    const Matrix& A;
    const Matrix& G_top;
    const Matrix& G_bottom;
    int bilateral;
    const std::vector<double>& extent;  // of the bodies: what makes angular velocities comparable
  };

  void resize(int v, int bilateral);
  // From the impulses of the contacts, and v, which answers to them. tolerance: of the residual, a velocity. Leaves impulses, the
  // bodies' velocities and v; mu: impulses of the joints that belong to them. The residual that is left
  double solve(const Motion&, ManyContacts&, const Vec& v_free, double tolerance, Vec& v, Vec& mu);
  int newton_steps() const { return newton_steps_; }  // of the last call

 private:
  using V3 = ManyContacts::V3;

  void begin(const Motion&, const ManyContacts&, const Vec& v_free, const Vec& v);
  bool solve_inner(const Motion&, const ManyContacts&, double tolerance, Vec& mu);  // dv_
  // velocities gained so far by x more: sets u_trial_, z_, p_ and left_ (without the joints' part)
  void look(const Motion&, const ManyContacts&, const Vec& x);
  bool factor(const Motion&, const ManyContacts&);
  bool search(const Motion&, const ManyContacts&, double unbalanced_before, const Vec& mu);  // along step_
  void take_impulses(ManyContacts&);
  void remember(const ManyContacts&, const Vec& mu);
  void set_pattern(const Motion&, const ManyContacts&);
  double unbalanced(const Motion&, const ManyContacts&, const Vec& mu);
  double residual(const ManyContacts&) const;

  SaddleSolver kkt_;
  Matrix H_;
  std::vector<std::pair<int, int>> pairs_, last_pairs_;  // of bodies in the pattern of H
  unsigned A_version_ = 0;
  double k_ = 0;
  int newton_steps_ = 0;
  std::vector<V3> u_, u_trial_, z_, p_;  // rates with the bias, at P and at what is tried; P - rho u; C of it
  std::vector<std::pair<int, V3>> columns_;  // of one contact
  Vec gained_, dv_, trial_, step_;       // v - v_free at P, what is added to it
  Vec difference_, left_, right_, zero_, held_;
  Vec best_gained_, best_mu_;
  std::vector<V3> best_P_;
};

}  // namespace escapement
