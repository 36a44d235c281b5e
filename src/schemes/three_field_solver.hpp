// Newton's method for BDF in the displacement-velocity-multiplier form of [003]: q, v and lambda are all unknown, the
// matrix (4) is built and factored as it stands, with the scaling asked for and with no regularisation of its own.
//
// The new state is that of ImplicitForm, with v1 an unknown beside y and v1' = c_v v1 + (a0 - c_v v0).
#pragma once

#include <string>

#include "math/dense_lu.hpp"
#include "schemes/implicit_solver.hpp"

namespace escapement::inline schemes {

class ThreeFieldSolver {
 public:
  ThreeFieldSolver(std::string scaling, NewtonControl control) : scaling_(std::move(scaling)), newton_(control) {}

  void give(const ScalingAverages& averages) { averages_ = averages; }
  // sizes everything for the steps to come; s with its accelerations and multipliers
  void start(const System&, const State& s);
  // s1: guesses of v and lambda in, the new state out; zdot1: z1' out
  Status solve(const System&, const ImplicitForm&, State& s1, Vec& zdot1, StepReport&);

  int linear_solves() const { return solves_; }
  void trace(NewtonTrace* trace) { trace_ = trace; }

 private:
  // factors of rows (motion, constraints) and columns (v, lambda): D_L and D_R of [003]
  struct Scales {
    double motion = 1, rows = 1, v = 1, lambda = 1;
    bool scaled = false;  // lambda by [003] (28)
  };
  void resize(const System&);
  void new_state(const System&, const ImplicitForm&, State& s1, Vec& zdot1);
  Scales scales(double h) const;
  void assemble(const ImplicitForm&);
  void set_right_side(const ImplicitForm&);
  bool factor(const ImplicitForm&, const State& s1);
  void assemble_condensed(const ImplicitForm&, const State& s1);
  void solve_condensed(const ImplicitForm&);
  void correct(const ImplicitForm&, State& s1);
  NewtonControl::Verdict judge(const State& s1);
  Status failure(const State& s1, StepReport&) const;

  std::string scaling_;
  NewtonControl newton_;
  NewtonTrace* trace_ = nullptr;
  int solves_ = 0;

  int n_ = 0, m_ = 0;
  ImplicitPoint point_;
  Scales k_;
  ScalingAverages averages_;
  Vec y_, v_, u_, b_;  // unknowns; v1' = c_v v1 + b
  Vec r_;              // kinematic residual v0 + c_v y - v1
  Mat matrix_;         // 2 n + m
  DenseLu lu_;
  double unit_ = 1;   // what counts as one in the positions
  double pivot_ = 1;  // smallest scaled one of the last matrix
  Vec x_;  // right side, then the scaled corrections (y, v, lambda)

  // the same corrections with v eliminated, where rows depend on others or the system is large
  bool condensed_ = false, sparse_ = false;
  SaddleSolver kkt_;
  Matrix A_, top_, bottom_;
  Vec a_, rows_, dy_, dv_, du_, dlambda_, Gr_;
};

}  // namespace escapement
