#include "schemes/monolithic_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {

constexpr double rank_tolerance = little::lcp_pivot;
constexpr double regularisation = 100 * rank_tolerance;  // of a dependent row: far above rounding, far below what matters
constexpr double multipliers_open = 50 * std::numeric_limits<double>::epsilon() / regularisation;
constexpr int most_room = 1024;  // rows of contacts for which there is memory from the start, 8 MiB; beyond it grows

// (J + shift) x = R in place by the factors of J + shift, with refinement towards J x = R. Where rows depend on one another each
// pass leaves what they disagree by and answers it with the same multipliers, which act on nothing, blown up by the shift;
// disagreement up to `noise` is rounding: its answer is taken back. first: of the rows
void solve_shifted(const DenseLu& lu, const double* J, int size, int first, double noise, double* R, Vec& work) {
  std::copy_n(R, size, work.data());
  lu.solve(R);
  constexpr int passes = 2;
  for (int pass = 1; pass <= passes; ++pass) {
    double disagreement = 0;
    for (int i = 0; i < size; ++i) {
      double sum = work[i];
      for (int j = 0; j < size; ++j) sum -= J[j * size + i] * R[j];
      work[size + i] = sum;
      if (i >= first) disagreement = std::max(disagreement, std::abs(sum));
    }
    for (int i = 0; i < size; ++i) std::swap(work[i], work[size + i]);
    lu.solve(work);
    const double factor = pass < passes || disagreement > noise ? 1 : -passes;
    for (int i = 0; i < size; ++i) {
      R[i] += factor * work[i];
      work[i] = work[size + i];
    }
  }
}

// factors of J, or of J + shift. Returns the smallest scaled pivot
double factor_copy(DenseLu& lu, const double* J, int size, const Vec* shift) {
  lu.resize(size);
  std::copy_n(J, size * size, lu.matrix().data());
  for (int i = 0; shift && i < size; ++i) lu.matrix()(i, i) += (*shift)[i];
  return lu.factor();
}

// where increments of q turn on their way to the end of the step, a derivative's columns spread
template <class F>
void for_each_spread(const Matrix& derivative, int row, const Matrix& turn, F&& f) {
  derivative.for_each_in_row(row, [&](int j, double) {
    f(j);
    if (turn.rows() > 0) turn.for_each_in_row(j, [&](int k, double) { f(k); });
  });
}

}  // namespace

void MonolithicSystem::start(const System& sys, const Shape& shape, const Terms& T, const Tangent& D) {
  const Dim& dim = sys.dim();
  sparse_ = T.M.is_sparse();
  joints_ = dim.bilateral;
  row_count_ = dim.rows();
  at_.assign(shape.levels * row_count_, -1);
  slip_at_.assign(dim.slip, -1);
  motion_ = shape.vectors * dim.v;
  core_ = size_ = motion_ + (sparse_ ? shape.levels * joints_ : 0);
  const int border = shape.levels * (dim.rows() - joints_) + dim.slip;
  const int most = motion_ + shape.levels * joints_ + border;
  R_.setZero(most);
  const int room = std::min(border, most_room);
  if (!sparse_) {
    const int size = most - border + room;
    lu_.resize(size);
    J_.setZero(size * size);
    shift_.setZero(most);
    work_.setZero(2 * most);
    return;
  }
  set_patterns(shape, T, D);
  core_solver_.resize(motion_, core_ - motion_);
  for (Vec* x : {&a_, &x_}) x->setZero(motion_);
  for (Vec* x : {&b_, &mu_}) x->setZero(core_ - motion_);
  solution_.setZero(core_);
  for (Vec* x : {&shift_, &border_}) x->setZero(border);
  D_.setZero(room * room);
  lu_.resize(room);
  int followed = 0;  // rows of a joint that friction follows
  for (const ContactLaw& law : sys.contacts()) followed = std::max(followed, law.joint_rows);
  start_border(shape, T, D, border, shape.levels * followed);
  work_.setZero(2 * border);
  // the pattern is analysed here and not in a step
  for (int i = 0; i < motion_; ++i) A_.add(i, i, 1);
  core_solver_.factor(A_, top_, bottom_);
}

