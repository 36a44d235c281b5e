#include "nonsmooth/complementarity.hpp"

#include <cmath>
#include <limits>

namespace escapement {

void decide(const Cone& cone, const double* P, const double* xi, const double* r, RowMode* mode) {
  if (cone.kind == Cone::Kind::equality) {
    mode[0] = RowMode::free;
    return;
  }
  mode[0] = active(P[0], xi[0], r[0]) ? RowMode::free : RowMode::lower;
  if (cone.kind == Cone::Kind::non_negative) return;
  const double bound = cone.mu * std::max(0.0, P[0] - r[0] * xi[0]) + cone.offset;
  const double z = P[1] - r[1] * xi[1];
  mode[1] = z >= bound ? RowMode::upper : z <= -bound ? RowMode::lower : RowMode::free;
}

void complementarity(const Cone& cone, const double* P, const double* xi, const double* r, double* phi) {
  if (cone.kind == Cone::Kind::equality) {
    phi[0] = r[0] * xi[0];
    return;
  }
  phi[0] = complementarity(P[0], xi[0], r[0]);
  if (cone.kind == Cone::Kind::non_negative) return;
  const double bound = cone.mu * std::max(0.0, P[0] - r[0] * xi[0]) + cone.offset;
  phi[1] = std::clamp(r[1] * xi[1], P[1] - bound, P[1] + bound);
}

void project(const Cone& cone, double* P) {
  if (cone.kind == Cone::Kind::equality) return;
  P[0] = std::max(0.0, P[0]);
  if (cone.kind == Cone::Kind::non_negative) return;
  const double bound = cone.mu * P[0] + cone.offset;
  P[1] = std::clamp(P[1], -bound, bound);
}

void derivative(const Cone& cone, const RowMode* mode, const double* r, RowDerivative* d) {
  for (int k = 0; k < cone.rows(); ++k)
    d[k] = mode[k] == RowMode::free ? RowDerivative{0, 0, r[k]} : RowDerivative{1, 0, 0};
  if (cone.kind == Cone::Kind::coulomb && mode[1] != RowMode::free && mode[0] == RowMode::free)
    d[1].normal = -side(mode[1]) * cone.mu;
}

void decide(const ContactProblem& problem, const Vec& P, const Vec& xi, std::vector<RowMode>& mode) {
  int row = 0;
  for (const Cone& cone : problem.cones) {
    double r[2];
    for (int k = 0; k < cone.rows(); ++k) r[k] = 1 / weight(problem, row + k);
    decide(cone, &P[row], &xi[row], r, &mode[row]);
    row += cone.rows();
  }
}

bool project(const ContactProblem& problem, Vec& P) {
  bool changed = false;
  int row = 0;
  for (const Cone& cone : problem.cones) {
    const double normal = P[row], tangential = P[row + cone.rows() - 1];
    project(cone, &P[row]);
    changed |= P[row] != normal || P[row + cone.rows() - 1] != tangential;
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
    double xi[2], terms[2], w[2], r[2], phi[2];
    for (int k = 0; k < cone.rows(); ++k) {
      xi[k] = problem.b[row + k];
      terms[k] = 0;
      for (int j = 0; j < n; ++j) {
        const double term = problem.W(row + k, j) * P[j];
        xi[k] += term;
        terms[k] += std::abs(term);
      }
      w[k] = weight(problem, row + k);
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
