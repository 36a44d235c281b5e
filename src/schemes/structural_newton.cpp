#include "schemes/structural_newton.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {
constexpr int most_iterations = 40;
}  // namespace

OptionInfo StructuralNewton::option() {
  return {
      .name = "newton_tolerance",
      .value = 0.0,
      .description =
          "largest correction of q and v, relative to 1 + |x|, that ends Newton's iteration; 0: stagnation at rounding",
      .min = 0,
      .max = 1};
}

void StructuralNewton::resize(const System& sys) {
  v_ = sys.dim().v;
  z_ = sys.dim().z;
  rows_ = sys.dim().rows();
  unit_ = sys.scale().unit();
  kkt_.resize(v_ + z_, rows_);
  A_.resize(v_ + z_, v_ + z_);
  if (z_ > 0) {
    top_.resize(rows_, v_ + z_);
    bottom_.resize(rows_, v_ + z_);
  }
}

void StructuralNewton::residual(const Terms& T, const Vec& rate, Vec& r) {
  r.head(T.f.size()) = T.f;
  r.tail(T.zdot.size()) = T.zdot - rate.tail(T.zdot.size());
  T.M.add_product(-1, rate, r);
}

bool StructuralNewton::factor(const Matrix& M, const Tangent& tangent, const Matrix& K, double beta_v, double beta_x,
                              const Matrix& top, const Matrix& bottom) {
  if (z_ == 0) {
    A_.set_sum({{1, &M}, {beta_v, &tangent.D}, {beta_x, &K}});
    return kkt_.factor(A_, top, bottom);
  }
  Mat& A = A_.dense();
  A.setZero();
  for (int i = 0; i < v_; ++i) {
    M.for_each_in_row(i, [&](int j, double a) { A(i, j) += a; });
    tangent.D.for_each_in_row(i, [&](int j, double a) { A(i, j) += beta_v * a; });
    K.for_each_in_row(i, [&](int j, double a) { A(i, j) += beta_x * a; });
  }
  A.topRightCorner(v_, z_) = -beta_v * tangent.f_z;
  A.bottomLeftCorner(z_, v_) = -beta_v * tangent.zdot_v - beta_x * tangent.zdot_q;
  A.bottomRightCorner(z_, z_) = -beta_v * tangent.zdot_z;
  A.bottomRightCorner(z_, z_).diagonal().array() += 1;
  for (int i = 0; i < rows_; ++i) {
    top.for_each_in_row(i, [&](int j, double a) { top_.dense()(i, j) = a; });
    bottom.for_each_in_row(i, [&](int j, double a) { bottom_.dense()(i, j) = a; });
  }
  return kkt_.factor(A_, top_, bottom_);
}

StructuralNewton::Verdict StructuralNewton::judge(const Vec& d, double beta_v, double beta_x, const Vec& rate,
                                                  const State& s1) {
  const double correction = d.lpNorm<Eigen::Infinity>();
  if (!std::isfinite(correction)) return Verdict::failed;
  const double speed = std::max(s1.v.lpNorm<Eigen::Infinity>(), s1.z.size() ? s1.z.lpNorm<Eigen::Infinity>() : 0);
  const double scaled = std::max(std::abs(beta_v) * correction / (unit_ + speed),
                                 std::abs(beta_x) * correction / (unit_ + s1.q.lpNorm<Eigen::Infinity>()));
  const double last = previous_;
  previous_ = correction;
  ++iterations_;
  if (tolerance_ > 0 && scaled <= tolerance_) return Verdict::converged;
  const double floor = 4 * std::numeric_limits<double>::epsilon() * rate.lpNorm<Eigen::Infinity>();
  if (correction <= floor) return Verdict::converged;
  if (iterations_ > 1) {
    // what is left after this correction is at most the ratio of the last two times the correction
    if (correction * (correction / last) <= floor) return Verdict::converged;
    if (correction > 0.5 * last && scaled <= little::stagnation) return Verdict::converged;
  }
  return iterations_ < most_iterations ? Verdict::go_on : Verdict::failed;
}

void StructuralNewton::blame(const Vec& r, const Vec& b, StepReport& report) {
  report.status = r.allFinite() && b.allFinite() ? Status::newton_failed : Status::not_finite;
  for (int i = 0; i < r.size(); ++i) note_residual(report, RowResidual::Kind::motion, i, r[i]);
  for (int i = 0; i < b.size(); ++i) note_residual(report, RowResidual::Kind::row, i, b[i]);
}

}  // namespace escapement
