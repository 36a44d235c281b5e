#include "system/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "math/tolerances.hpp"
#include "system/row_walk.hpp"

namespace escapement::inline system {

namespace {

constexpr int most_rows = 400;  // beyond, null vectors cost too much and the later of dependent rows go
constexpr int few_rows = 60;    // up to which a long walk and a choice in every step cost little
constexpr int most_followed = 150;
constexpr int long_walk = 100, walk = 12, short_walk = 8;  // paces each way
constexpr int directions = 3;                              // to walk in, where there is more than one
constexpr double good = 0.8;                               // for a set, of the best in a position
constexpr double hardly = 0.1;                             // the same at the end of a step

// the rows with the largest parts in the null vectors of every position, one after the other; may find too few
std::vector<int> choose_for_all(std::vector<Mat> nulls) {
  std::vector<int> chosen;
  const Eigen::Index count = nulls.front().cols();
  for (Eigen::Index k = 0; k < count; ++k) {
    int best = -1;
    double most = little::part_of_null;
    for (int i = 0; i < nulls.front().rows(); ++i) {
      double least = 2;
      for (const Mat& N : nulls) least = std::min(least, N.row(i).norm());
      if (least > most * (1 + little::tie)) {
        most = least;
        best = i;
      }
    }
    if (best < 0) break;
    chosen.push_back(best);
    for (Mat& N : nulls) {
      const Vec along = N.row(best).transpose().normalized();
      N -= (N * along) * along.transpose();
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// orthonormal columns with the same span
Mat basis(Mat part, int count) {
  for (int k = 0; k < count; ++k) {
    int best = k;
    for (int j = k; j < part.cols(); ++j)
      if (part.col(j).squaredNorm() > part.col(best).squaredNorm()) best = j;
    part.col(k).swap(part.col(best));
    part.col(k).normalize();
    for (int j = k + 1; j < part.cols(); ++j) part.col(j) -= part.col(k).dot(part.col(j)) * part.col(k);
  }
  return part.leftCols(count);
}

// rows that share a combination in some position belong together; rows in none stand alone
std::vector<std::vector<int>> groups_of(const std::vector<Mat>& nulls) {
  const int rows = static_cast<int>(nulls.front().rows());
  Mat shared = Mat::Zero(rows, rows);
  for (const Mat& N : nulls) shared = shared.cwiseMax((N * N.transpose()).cwiseAbs());
  std::vector<std::vector<int>> groups;
  std::vector<char> seen(rows, 0);
  for (int first = 0; first < rows; ++first) {
    if (seen[first] || shared(first, first) < little::joined) continue;
    std::vector<int> group{first};
    seen[first] = 1;
    for (std::size_t k = 0; k < group.size(); ++k)
      for (int j = 0; j < rows; ++j)
        if (!seen[j] && shared(group[k], j) > little::joined) {
          seen[j] = 1;
          group.push_back(j);
        }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

// the null vectors of its positions, over the rows that may go
struct RowChoice::Judged {
  std::vector<int> rows;
  std::vector<Mat> nulls;
  bool whole_motion = false;  // it came back to where it began
  Mat first, before, here;    // the rows in three positions, one per column
  Matrix G;

  void look(RowWalk& walk) {
    G = walk.rows();
    NullRows null;
    null.resize(static_cast<int>(rows.size()), G.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      G.for_each_in_row(rows[i], [&](int j, double value) { null.rows()(j, static_cast<Eigen::Index>(i)) = value; });
    before = std::move(here);
    here = null.rows();
    null.find();
    nulls.push_back(null.vectors());
  }

  void follow(RowWalk& walk, int paces) {
    here = first;
    double farthest = 0, longest = 0;
    for (int i = 0; i < paces && !whole_motion && walk.go(); ++i) {
      look(walk);
      const double far = (here - first).lpNorm<Eigen::Infinity>();
      longest = std::max(longest, (here - before).lpNorm<Eigen::Infinity>());
      farthest = std::max(farthest, far);
      whole_motion = farthest > 3 * longest && far < 0.75 * longest;
    }
  }

  // positions in which more rows depend on each other than elsewhere say nothing
  void keep_regular_positions() {
    Eigen::Index least = nulls.front().cols();
    for (const Mat& N : nulls) least = std::min(least, N.cols());
    std::erase_if(nulls, [&](const Mat& N) { return N.cols() > least; });
  }
};

RowChoice::RowChoice(const System& system, const State& start, const Vec& weight, const std::vector<char>& driven) {
  const Dim& dim = system.dim();
  RowWalk at_start(system, start, weight, driven);
  const auto dependent = [&](RowWalk& walk) {
    std::vector<int> later = redundant_rows(walk.rows());
    std::erase_if(later, [&](int row) { return row >= dim.bilateral || driven[row]; });
    return later;
  };
  if (dim.bilateral == 0 || !at_start.settle() || dependent(at_start).empty()) return;

  Judged judged;
  for (int i = 0; i < dim.bilateral; ++i)
    if (!driven[i]) judged.rows.push_back(i);
  const int rows = static_cast<int>(judged.rows.size());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  Vec wanted = Vec::Zero(dim.v);
  const auto any_direction = [&] {
    for (int i = 0; i < dim.v; ++i) wanted[i] = unit(random) / weight[i];
  };
  any_direction();
  if (!at_start.turn_towards(wanted)) return;
  if (rows > most_rows) {
    if (at_start.go()) start_.left_out = dependent(at_start);
    return;
  }
  judged.look(at_start);
  judged.first = judged.here;
  const bool one_way = dim.v - rows + judged.nulls.front().cols() == 1;
  const int paces = rows > few_rows ? short_walk : one_way ? long_walk : walk;
  for (int k = 0; k < (one_way || rows > few_rows ? 1 : directions) && !judged.whole_motion; ++k) {
    for (double way : {1.0, -1.0}) {
      RowWalk walk(system, start, weight, driven);
      if (walk.settle() && walk.turn_towards(way * wanted)) judged.follow(walk, paces);
    }
    any_direction();
  }
  judged.whole_motion = judged.whole_motion && one_way;
  judged.keep_regular_positions();
  for (const std::vector<int>& members : groups_of(judged.nulls)) add_group(judged, members);
  collect(start_);
  if (follows()) select(at_start.rows(), start_, start_);
}

void RowChoice::add_group(const Judged& judged, const std::vector<int>& members) {
  Group group;
  std::vector<Mat> nulls;
  const auto part = [&](const Mat& N) { return Mat(N(members, Eigen::all)); };
  const int rows = static_cast<int>(members.size());
  const int count = static_cast<int>(std::lround(part(judged.nulls.front()).squaredNorm()));
  for (const Mat& N : judged.nulls) nulls.push_back(basis(part(N), count));
  for (int i : members) group.rows.push_back(judged.rows[i]);
  RowSelection::Group first = group.set_columns(judged.G, count);

  std::vector<std::vector<int>> sets{choose_for_all(nulls)};
  std::vector<double> bound;
  for (const Mat& N : nulls) {
    bound.push_back(good * first.dispensable.choose(N, first.best));
    if (std::find(sets.begin(), sets.end(), first.best) == sets.end()) sets.push_back(first.best);
  }
  // the set that does well in most positions, then the one that does in most of the others, and so on
  std::vector<char> done(nulls.size(), 0);
  const bool may_follow = rows <= most_followed;
  const auto does_well = [&](const std::vector<int>& set, std::size_t p) {
    return set.size() == static_cast<std::size_t>(count) && first.dispensable.judge(nulls[p], set) >= bound[p];
  };
  do {
    std::vector<int> helped;
    for (const std::vector<int>& set : sets) {
      helped.push_back(0);
      for (std::size_t p = 0; p < nulls.size(); ++p) helped.back() += !done[p] && does_well(set, p);
    }
    const std::size_t next = std::max_element(helped.begin(), helped.end()) - helped.begin();
    if (helped[next] == 0 && !group.sets.empty()) break;
    group.sets.push_back(may_follow ? sets[next] : sets.front());
    for (std::size_t p = 0; p < nulls.size(); ++p) done[p] = done[p] || does_well(sets[next], p);
  } while (may_follow && std::find(done.begin(), done.end(), 0) != done.end());
  group.follows = group.sets.size() > 1 || (!judged.whole_motion && rows <= few_rows);
  first.left_out = group.sets.front();
  start_.groups.push_back(std::move(first));
  groups_.push_back(std::move(group));
}

RowSelection::Group RowChoice::Group::set_columns(const Matrix& G, int count) {
  column.assign(G.cols(), -1);
  int columns = 0;
  for (int i : rows)
    G.for_each_in_row(i, [&](int j, double) {
      if (column[j] < 0) column[j] = columns++;
    });
  RowSelection::Group room;
  room.null.resize(static_cast<int>(rows.size()), columns, count);
  room.dispensable.resize(static_cast<int>(rows.size()), count);
  return room;
}

void RowChoice::Group::select(const Matrix& G, RowSelection::Group& here, RowSelection& now) const {
  Mat& of_group = here.null.rows();
  of_group.setZero();
  for (std::size_t i = 0; i < rows.size(); ++i)
    G.for_each_in_row(rows[i], [&](int j, double value) { of_group(column[j], static_cast<Eigen::Index>(i)) = value; });
  // where still more rows depend on each other, all sets are equally bad
  if (!here.null.find()) return;
  const Mat& N = here.null.vectors();
  const double most = here.dispensable.choose(N, here.best), bound = good * most;
  const double left = std::max(here.dispensable.judge(N, here.left_out), std::numeric_limits<double>::min());
  now.strain = std::max(now.strain, hardly * most / left);
  const auto well = std::find_if(sets.begin(), sets.end(), [&](const std::vector<int>& set) {
    return here.dispensable.judge(N, set) >= bound;
  });
  const std::vector<int>& set = well == sets.end() ? here.best : *well;
  now.others = now.others || set != here.left_out;
  here.left_out = set;
}

bool RowChoice::follows() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.follows; });
}

void RowChoice::select(const Matrix& G, const RowSelection& before, RowSelection& now) const {
  now.strain = 0;
  now.others = false;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (!groups_[k].follows) continue;
    now.groups[k].left_out = before.groups[k].left_out;
    groups_[k].select(G, now.groups[k], now);
  }
  collect(now);
}

void RowChoice::collect(RowSelection& selection) const {
  selection.left_out.clear();
  for (std::size_t k = 0; k < groups_.size(); ++k)
    for (int i : selection.groups[k].left_out) selection.left_out.push_back(groups_[k].rows[i]);
  std::sort(selection.left_out.begin(), selection.left_out.end());
}

}  // namespace escapement