void MonolithicSystem::set_patterns(const Shape& shape, const Terms& T, const Tangent& D) {
  const int v = T.M.rows();
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < v; ++i) {
    places.emplace_back(i, i);
    for (const Matrix* part : {&T.M, &D.D}) part->for_each_in_row(i, [&](int j, double) { places.emplace_back(i, j); });
    for_each_spread(D.K, i, D.retraction, [&](int j) { places.emplace_back(i, j); });
  }
  Matrix one;  // vector
  one.set_pattern(v, v, places);
  places.clear();
  for (int to = 0; to < shape.vectors; ++to)
    for (int i = 0; i < v; ++i)
      for (int from = 0; from < shape.vectors; ++from)
        one.for_each_in_row(i, [&](int j, double) { places.emplace_back(to * v + i, from * v + j); });
  A_.set_pattern(motion_, motion_, places);

  std::vector<std::pair<int, int>> above;
  places.clear();
  for (int level = 0; level < shape.levels; ++level)
    for (int r = 0; r < joints_; ++r) {
      const int row = level * joints_ + r;
      T.G.for_each_in_row(r, [&](int j, double) { above.emplace_back(row, level * v + j); });
      for (int from = 0; from < shape.vectors; ++from)
        for (const Matrix* part : {&T.G, &D.V_q})
          for_each_spread(*part, r, D.retraction, [&](int j) { places.emplace_back(row, from * v + j); });
    }
  top_.set_pattern(core_ - motion_, motion_, above);
  bottom_.set_pattern(core_ - motion_, motion_, places);
}

// lines long enough for the contact with the most entries, and for what friction follows
void MonolithicSystem::start_border(const Shape& shape, const Terms& T, const Tangent& D, int border, int more) {
  std::size_t longest = 0;
  for (int r = joints_; r < D.V_q.rows(); ++r) {
    std::size_t entries = 0;
    const bool slip = r >= T.G.rows();
    for_each_spread(slip ? T.T : T.G, slip ? r - T.G.rows() : r, D.retraction, [&](int) { ++entries; });
    for_each_spread(D.V_q, r, D.retraction, [&](int) { ++entries; });
    longest = std::max(longest, shape.vectors * entries + 1);
  }
  for (auto* lines : {&rows_, &columns_}) {
    lines->resize(border);
    for (Line& line : *lines) line.entries.reserve(longest + static_cast<std::size_t>(more));
  }
}

void MonolithicSystem::clear() {
  if (!sparse_) {
    if (J_.size() < static_cast<Eigen::Index>(size_) * size_) J_.resize(static_cast<Eigen::Index>(size_) * size_);
    std::fill_n(J_.data(), size_ * size_, 0.0);
    return;
  }
  for (Matrix* part : {&A_, &top_, &bottom_}) part->set_zero();
  const std::size_t border = size_ - core_;
  for (std::size_t i = 0; i < border; ++i) {
    rows_[i].entries.clear();
    columns_[i].entries.clear();
  }
  if (D_.size() < static_cast<Eigen::Index>(border * border)) D_.resize(border * border);
  std::fill_n(D_.data(), border * border, 0.0);
}

double& MonolithicSystem::Line::at(int place) {
  for (auto& [known, value] : entries)
    if (known == place) return value;
  return entries.emplace_back(place, 0.0).second;
}

double& MonolithicSystem::entry(int i, int j) {
  if (i >= core_ && j >= core_) return D_[(j - core_) * (size_ - core_) + (i - core_)];
  if (i >= core_) return rows_[i - core_].at(j);
  if (j >= core_) return columns_[j - core_].at(i);
  Matrix& part = i >= motion_ ? bottom_ : j >= motion_ ? top_ : A_;
  const int slot = i >= motion_   ? part.slot(i - motion_, j)
                   : j >= motion_ ? part.slot(j - motion_, i)
                                  : part.slot(i, j);
  if (slot < 0) throw std::logic_error("a derivative has an entry outside the pattern its matrix was prepared with");
  return part.value()[slot];
}

void MonolithicSystem::place(int level, const std::vector<char>& set) {
  int* at = at_.data() + level * row_count_;
  for (int r = 0; r < row_count_; ++r) at[r] = !set[r] ? -1 : sparse_ && r < joints_ ? motion_ + level * joints_ + r : size_++;
}

