// A walk along what the bilateral rows allow, at a fixed instant: positions in which to judge them.
#pragma once

#include <vector>

#include "math/saddle_solver.hpp"
#include "system/system.hpp"

namespace escapement::inline system {

class RowWalk {
 public:
  // weight: of every velocity, 1 for turning and 1 over the mechanism's size for moving; free: rows that hold nothing
  // on the way, as those of drives
  RowWalk(const System&, const State& start, const Vec& weight, std::vector<char> free);

  const Matrix& rows();                  // where it stands
  bool turn_towards(const Vec& wanted);  // the part of a direction that the rows allow; false: nothing of it
  bool settle();                         // onto the rows; false: it does not find there
  bool go();                             // one pace on; false: this is the end

 private:
  void evaluate(Need);

  const System& system_;
  Vec weight_;
  double size_;  // of the mechanism
  std::vector<char> free_;
  State s_;
  Terms T_;
  SaddleSolver solver_;
  Vec x_, a_, b_, mu_, direction_;
};

}  // namespace escapement
