#include "nonsmooth/complementarity.hpp"

#include <cmath>
#include <limits>

namespace escapement::inline nonsmooth {

namespace {

// of the tangential impulse: what the normal row of the projection allows
double limit(const Cone& cone, const double* P, const double* xi, const double* r) {
  return cone.normals() > 0 ? cone.mu * std::max(0.0, P[0] - r[0] * xi[0]) + cone.offset : cone.offset;
}

}  // namespace

void decide(const Cone& cone, const double* P, const double* xi, const double* r, RowMode* mode) {
  if (cone.kind == Cone::Kind::equality) {
    mode[0] = RowMode::free;
    return;
  }
  if (cone.normals() > 0) mode[0] = active(P[0], xi[0], r[0]) ? RowMode::free : RowMode::lower;
  if (cone.tangents() == 0) return;
  const double bound = limit(cone, P, xi, r);
  const int t = cone.normals();
  const double z = P[t] - r[t] * xi[t];
  if (cone.kind == Cone::Kind::disc) {
    const double across = P[t + 1] - r[t + 1] * xi[t + 1];
    mode[t] = mode[t + 1] = std::hypot(z, across) >= bound ? RowMode::upper : RowMode::free;
  } else {
    mode[t] = z >= bound ? RowMode::upper : z <= -bound ? RowMode::lower : RowMode::free;
  }
}

void complementarity(const Cone& cone, const double* P, const double* xi, const double* r, double* phi) {
  if (cone.kind == Cone::Kind::equality) {
    phi[0] = r[0] * xi[0];
    return;
  }
  if (cone.normals() > 0) phi[0] = complementarity(P[0], xi[0], r[0]);
  if (cone.tangents() == 0) return;
  const double bound = limit(cone, P, xi, r);
  const int t = cone.normals();
  if (cone.kind != Cone::Kind::disc) {
    phi[t] = std::clamp(r[t] * xi[t], P[t] - bound, P[t] + bound);
    return;
  }
  // where |z| <= bound it is r xi
  const double z[2] = {P[t] - r[t] * xi[t], P[t + 1] - r[t + 1] * xi[t + 1]};
  const double size = std::hypot(z[0], z[1]);
  for (int k = 0; k < 2; ++k) phi[t + k] = size <= bound ? r[t + k] * xi[t + k] : P[t + k] - bound * (z[k] / size);
}

void project(const Cone& cone, double* P) {
  if (cone.kind == Cone::Kind::equality) return;
  if (cone.normals() > 0) P[0] = std::max(0.0, P[0]);
  if (cone.tangents() == 0) return;
  const int t = cone.normals();
  const double bound = (t > 0 ? cone.mu * P[0] : 0) + cone.offset;
  if (cone.kind == Cone::Kind::disc) {
    const double size = std::hypot(P[t], P[t + 1]);
    if (!(size > bound)) return;
    P[t] *= bound / size;
    P[t + 1] *= bound / size;
  } else {
    P[t] = std::clamp(P[t], -bound, bound);
  }
}

void derivative(const Cone& cone, const double* P, const double* xi, const double* r, ConeDerivative& d) {
  d = {};
  const int t = cone.normals();
  if (t == 0 && cone.tangents() == 0) d.xi[0][0] = r[0];
  const bool pressed = t > 0 && active(P[0], xi[0], r[0]);
  if (t > 0) (pressed ? d.xi[0][0] : d.P[0][0]) = pressed ? r[0] : 1;
  if (cone.tangents() == 0) return;
  const double bound = limit(cone, P, xi, r);
  double z[2] = {0, 0}, size = 0;
  for (int k = 0; k < cone.tangents(); ++k) {
    z[k] = P[t + k] - r[t + k] * xi[t + k];
    size = std::hypot(size, z[k]);
  }
  for (int k = 0; k < cone.tangents(); ++k) {
    if (size <= bound && size > 0) {
      d.xi[t + k][t + k] = r[t + k];
      continue;
    }
    // P_t - bound z/|z|
    d.P[t + k][t + k] = 1;
    const double along = size > 0 ? z[k] / size : 0;
    if (pressed) {
      d.P[t + k][0] = -cone.mu * along;
      d.xi[t + k][0] = cone.mu * along * r[0];
    }
    for (int l = 0; l < cone.tangents() && size > 0; ++l) {
      const double turn = bound / size * ((k == l ? 1 : 0) - along * z[l] / size);
      d.P[t + k][t + l] -= turn;
      d.xi[t + k][t + l] += turn * r[t + l];
    }
  }
}

void weights(const ContactProblem& problem, const Cone& cone, int row, double* w) {
  for (int k = 0; k < cone.rows(); ++k) w[k] = weight(problem, row + k);
  if (cone.kind == Cone::Kind::disc) w[1] = w[2] = 0.5 * (w[1] + w[2]);
}

void decide(const ContactProblem& problem, const Vec& P, const Vec& xi, std::vector<RowMode>& mode) {
  int row = 0;
  for (const Cone& cone : problem.cones) {
    double r[3];
    weights(problem, cone, row, r);
    for (int k = 0; k < cone.rows(); ++k) r[k] = 1 / r[k];
    decide(cone, &P[row], &xi[row], r, &mode[row]);
    row += cone.rows();
  }
}

bool project(const ContactProblem& problem, Vec& P) {
  bool changed = false;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    double before[3];
    for (int k = 0; k < cone.rows(); ++k) before[k] = P[row + k];
    project(cone, &P[row]);
    for (int k = 0; k < cone.rows(); ++k) changed |= P[row + k] != before[k];
    row += cone.rows();
  }
  return changed;
}

void velocities(const ContactProblem& problem, const Vec& P, Vec& xi) {
  const int n = problem.rows();
  for (int i = 0; i < n; ++i) xi[i] = problem.b[i];
  for (int j = 0; j < n; ++j) {
    if (P[j] == 0) continue;
    const double* column = &problem.W(0, j);
    for (int i = 0; i < n; ++i) xi[i] += column[i] * P[j];
  }
}

double largest_energy(const ContactProblem& problem) {
  double energy = 0;
  for (int i = 0; i < problem.rows(); ++i) energy = std::max(energy, problem.b[i] * problem.b[i] / weight(problem, i));
  return energy;
}

double natural_residual(const ContactProblem& problem, const Vec& P) {
  const int n = problem.rows();
  const double energy = largest_energy(problem);
  double worst = 0;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    double xi[3], terms[3], w[3], r[3], phi[3];
    weights(problem, cone, row, w);
    for (int k = 0; k < cone.rows(); ++k) {
      xi[k] = problem.b[row + k];
      terms[k] = 0;
      for (int j = 0; j < n; ++j) {
        const double term = problem.W(row + k, j) * P[j];
        xi[k] += term;
        terms[k] += std::abs(term);
      }
      r[k] = 1 / w[k];
    }
    complementarity(cone, &P[row], xi, r, phi);
    for (int k = 0; k < cone.rows(); ++k) {
      const double violation = std::max(0.0, std::abs(phi[k]) * w[k] - problem.noise);
      const double residual = row_residual(violation, std::abs(problem.b[row + k]), terms[k], w[k], energy);
      if (!std::isfinite(residual) || !std::isfinite(xi[k]) || !std::isfinite(P[row + k]))
        return std::numeric_limits<double>::infinity();
      worst = std::max(worst, residual);
    }
    row += cone.rows();
  }
  return worst;
}

}  // namespace escapement