namespace {
// N: their size where the compiler knows it, else 0
template <int N>
void add_square(int size, double factor, const double* from, double* to, int stride) {
  const int n = N > 0 ? N : size;
  for (int j = 0; j < n; ++j, from += n, to += stride)
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) to[i] += factor * from[i];
}
}  // namespace

void MonolithicSystem::add_dense_block(int equation, int unknown, double factor, const Matrix& A) {
  const double* const from = A.dense().data();
  double* const to = J_.data() + unknown * size_ + equation;
  switch (A.rows()) {
    case 1: return add_square<1>(1, factor, from, to, size_);
    case 2: return add_square<2>(2, factor, from, to, size_);
    case 3: return add_square<3>(3, factor, from, to, size_);
    case 4: return add_square<4>(4, factor, from, to, size_);
    case 5: return add_square<5>(5, factor, from, to, size_);
    case 6: return add_square<6>(6, factor, from, to, size_);
    default: return add_square<0>(A.rows(), factor, from, to, size_);
  }
}

void MonolithicSystem::add_turned_block(int equation, int unknown, double factor, const Matrix& A, const Matrix* turn) {
  for (int i = 0; i < A.rows(); ++i) add_turned_row(equation + i, unknown, factor, A, i, turn);
}

void MonolithicSystem::add_turned_row(int equation, int unknown, double factor, const Matrix& A, int row, const Matrix* turn) {
  A.for_each_in_row(row, [&](int j, double x) {
    if (x == 0) return;
    if (turn) {
      turn->for_each_in_row(j, [&](int k, double t) { add(equation, unknown + k, factor * x * t); });
    } else {
      entry(equation, unknown + j) += factor * x;
    }
  });
}

void MonolithicSystem::add_sparse_column(int equation, int unknown, double factor, const Matrix& A, int row) {
  A.for_each_in_row(row, [&](int j, double x) {
    if (x != 0) entry(equation + j, unknown) += factor * x;
  });
}

bool MonolithicSystem::factor() {
  left_open_ = 0;
  shifted_ = false;
  if (!sparse_) return factor_dense();
  if (!core_solver_.factor(A_, top_, bottom_)) return false;
  pivot_ = core_solver_.redundant() ? regularisation : core_solver_.pivot();
  return size_ == core_ || factor_border();
}

bool MonolithicSystem::factor(const double* entries) {
  clear();
  std::copy_n(entries, size_ * size_, J_.data());
  return factor();
}

bool MonolithicSystem::resembles(int equation, int unknown, const Matrix& A) const {
  double largest = 0, off = 0;
  const double *a = A.dense().data(), *column = J_.data() + unknown * size_ + equation;
  for (int j = 0; j < A.cols(); ++j, column += size_)
    for (int i = 0; i < A.rows(); ++i, ++a) {
      largest = std::max(largest, std::abs(*a));
      off = std::max(off, std::abs(*a - column[i]));
    }
  return off <= hardly * largest;
}

bool MonolithicSystem::resembles_column(int equation, int unknown, double factor, const Matrix& A, int row) const {
  double largest = 0, off = 0;
  const double* entry = J_.data() + unknown * size_ + equation;
  for_each_of_dense_row(A, row, [&](double x) {
    largest = std::max(largest, std::abs(x));
    off = std::max(off, std::abs(factor * x - *entry++));
  });
  return off <= hardly * largest;
}

void MonolithicSystem::solve(double noise) {
  if (sparse_) {
    solve_sparse(noise);
  } else if (shifted_) {
    solve_shifted(lu_, J_.data(), size_, motion_, noise, R_.data(), work_);
  } else {
    lu_.solve(R_);
  }
}

bool MonolithicSystem::factor_dense() {
  pivot_ = factor_copy(lu_, J_.data(), size_, nullptr);
  if (pivot_ > rank_tolerance) return true;
  set_shift();
  shifted_ = true;
  left_open_ = multipliers_open;
  pivot_ = factor_copy(lu_, J_.data(), size_, &shift_);
  return pivot_ > 0;
}

