// Bilateral rows that say nothing new wherever the system goes, unlike those that depend on others in one position
// only.
//
// Rows that depend on each other form groups; of each, as many are left out as say nothing new, so that the others stay
// far from depending on each other. One set of rows may do for the whole motion. Where none does (in a loop that turns
// around, any fixed set can meet positions in which the others do not hold the mechanism), the set follows the
// position: it is the first of a list that does well there.
#pragma once

#include <vector>

#include "system/row_selection.hpp"

namespace escapement::inline system {

class RowChoice {
 public:
  RowChoice() = default;
  // judges the rows in the start and in positions they allow around it; the start must satisfy them. `driven` rows stay
  RowChoice(const System&, const State& start, const Vec& weight, const std::vector<char>& driven);

  // how far a system that follows may move between two choices, with the weights of RowWalk: two of its paces
  static constexpr double reach = 0.6;

  const RowSelection& at_start() const { return start_; }
  bool follows() const;  // the position
  // for the position with these rows. Allocates nothing
  void select(const Matrix& G, const RowSelection& before, RowSelection& now) const;

 private:
  struct Group {
    std::vector<int> rows;
    std::vector<int> column;             // of those that the rows touch, for every one of all; -1: not touched
    std::vector<std::vector<int>> sets;  // to leave out, the preferred first; counted within the group
    bool follows = false;

    RowSelection::Group set_columns(const Matrix& G, int count);  // room for its selection
    // of its rows those to leave out, in place of those that are; adds to what the selection says of them
    void select(const Matrix& G, RowSelection::Group& here, RowSelection&) const;
  };
  struct Judged;  // what a walk shows
  void add_group(const Judged&, const std::vector<int>& members);
  void collect(RowSelection&) const;

  std::vector<Group> groups_;
  RowSelection start_;
};

}  // namespace escapement
