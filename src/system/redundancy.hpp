// Bilateral rows that say nothing new wherever the system goes, unlike those that depend on others in one position
// only.
//
// Rows that depend on each other form groups; of each, as many are left out as say nothing new, so that the others stay
// far from depending on each other. One set of rows may do for the whole motion. Where none does (in a loop that turns
// around, any fixed set can meet positions in which the others do not hold the mechanism), the set follows the
// position: it is the first of a list that does well there.
#pragma once

#include <vector>

#include "math/matrix.hpp"
#include "system/null_rows.hpp"
#include "system/system.hpp"

namespace escapement {

class RowChoice {
 public:
  RowChoice() = default;
  // judges the rows in the start and in positions they allow around it; the start must satisfy them. `driven` rows stay
  RowChoice(const System&, const State& start, const Vec& weight, const std::vector<char>& driven);

  // how far a system that follows may move between two choices, with the weights of RowWalk: two of its paces
  static constexpr double reach = 0.6;

  const std::vector<int>& left_out() const { return left_out_; }
  bool follows() const;  // the position
  // for the position with these rows; true: others are left out now. Allocates nothing
  bool choose(const Matrix& G);
  // of the rows that are left out, in the position with these: above 1 the others hardly hold it. Allocates nothing
  double strain(const Matrix& G);

 private:
  struct Group {
    std::vector<int> rows;
    std::vector<int> column;             // of those that the rows touch, for every one of all; -1: not touched
    std::vector<std::vector<int>> sets;  // to leave out, the preferred first; counted within the group
    bool follows = false;

    void set_columns(const Matrix& G, int count);
    bool look(const Matrix& G);  // finds the null vectors; false: there are more of them
    bool choose(const Matrix& G);
    double strain(const Matrix& G);

    // what these work with
    NullRows null;
    Dispensable dispensable;
    std::vector<int> best, current;
  };
  struct Judged;  // what a walk shows
  static Group make_group(const Judged&, const std::vector<int>& members);
  void collect();

  std::vector<Group> groups_;
  std::vector<int> left_out_;
};

}  // namespace escapement
