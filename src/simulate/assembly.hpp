// Consistent starts: how far a start is from being one, and the nearest one that is.
#pragma once

#include <functional>
#include <vector>

#include "system/system.hpp"

namespace escapement::inline simulate {

enum class StartLevel { position, velocity, gap };

struct StartViolation {
  StartLevel level = StartLevel::position;
  int row = -1;       // of G; -1: none
  double value = 0;   // g, G v + g_t, or the gap
  double scaled = 0;  // its magnitude over the scale of the row
};

// the largest violation among bilateral rows at both levels and negative gaps
StartViolation worst_violation(const System&, const State&);

struct Assembly {
  bool ok = false;
  double moved = 0, changed = 0;  // largest change of a position and of a velocity
};

// Angles that drives hold modulo full turns, counted from the given position. Assembly turns them all the way, so that
// the first-order states can count the turns of every joint that turns along
struct DrivenTurns {
  struct Drive {
    int row;       // of G
    int counter;   // first-order state that counts its turns, -1: none
    double angle;  // held
  };
  std::vector<Drive> drives;
  std::function<void(State&)> count;  // rounds the counting states to the angles of the position
};

// moves q to the nearest position with g = 0 and gaps >= 0, then v to the nearest velocity with G v + g_t = 0, both in
// the metric of the kinetic energy. keep_q, keep_v: indices of increments and velocities that do not change
Assembly assemble(const System&, State&, const std::vector<int>& keep_q, const std::vector<int>& keep_v,
                  const DrivenTurns& turns = {});

}  // namespace escapement
