// Higher time derivatives of the motion, exactly: the equations of motion in Taylor arithmetic, one order after the
// other.
#include "math/saddle_solver.hpp"
#include "model/formula_system.hpp"

namespace escapement::inline model {

// With q and v known to order k, order k of M w - f - G^T mu and of G w + kappa is linear in the unknown coefficients
// w_k, mu_k with the matrices of order 0; what it gives for w_k = mu_k = 0 is the right side.
int FormulaSystem::derivatives(const State& s, int count, Mat& d) const {
  if (dim_.z > 0) return 0;
  const int n = dim_.v, m = dim_.bilateral;
  Terms T;
  prepare(T);
  evaluate(s, Need::mass | Need::jacobian, T);
  for (int row = m; row < dim_.rows(); ++row) T.G.set_row_zero(row);
  SaddleSolver solver;
  solver.resize(n, dim_.rows());
  if (!solver.factor(T.M, T.G)) return 0;

  // polynomials, one column per input: t, q, v, w, mu
  Mat known = Mat::Zero(count + 2, static_cast<Eigen::Index>(inputs_));
  const int q = 1, v = 1 + n, w = 1 + 2 * n, mu = 1 + 3 * n;
  known(0, 0) = s.t;
  known(1, 0) = 1;
  for (int i = 0; i < n; ++i) {
    known(0, q + i) = s.q[i];
    known(0, v + i) = known(1, q + i) = s.v[i];
  }

  Mat in, out;
  Vec scratch, a(n), b = Vec::Zero(dim_.rows()), w_k(n), mu_k(dim_.rows());
  double factorial = 1;
  for (int k = 0; k < count; ++k) {
    in = known.topRows(k + 1);
    out.resize(k + 1, n + m);
    scratch.resize(static_cast<Eigen::Index>(residual_->taylor_scratch_size(k)));
    residual_->run_taylor(k, in.data(), out.data(), scratch.data());
    a = -out.row(k).head(n).transpose();
    b.head(m) = -out.row(k).tail(m).transpose();
    solver.solve(a, b, w_k, mu_k);
    if (k > 0) factorial *= k;
    d.col(k).head(n) = factorial * w_k;
    for (int i = 0; i < n; ++i) {
      known(k, w + i) = w_k[i];
      known(k + 1, v + i) = w_k[i] / (k + 1);
      if (k + 2 < known.rows()) known(k + 2, q + i) = known(k + 1, v + i) / (k + 2);
    }
    for (int r = 0; r < m; ++r) known(k, mu + r) = mu_k[r];
  }
  return count;
}

}  // namespace escapement
