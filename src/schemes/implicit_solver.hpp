// Newton's method for implicit schemes whose new state hangs linearly on one increment y:
//
//   q1 = retract(base, x0 + y),  v1 = v0 + c_v y,  v1' = a0 + c_a y,   z1 = z0 + u,  z1' = w0 + c_z u
//
// It finds y, u and the multipliers such that the equations of motion hold at the new point, with the constraints
// imposed at one level, or at position and velocity level together after Gear, Gupta and Leimkuhler ([004] (25)-(28)):
// then q1 = retract(base, x0 + y + p) with M p = G^T psi, the metric of the kinetic energy at the step's start.
#pragma once

#include "math/saddle_solver.hpp"
#include "schemes/implicit_point.hpp"
#include "schemes/newton.hpp"
#include "schemes/scaling_averages.hpp"

namespace escapement::inline schemes {

// a scheme's formulas of one step
struct ImplicitForm {
  double t1 = 0, h = 0;
  double c_v = 0, c_a = 0, c_z = 0;
  Vec base;        // q
  Vec x0, v0, a0;  // v
  Vec z0, w0;      // z
  void resize(const Dim&);
};

// [003] (28): average mass and stiffness of the equations of motion. Looks up a pattern's diagonal once
class AverageDiagonal {
 public:
  double of(const Matrix&);

 private:
  std::vector<int> places_;
  unsigned version_ = 0;  // of the pattern; none has 0
};

// factors of [003]: the rows of motion times e, the multipliers lambda = l lambda^
struct NewtonScales {
  double e = 1, l = 1;
};

class ImplicitSolver {
 public:
  using Imposed = ImplicitPoint::Imposed;

  // to_stagnation: see NewtonControl; a trace also asks for it
  ImplicitSolver(Imposed imposed, std::string scaling, NewtonControl control, bool to_stagnation = false)
      : imposed_(imposed), scaling_(std::move(scaling)), scaled_(scaling_ == "multipliers" || scaling_ == "full"), newton_(control),
        to_stagnation_(to_stagnation) {}

  void give(const ScalingAverages& averages) { averages_ = averages; }
  // sizes everything for the steps to come; s with its accelerations and multipliers
  void start(const System&, const State& s);
  // s: the step's start; s1: guesses of vdot and lambda in, the new state out; zdot1: the same for z'. enough, known: see NewtonControl
  Status solve(const System&, const ImplicitForm&, const State& s, State& s1, Vec& zdot1, StepReport&, double enough = 0, Foresight* known = nullptr);
  // the same for a form close to the one just solved, whose matrix it begins with
  Status solve_like_last(const System&, const ImplicitForm&, const State& s, State& s1, Vec& zdot1, StepReport&, double enough, Foresight& known);

  // the velocity lies across the constraints more than along them: the iteration has found another solution
  bool across_constraints(const System&, const State& s1);
  // what is left of a velocity when the part normal to the imposed rows is taken out, in the metric of the last matrix
  void make_tangential(Vec& v);
  // the velocity normal to the imposed rows, in the same metric, that gives them these rates
  void find_across(const Vec& rates, Vec& dv);
  bool redundant() const { return kkt_.redundant(); }  // the last matrix met dependent rows

  const Vec& y() const { return y_; }
  const Vec& u() const { return u_; }
  int linear_solves() const { return kkt_.solves(); }
  void trace(NewtonTrace* trace) { trace_ = trace; }

 private:
  void resize(const System&);
  Status iterate(const System&, const ImplicitForm&, const State& s, State& s1, Vec& zdot1, StepReport&);
  void new_state(const System&, const ImplicitForm&, State& s1, Vec& zdot1);
  NewtonScales scales(double h, bool scaled);
  Status new_matrix(const System&, const ImplicitForm&, const State& s1, StepReport&);
  void assemble(const ImplicitForm&);
  void assemble_both_levels(const ImplicitForm&);
  bool factor(const ImplicitForm&);
  Status factor_failure(const ImplicitForm&, StepReport&);
  void set_right_side(const ImplicitForm&, const State& s1);
  Status failure(const State& s1, StepReport&);
  void correct(const ImplicitForm&, State& s1);
  NewtonControl::Verdict judge(const System& sys, const State& s1);
  bool rows_at_rounding(const System& sys, const State& s1);
  void record(const NewtonTrace::Correction&);
  bool both_levels() const { return imposed_ == Imposed::position_and_velocity; }

  Imposed imposed_;
  std::string scaling_;
  bool scaled_;  // the multipliers are
  NewtonControl newton_;
  bool to_stagnation_;
  NewtonTrace* trace_ = nullptr;

  int n_ = 0, m_ = 0;
  bool sparse_ = false;
  ImplicitPoint point_;
  SaddleSolver kkt_;
  NewtonScales k_;
  AverageDiagonal mass_, stiffness_;
  double m_ave_ = 1;
  double c_a_ = 1;  // of the matrix
  ScalingAverages averages_;
  double unit_ = 1;  // what counts as one in the positions
  Terms T_n_;                // both levels: M and G at the step's start
  Vec y_, p_, u_, psi_;      // unknowns; psi_ is divided by m_ave
  Vec x_;                    // increment of q
  Matrix A_, top_, bottom_;  // [A -top^T; bottom 0]
  // top_ and bottom_, or the terms' own matrices where they serve as they are
  const Matrix *used_top_ = nullptr, *used_bottom_ = nullptr;
  Vec a_, b_, dx_, dmu_;  // right sides and solution
  Vec dy_, dv_, du_, r_p_;
  Vec position_scale_;
  Mat matrix_;  // the whole matrix, for the trace
};

// [003]: without a scaling of the multipliers the matrix gets as bad as h^-4, until nothing but the positions converges
bool lost_in_rounding(const std::string& scaling, double relative_correction_of_q);
double average_diagonal(const Matrix&);

}  // namespace escapement