void MonolithicSystem::set_shift() {
  const auto J = [&](int i, int j) { return J_[j * size_ + i]; };
  std::fill_n(shift_.data(), size_, 0.0);
  for (int i = motion_; i < size_; ++i) {
    double row = 0,
           column = 0;  // a row's reach and its multiplier's: their product is what the diagonal must be small against
    for (int j = 0; j < motion_; ++j) {
      row = std::max(row, std::abs(J(i, j)));
      column = std::max(column, std::abs(J(j, i)));
    }
    if (row == 0) {  // friction at its limit, or switched off: without any entry its multiplier stays zero
      if (J(i, i) == 0) shift_[i] = 1;
      continue;
    }
    double mass = 0;
    for (int j = 0; j < motion_; ++j)
      if (std::abs(J(j, i)) == column && column > 0) mass = std::max(mass, std::abs(J(j, j)));
    if (J(i, i) != 0) {
      shift_[i] = regularisation * J(i, i);
    } else {
      shift_[i] = mass > 0 ? regularisation * row * column / mass : 1;
    }
  }
}

void MonolithicSystem::solve_core(Vec& x) {
  a_ = x.head(motion_);
  b_ = x.segment(motion_, core_ - motion_);
  core_solver_.solve(a_, b_, x_, mu_);
  x.head(motion_) = x_;
  x.segment(motion_, core_ - motion_) = -mu_;  // the solver has -top^T
}

double MonolithicSystem::Line::times(const Vec& x) const {
  double sum = 0;
  for (const auto& [place, value] : entries) sum += value * x[place];
  return sum;
}

// D - C K^-1 B
bool MonolithicSystem::factor_border() {
  const int border = size_ - core_;
  const auto D = [&](int i, int j) -> double& { return D_[j * border + i]; };
  for (int j = 0; j < border; ++j) {
    solution_.setZero();
    for (const auto& [place, value] : columns_[j].entries) solution_[place] = value;
    solve_core(solution_);
    for (int i = 0; i < border; ++i) D(i, j) -= rows_[i].times(solution_);
  }
  bool dependent = false;
  for (int i = 0; i < border; ++i) {
    double largest = 0;
    for (int j = 0; j < border; ++j) largest = std::max(largest, std::abs(D(i, j)));
    const double unit = weight(rows_[i], columns_[i]);
    shift_[i] = unit > 0 ? regularisation * unit : largest == 0 ? 1 : 0;
    // rows that joints hold already leave nothing but rounding
    dependent = dependent || largest <= rank_tolerance * unit;
  }
  double pivot = dependent ? 0 : factor_copy(lu_, D_.data(), border, nullptr);
  if (!(pivot > rank_tolerance)) {
    shifted_ = true;
    left_open_ = multipliers_open;
    pivot = factor_copy(lu_, D_.data(), border, &shift_);
  }
  pivot_ = std::min(pivot_, pivot);
  return pivot > 0;
}

// (D - C K^-1 B) z = r - C K^-1 R, then the rest is K^-1 (R - B z)
void MonolithicSystem::solve_sparse(double noise) {
  const int border = size_ - core_;
  if (border > 0) {
    solution_ = R_.head(core_);
    solve_core(solution_);
    for (int i = 0; i < border; ++i) border_[i] = R_[core_ + i] - rows_[i].times(solution_);
    shifted_ ? solve_shifted(lu_, D_.data(), border, 0, noise, border_.data(), work_) : lu_.solve(border_);
    for (int j = 0; j < border; ++j) {
      R_[core_ + j] = border_[j];
      for (const auto& [place, value] : columns_[j].entries) R_[place] -= value * border_[j];
    }
  }
  solve_core(R_);
}

double MonolithicSystem::weight(const Line& row, const Line& column) const {
  double reach = 0, force = 0, mass = 0;
  for (const auto& [place, value] : row.entries) reach = std::max(reach, std::abs(value));
  for (const auto& [place, value] : column.entries) {
    if (place >= motion_ || std::abs(value) < force) continue;
    const double here = std::abs(A_(place, place));
    mass = std::abs(value) > force ? here : std::max(mass, here);
    force = std::abs(value);
  }
  return mass > 0 ? reach * force / mass : 0;
}

}  // namespace escapement
