// The order in which a large saddle-point matrix is eliminated, found from its pattern alone.
//
// Unknowns with equal patterns are taken together: the velocities of one body (neighbours that the same rows hold), the
// rows of one joint. A spanning tree
// of the bodies gives every joint of the tree a body of its own; it may be eliminated as soon as that body is. A joint
// that closes a loop waits for all bodies of its loop. Then the rows eliminated so far are always independent on the
// bodies eliminated so far, so that no pivot vanishes unless the rows themselves depend on each other, and among the
// candidates the one with the fewest neighbours goes first: for chains and trees from the leaves to the root, without
// fill.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace escapement::inline math {

struct Elimination {
  // one step: the unknowns it eliminates, then the later ones it touches, each in the order of elimination
  struct Front {
    std::vector<int> unknowns;
    int pivots = 0;
    int parent = -1;  // the step that takes its remainder, -1: none remains
  };
  std::vector<Front> fronts;  // children before parents, the children of one parent's subtree together
};

// unknowns: n of A, then one for each of the first `rows` rows of G; the patterns of G_top and G_bottom are united
Elimination find_elimination(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, int rows);

}  // namespace escapement
