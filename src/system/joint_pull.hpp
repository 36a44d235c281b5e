// Friction that follows what a joint carries, while it slides: the joint's forces R = R_0 + sum_k tau_k R_k are linear in the
// friction tau of all such brakes, and tau_k = -d_k friction_k |R|, with d_k the sign of the slip. Who knows the directions
// R/|R| can let the friction ride on the joint's forces: it turns the directions in which these act.
#pragma once

#include <vector>

#include "math/saddle_solver.hpp"
#include "system/system.hpp"

namespace escapement::inline system {

class JointPull {
 public:
  struct Follower {
    int brake;
    ContactLaw law;
    double along;  // sign of the slip
    double tau = 0;
  };

  bool begin(unsigned version);  // true: the rows are others, and resize() is to follow
  void resize(int v, int rows, int brakes);
  Terms& terms() { return terms_; }  // without this friction: mass, force, rows and their curvature
  void clear() { followers_.clear(); }
  void add(int brake, const ContactLaw& law, double along) { followers_.push_back({brake, law, along}); }
  void solve(const Matrix& slips);
  const std::vector<Follower>& followers() const { return followers_; }
  // friction for a unit force on the joint's k-th row
  double ride(const Follower& f, int k) const { return size(f) > 0 ? -f.along * f.law.friction * forces_[f.law.joint_row + k] / size(f) : 0; }

 private:
  double size(const Follower& f) const { return f.law.pressing(forces_, 0); }

  unsigned version_ = 0;
  bool sized_ = false;
  Terms terms_;
  SaddleSolver kkt_;
  std::vector<Follower> followers_;
  std::vector<Vec> answer_;  // per follower: forces on the rows by a unit of its friction
  Vec vdot_, right_, rows_, forces_;
};

}  // namespace escapement
