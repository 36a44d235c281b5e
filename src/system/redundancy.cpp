#include "system/redundancy.hpp"

#include <algorithm>
#include <random>

#include "math/eigenvalues.hpp"
#include "math/saddle_solver.hpp"

namespace escapement {

namespace {

constexpr double close_enough = 1e-12;  // of the rows in another position
constexpr double dependent = 1e-12;     // square of a scaled row's distance from the others
constexpr int most_corrections = 20;
constexpr int positions_each_way = 8;
constexpr double pace = 0.3;
constexpr int most_rows = 400;  // beyond, null vectors cost too much and the later of dependent rows go

// walks along what the rows allow
class Walk {
 public:
  Walk(const System& system, const State& start) : system_(system), dim_(system.dim()), s_(start) {
    system_.prepare(T_);
    solver_.resize(dim_.v, dim_.bilateral);
    x_ = a_ = direction_ = Vec::Zero(dim_.v);
    b_ = mu_ = Vec::Zero(dim_.bilateral);
  }

  const State& state() const { return s_; }
  const Matrix& rows() {
    system_.evaluate(s_, Need::jacobian, T_);
    for (int i = dim_.bilateral; i < dim_.rows(); ++i) T_.G.set_row_zero(i);
    return T_.G;
  }

  // the part of a direction that the rows allow; false: nothing of it
  bool turn_towards(const Vec& wanted) {
    system_.evaluate(s_, Need::mass | Need::jacobian, T_);
    a_.setZero();
    b_.setZero();
    T_.M.add_product(1, wanted, a_);
    if (!solver_.factor(T_.M, T_.G)) return false;
    solver_.solve(a_, b_, x_, mu_);
    const double largest = x_.lpNorm<Eigen::Infinity>();
    if (!(largest > 1e-6 * wanted.lpNorm<Eigen::Infinity>())) return false;
    direction_ = x_ / largest;
    return true;
  }

  // one pace on and back onto the rows
  bool go() {
    Vec from = s_.q;
    system_.retract(from, pace * direction_, s_.q);
    for (int i = 0; i < most_corrections; ++i) {
      system_.evaluate(s_, Need::mass | Need::gap | Need::jacobian, T_);
      b_ = -T_.g.head(dim_.bilateral);
      if (b_.lpNorm<Eigen::Infinity>() < close_enough) return turn_towards(direction_);
      if (!solver_.factor(T_.M, T_.G)) return false;
      a_.setZero();
      solver_.solve(a_, b_, x_, mu_);
      if (!x_.allFinite() || x_.norm() > 1e2) return false;
      from = s_.q;
      system_.retract(from, x_, s_.q);
    }
    return false;
  }

 private:
  const System& system_;
  const Dim& dim_;
  State s_;
  Terms T_;
  SaddleSolver solver_;
  Vec x_, a_, b_, mu_, direction_;
};

// combinations of the rows, scaled to length 1, that vanish; one per column
Mat null_vectors(const Matrix& G, int rows) {
  Mat dense = Mat::Zero(rows, G.cols());
  for (int i = 0; i < rows; ++i) G.for_each_in_row(i, [&](int j, double value) { dense(i, j) = value; });
  for (int i = 0; i < rows; ++i)
    if (const double norm = dense.row(i).norm(); norm > 0) dense.row(i) /= norm;
  const SymmetricEigen eigen = symmetric_eigen(dense * dense.transpose());
  return eigen.vectors.leftCols((eigen.values.array() < dependent).count());
}

// the rows with the largest parts in the null vectors of every position, one after the other
std::vector<int> choose(std::vector<Mat>& nulls, const std::function<bool(int)>& may_go) {
  std::vector<int> chosen;
  const Eigen::Index count = nulls.front().cols();
  for (Eigen::Index k = 0; k < count; ++k) {
    int best = -1;
    double most = 1e-4;
    for (int i = 0; i < nulls.front().rows(); ++i) {
      if (!may_go(i)) continue;
      double least = 2;
      for (const Mat& N : nulls) least = std::min(least, N.row(i).norm());
      if (least > most * (1 + 1e-6)) {
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

}  // namespace

std::vector<int> always_redundant_rows(const System& system, const State& start,
                                       const std::function<bool(int)>& may_go) {
  const int rows = system.dim().bilateral;
  Walk walk(system, start);
  if (rows == 0 || redundant_rows(walk.rows()).empty()) return {};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Vec wanted = Vec::NullaryExpr(system.dim().v, [&] { return unit(random); });
  std::vector<Mat> nulls;
  for (double way : {1.0, -1.0}) {
    Walk some(system, start);
    if (!some.turn_towards(way * wanted)) return {};
    for (int i = 0; i < positions_each_way && some.go(); ++i) {
      if (rows > most_rows) {
        std::vector<int> later = redundant_rows(some.rows());
        std::erase_if(later, [&](int row) { return row >= rows || !may_go(row); });
        return later;
      }
      nulls.push_back(null_vectors(some.rows(), rows));
    }
  }
  if (nulls.empty()) return {};
  // positions in which more rows depend on each other than elsewhere say nothing
  const auto least = std::min_element(nulls.begin(), nulls.end(), [](const Mat& a, const Mat& b) {
                       return a.cols() < b.cols();
                     })->cols();
  if (least == 0) return {};
  std::erase_if(nulls, [&](const Mat& N) { return N.cols() > least; });
  return choose(nulls, may_go);
}

}  // namespace escapement
