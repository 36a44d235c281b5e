#include "nonsmooth/impact.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/tolerances.hpp"
#include "nonsmooth/complementarity.hpp"

namespace escapement::inline nonsmooth {

namespace {

// calls f(cone index, first row)
template <class F>
void for_each_cone(const ImpactProblem& p, F&& f) {
  int row = 0;
  for (int k = 0; k < static_cast<int>(p.contact.cones.size()); ++k) {
    f(k, row);
    row += p.contact.cones[k].rows();
  }
}

bool is_contact(const ImpactProblem& p, int k) { return p.contact.cones[k].normals() > 0; }

bool one_restitution(const ImpactProblem& p) {
  double first = -1;
  for (int k = 0; k < static_cast<int>(p.restitution.size()); ++k) {
    if (!is_contact(p, k)) continue;
    if (first < 0) first = p.restitution[k];
    if (p.restitution[k] != first) return false;
  }
  return true;
}

bool coupled(const ImpactProblem& p, int k, int row, int l, int other) {
  for (int i = row; i < row + p.contact.cones[k].rows(); ++i)
    for (int j = other; j < other + p.contact.cones[l].rows(); ++j)
      if (p.contact.W(i, j) != 0 || p.contact.W(j, i) != 0) return true;
  return false;
}

// cones that feel each other, also through others, get the same number
void find_groups(ImpactProblem& p) {
  const int count = static_cast<int>(p.contact.cones.size());
  for (int k = 0; k < count; ++k) p.group[k] = k;
  for_each_cone(p, [&](int k, int row) {
    for_each_cone(p, [&](int l, int other) {
      if (l >= k || p.group[k] == p.group[l] || !coupled(p, k, row, l, other)) return;
      const int from = std::max(p.group[k], p.group[l]), to = std::min(p.group[k], p.group[l]);
      std::replace(p.group.begin(), p.group.begin() + count, from, to);
    });
  });
}

// the one e of the contacts in cone k's group
double group_restitution(const ImpactProblem& p, int k) {
  double sum = 0, weights = 0;
  for_each_cone(p, [&](int l, int row) {
    if (!is_contact(p, l) || p.group[l] != p.group[k]) return;
    const double approach = std::min(0.0, p.u_minus[row]);
    const double energy = approach * approach / weight(p.contact, row);
    sum += energy * p.restitution[l];
    weights += energy;
  });
  return weights > 0 ? sum / weights : 0;
}

void solve(ImpactProblem& p, ContactSolver& solver, Vec& P, ImpactReport& report) {
  const SolveReport solved = solver.solve(p.contact, P);
  report.ok = solved.ok;
  report.residual = std::max(report.residual, solved.residual);
  report.iterations += solved.iterations;
}

void newton(ImpactProblem& p, ContactSolver& solver, ImpactReport& report) {
  for (int i = 0; i < p.rows(); ++i) p.contact.b[i] = p.u_free[i];
  for_each_cone(p, [&](int k, int row) {
    if (is_contact(p, k)) p.contact.b[row] += p.restitution[k] * p.u_minus[row];
  });
  solve(p, solver, p.P, report);
}

void moreau(ImpactProblem& p, ContactSolver& solver, ImpactReport& report) {
  const bool same = one_restitution(p);
  if (!same) find_groups(p);
  p.contact.b.head(p.rows()) = p.u_free.head(p.rows());
  for_each_cone(p, [&](int k, int row) {
    if (!is_contact(p, k)) return;
    const double e = same ? p.restitution[k] : group_restitution(p, k);
    for (int i = row; i < row + p.contact.cones[k].rows(); ++i) p.contact.b[i] += e * p.u_minus[i];
  });
  solve(p, solver, p.P, report);
}

// the impulse e P_c is known beforehand, the law asks for what is to be added to it
void expand(ImpactProblem& p, ContactSolver& solver, ImpactReport& report) {
  const int n = p.rows();
  p.known.head(n) = p.compression.head(n);
  for_each_cone(p, [&](int k, int row) {
    if (p.contact.cones[k].kind == Cone::Kind::interval) p.contact.cones[k].offset = 0;  // a brake has done what it can
    if (!is_contact(p, k)) return;
    const double returned = p.restitution[k] * p.compression[row];
    p.known[row] += returned;
    p.contact.cones[k].offset = p.contact.cones[k].mu * returned;
  });
  velocities(p.contact, p.known, p.u_plus);
  p.contact.b.head(n) = p.u_plus.head(n);
  p.P.head(n).setZero();
  solve(p, solver, p.P, report);
  p.P.head(n) += p.known.head(n);
  for_each_cone(p, [&](int k, int) { p.contact.cones[k].offset = p.offset[k]; });
}

void poisson(ImpactProblem& p, ContactSolver& solver, ImpactReport& report) {
  const int n = p.rows();
  p.contact.b.head(n) = p.u_free.head(n);
  p.compression.head(n) = p.P.head(n);
  solve(p, solver, p.compression, report);
  p.P.head(n) = p.compression.head(n);
  if (report.ok) expand(p, solver, report);
}

// U+ and the energy, with what rounding and the solver's residual may have made of it. In a time step the impulses also
// answer the forces: what those can have put into a contact that stays closed is no gain of the law
void finish(ImpactProblem& p, ImpactReport& report) {
  double rounding = 0, noise = 0, pressed = 0;
  const double *const W = p.contact.W.data(), *const P = p.P.data();
  const auto stride = p.contact.W.outerStride();
  for (int i = 0, n = p.rows(); i < n; ++i) {
    double change = 0, terms = 0;
    for (int j = 0; j < n; ++j) {
      const double term = W[j * stride + i] * P[j];
      change += term;
      terms += std::abs(term);
    }
    p.u_plus[i] = p.u_free[i] + change;
    report.energy += p.P[i] * (p.u_plus[i] + p.u_minus[i]) / 2;
    rounding += std::abs(p.P[i]) * (std::abs(p.u_free[i]) + std::abs(p.u_minus[i]) + terms);
    noise += std::abs(p.P[i]) * p.contact.noise;
    pressed += std::abs(p.P[i] * (p.u_free[i] - p.u_minus[i]));
  }
  report.energy_gain = report.energy > std::max(little::rest, 10 * report.residual) * rounding + 2 * noise + pressed;
}

}  // namespace

const std::vector<std::string>& impact_law_names() {
  static const std::vector<std::string> names{"newton", "moreau", "poisson"};
  return names;
}

ImpactLaw find_impact_law(std::string_view name) {
  if (name == "newton") return ImpactLaw::newton;
  if (name == "moreau") return ImpactLaw::moreau;
  if (name == "poisson") return ImpactLaw::poisson;
  throw std::invalid_argument("there is no impact law '" + std::string(name.substr(0, 40)) + "'");
}

void ImpactProblem::reserve(int rows) {
  contact.reserve(rows);
  for (Vec* v : {&u_minus, &u_free, &P, &u_plus, &compression, &known})
    if (v->size() < rows) v->conservativeResizeLike(Vec::Zero(rows));
  restitution.reserve(rows);
  group.reserve(rows);
  offset.reserve(rows);
}

void ImpactProblem::clear() {
  contact.clear();
  restitution.clear();
  group.clear();
  offset.clear();
}

int ImpactProblem::add(const Cone& cone, double e) {
  const int row = contact.add(cone);
  if (contact.capacity() > P.size()) reserve(contact.capacity());
  restitution.push_back(e);
  group.push_back(0);
  offset.push_back(cone.offset);
  return row;
}

ImpactReport solve_step(ImpactLaw law, ImpactProblem& p, ContactSolver& solver) {
  ImpactReport report;
  switch (law) {
    case ImpactLaw::newton:
      newton(p, solver, report);
      break;
    case ImpactLaw::moreau:
      moreau(p, solver, report);
      break;
    case ImpactLaw::poisson:
      poisson(p, solver, report);
      break;
  }
  finish(p, report);
  return report;
}

ImpactReport solve_instant(ImpactLaw law, ImpactProblem& p, ContactSolver& solver) {
  p.u_free.head(p.rows()) = p.u_minus.head(p.rows());
  return solve_step(law, p, solver);
}

}  // namespace escapement
