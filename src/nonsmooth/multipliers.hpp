// The method of multipliers for many contacts, with semismooth Newton inside: minimise over v
//
//   1/2 |v - v_free|_A^2 + sum |proj_K(P - rho (u + s n))|^2 / (2 rho),   rho = k / weight, joints held,
//
// then P := proj_K(...), s := mu |u_t|. The matrix A + sum rho J^T Dproj J is positive definite however many contacts there are to
// share a load. Guarded: P changes only where the inner problem was solved, else k falls; k grows while that is easy. Where it can,
// Newton's method takes s along: the outer steps then need not wait for it, but there is no objective to hold it.
#pragma once

#include "math/saddle_solver.hpp"
#include "nonsmooth/many_contacts.hpp"

namespace escapement {

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
  enum class Shift { held, taken_along };
  bool minimise(const Motion&, ManyContacts&, const Vec& v_free, Shift, double tolerance, Vec& v, Vec& mu);
  // sets p_ and gradient_ (without the joints' part); returns the objective
  double look(const Motion&, const ManyContacts&, const Vec& v_free, Shift, const Vec& v);
  bool factor(const Motion&, const ManyContacts&, Shift);
  bool search(const Motion&, ManyContacts&, const Vec& v_free, Shift, double& objective, double left, Vec& v, const Vec& mu);
  void set_pattern(const Motion&, const ManyContacts&);
  void set_shifts(const ManyContacts&);
  double unbalanced(const Motion&, const ManyContacts&, const Vec& mu);

  SaddleSolver kkt_;
  Matrix H_;
  std::vector<std::pair<int, int>> pairs_, last_pairs_;  // of bodies in the pattern of H
  unsigned A_version_ = 0;
  double k_ = 100;
  int newton_steps_ = 0;
  std::vector<double> shift_;         // s of each contact
  std::vector<Eigen::Vector3d> z_, p_, slip_;  // slip: direction of u_t
  Vec gradient_, dv_, trial_, difference_, zero_, right_, best_v_, best_mu_, held_;
  std::vector<Eigen::Vector3d> best_P_;
};

}  // namespace escapement
