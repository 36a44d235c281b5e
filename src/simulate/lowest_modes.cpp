#include "simulate/lowest_modes.hpp"

#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {

// (K - shift M)^-1 on the motions that the rows allow: the upper left part of the saddle-point matrix's inverse
class ConstrainedInverse {
 public:
  using Scalar = double;
  ConstrainedInverse(const Matrix& K, const Matrix& M, const Matrix& G) : K_(K), M_(M), G_(G) {
    solver_.resize(K.rows(), G.rows());
    a_.setZero(K.rows());
    x_.setZero(K.rows());
    b_.setZero(G.rows());
    mu_.setZero(G.rows());
  }
  Eigen::Index rows() const { return K_.rows(); }
  Eigen::Index cols() const { return K_.rows(); }
  void set_shift(double shift) {
    A_.set_sum({{1, &K_}, {-shift, &M_}});
    ok_ = solver_.factor(A_, G_);
  }
  void perform_op(const double* in, double* out) const {
    a_ = Eigen::Map<const Vec>(in, rows());
    solver_.solve(a_, b_, x_, mu_);
    if (known_ && !known_->empty()) {
      a_.setZero();
      M_.add_product(1, x_, a_);
      for (const NaturalMode& mode : *known_) x_ -= mode.shape.dot(a_) * mode.shape;
    }
    Eigen::Map<Vec>(out, rows()) = x_;
  }
  bool ok() const { return ok_; }
  // as if these, of unit mass, were not there
  void leave_out(const std::vector<NaturalMode>& known) { known_ = &known; }

 private:
  const Matrix &K_, &M_, &G_;
  const std::vector<NaturalMode>* known_ = nullptr;
  Matrix A_;
  mutable SaddleSolver solver_;
  mutable Vec a_, b_, x_, mu_;
  bool ok_ = false;
};

class Mass {
 public:
  using Scalar = double;
  explicit Mass(const Matrix& M) : M_(M) {}
  Eigen::Index rows() const { return M_.rows(); }
  Eigen::Index cols() const { return M_.rows(); }
  void perform_op(const double* in, double* out) const {
    y_.setZero(M_.rows());
    M_.add_product(1, Eigen::Map<const Vec>(in, M_.rows()), y_);
    Eigen::Map<Vec>(out, M_.rows()) = y_;
  }

 private:
  const Matrix& M_;
  mutable Vec y_;
};

double largest_ratio(const Matrix& K, const Matrix& M) {
  double k = 0, m = 0;
  for (int i = 0; i < K.rows(); ++i) {
    k = std::max(k, std::abs(K(i, i)));
    m = std::max(m, M(i, i));
  }
  return k > 0 ? k / m : 1;
}

using Solver = Spectra::SymGEigsShiftSolver<ConstrainedInverse, Mass, Spectra::GEigsMode::ShiftInvert>;

// of unit mass, and other than those known
std::vector<NaturalMode> solve(ConstrainedInverse& inverse, Mass& mass, int wanted, double shift, const std::vector<NaturalMode>& known) {
  std::vector<NaturalMode> modes;
  const int n = static_cast<int>(mass.rows());
  inverse.leave_out(known);
  Solver solver(inverse, mass, wanted, std::min(n, std::max(2 * wanted + 10, 20)), shift);
  if (!inverse.ok()) return modes;
  // begins with a motion that the rows allow
  Vec begin(n), start(n);
  for (int i = 0; i < n; ++i) begin[i] = std::sin(1.0 + (1.7 + static_cast<double>(known.size())) * i);
  inverse.perform_op(begin.data(), start.data());
  if (!start.allFinite() || start.norm() == 0) return modes;
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestMagn, 1000, little::eigenvalue, Spectra::SortRule::SmallestAlge);
  const Vec squares = solver.eigenvalues();
  const Mat shapes = solver.eigenvectors();
  for (Eigen::Index i = 0; i < squares.size(); ++i) modes.push_back({squares[i], shapes.col(i)});
  return modes;
}

// From one beginning only one motion of several with the same frequency is found: what is left beside those known is searched
// again until nothing lower comes of it
std::vector<NaturalMode> solve_all(const Matrix& K, const Matrix& M, const Matrix& G, int wanted, double shift) {
  ConstrainedInverse inverse(K, M, G);
  Mass mass(M);
  std::vector<NaturalMode> modes;
  const auto lower = [](const NaturalMode& a, const NaturalMode& b) { return a.square < b.square; };
  for (bool news = true; news;) {
    std::vector<NaturalMode> more = solve(inverse, mass, wanted, shift, modes);
    const bool enough = static_cast<int>(modes.size()) >= wanted;
    if (enough) std::erase_if(more, [&](const NaturalMode& mode) { return mode.square >= modes[static_cast<std::size_t>(wanted) - 1].square; });
    news = !more.empty();
    modes.insert(modes.end(), more.begin(), more.end());
    std::stable_sort(modes.begin(), modes.end(), lower);
  }
  if (static_cast<int>(modes.size()) > wanted) modes.resize(static_cast<std::size_t>(wanted));
  return modes;
}

}  // namespace

std::vector<NaturalMode> lowest_modes(const Matrix& K, const Matrix& M, const Matrix& G, int wanted) {
  // Far below the stiffest motions first, so that the matrix is regular whatever moves freely. Then by what was found: nearer to
  // the lowest than to the highest, but not so near that motions which nothing holds drown the others in their rounding
  const double stiffest = largest_ratio(K, M);
  const std::vector<NaturalMode> rough = solve_all(K, M, G, wanted, -little::soft * stiffest);
  if (rough.empty()) return rough;
  double scale = 0;
  for (const NaturalMode& mode : rough) scale = std::max(scale, std::abs(mode.square));
  // squares that rounding makes are those of motions that nothing holds
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * stiffest;
  const double shift = std::min(-little::below * scale, -16 * rounding) + std::min(0.0, 2 * rough.front().square);
  std::vector<NaturalMode> modes = solve_all(K, M, G, wanted, shift);
  for (NaturalMode& mode : modes) {
    if (std::abs(mode.square) <= rounding) mode.square = 0;
    Eigen::Index largest = 0;
    mode.shape.cwiseAbs().maxCoeff(&largest);
    mode.shape /= double(mode.shape[largest]);
  }
  return modes;
}

}  // namespace escapement
