// How the position follows the other unknowns in the unified midpoint rule: R1 = M_M (y1 - v_m) - W^T y4, [004] (36),
// with y1 = (q - q_n)/h and y4 = Psi/h. In small systems it is eliminated: dy1 = -(r1 + E dv + F dy4) for increments of
// the others with their sign turned; the rows that depend on q are gathered and then expressed through it. In large
// ones, where that would fill the matrix, y1 stays an unknown behind v.
#pragma once

#include <vector>

#include "math/dense_lu.hpp"
#include "schemes/monolithic_system.hpp"

namespace escapement {

class MidpointIncrement {
 public:
  void start(const System&, bool kinetic, MonolithicSystem&);

  // the midpoint and the terms there, the metric M_M with its solver, and which rows have an unknown y4: places, or -1
  struct Point {
    const State& mid;
    const Terms& T;
    const Matrix& M;
    const DenseLu* M_factors;  // none: singular
    const Vec &y1, &y4;
    const std::vector<int>& places;
    int first, count;  // of the places, where y1 is eliminated
  };
  bool eliminate(const System&, double h, const Point&);  // false: singular

  // the cleared linear system: R1 where y1 stays
  void begin(const Point&);
  // equation `at` of the linear system: factor * row of a derivative in q at the midpoint or at the end
  void add(const Matrix& derivative, int row, int at, double factor, bool end);
  void insert();                                                // the rows gathered, with dy1 inserted
  double dy1(int i, const double* x, const double* dy4) const;  // x: the solution, dv first

 private:
  void set_turns(const System&, double h, const Vec& y1);
  bool factor_metric(double h, const Point&);
  template <class Put>
  void for_each_in_metric(const Point&, Put&&) const;  // M_M, or the identity
  template <class Put>
  void for_each_in_stretch(double h, Put&&) const;  // h/2 d(-W^T y4)/dq at the midpoint

  MonolithicSystem* system_ = nullptr;
  bool kinetic_ = true;
  int v_ = 0, first_ = 0, count_ = 0;
  double h_ = 0;
  bool stretched_ = false;  // y4 != 0: E is no longer 1/2
  Mat E_, F_;               // v x v; v x rows, the first count_ columns are in use
  Vec r1_, Q_;              // Q: equations x v, columns one after the other
  Vec w_, mu_, dx_;
  DenseLu lu_;
  Tangent D_;
  Matrix turn_mid_,
      turn_end_;  // tangents of retract at h/2 y1 and h y1, where rotations make them other than the identity
  bool turned_ = false;
};

}  // namespace escapement
