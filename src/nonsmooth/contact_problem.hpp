// The contact problem everybody builds: xi = W P + b, with (P, xi) of each contact in its cone's law.
#pragma once

#include <algorithm>
#include <vector>

#include "math/types.hpp"
#include "nonsmooth/cone.hpp"

namespace escapement::inline nonsmooth {

// of so many rows or contacts, those for which memory is taken at the start: thousands may be there, of which few are closed. Where
// more close at once, memory grows
inline int contact_room(int count) { return std::min(count, 256); }

// W, b and every P have room for the rows reserved; only the first rows() entries belong to the problem.
struct ContactProblem {
  Mat W;                    // capacity x capacity; in use: rows x rows
  Vec b;                    // capacity
  std::vector<Cone> cones;  // their rows follow one another in this order
  double noise = 0;         // rounding error that b carries from its making: violations of xi below it do not count

  void reserve(int rows);  // the only call that allocates, unless add() outgrows it
  void clear();            // no rows; keeps the room
  int add(const Cone&);    // returns the first row of the new contact; W and b of its rows are for the caller to fill
  int rows() const { return rows_; }
  int capacity() const { return static_cast<int>(b.size()); }
  bool has_discs() const { return discs_; }

 private:
  int rows_ = 0;
  bool discs_ = false;
};

}  // namespace escapement
