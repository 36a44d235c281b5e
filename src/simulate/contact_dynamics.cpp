#include "simulate/contact_dynamics.hpp"

#include <cmath>

namespace escapement {

ContactDynamics::ContactDynamics(const System& system, const std::string& impact_law, const std::string& solver)
    : system_(system),
      laws_(system.contacts().begin(), system.contacts().end()),
      first_(system.dim().bilateral),
      law_(find_impact_law(impact_law)) {
  const Dim& dim = system.dim();
  const int n = dim.unilateral;
  kkt_.resize(dim.v, dim.rows());
  solver_ = make_contact_solver(solver == "lemke" ? "exact" : solver);
  solver_->reserve(n + dim.slip);
  problem_.reserve(n + dim.slip);
  impact_problem_.reserve(n + dim.slip);
  system.prepare(terms_);
  system.prepare(bilateral_);
  rate_.assign(n, 0);
  rate_size_.assign(n, 1);
  slip_.assign(n, 0);
  normal_response_.assign(n, Vec::Zero(dim.v));
  slip_response_.assign(n, Vec::Zero(dim.v));
  right_.setZero(dim.v);
  free_.setZero(dim.v);
  zero_rows_.setZero(dim.rows());
  multiplier_.setZero(dim.multipliers());
  P_.setZero(n + dim.slip);
  set_.reserve(n);
}

void ContactDynamics::kinematics(const State& s) {
  const Dim& dim = system_.dim();
  system_.evaluate(s, dim.slip > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian, terms_);
  for (int i = 0; i < dim.unilateral; ++i) {
    double rate = terms_.g_t[first_ + i], size = 1 + std::abs(rate);
    terms_.G.for_each_in_row(first_ + i, [&](int j, double value) {
      rate += value * s.v[j];
      size += std::abs(value * s.v[j]);
    });
    rate_[i] = rate;
    rate_size_[i] = size;
    const int slip = laws_[i].slip;
    slip_[i] = slip >= 0 ? terms_.T.row_dot(slip, s.v) + terms_.t0[slip] : 0;
  }
}

bool ContactDynamics::respond(const State& s, const std::vector<int>& set) {
  const Dim& dim = system_.dim();
  set_ = set;
  system_.evaluate(s, Need::mass, terms_);
  bilateral_.G = terms_.G;
  for (int i = dim.bilateral; i < dim.rows(); ++i) bilateral_.G.set_row_zero(i);
  if (!kkt_.factor(terms_.M, bilateral_.G)) return false;
  zero_rows_.setZero();
  for (std::size_t k = 0; k < set_.size(); ++k) {
    right_.setZero();
    terms_.G.add_row(first_ + set_[k], 1, right_);
    kkt_.solve(right_, zero_rows_, normal_response_[k], multiplier_);
    if (!frictional(set_[k])) continue;
    right_.setZero();
    terms_.T.add_row(laws_[set_[k]].slip, 1, right_);
    kkt_.solve(right_, zero_rows_, slip_response_[k], multiplier_);
  }
  return true;
}

const ContactDynamics::Impact& ContactDynamics::impact(State& s, const std::vector<char>& plastic) {
  const std::size_t n = set_.size();
  Impact& out = impact_;
  for (auto* list : {&out.normal, &out.tangential, &out.before, &out.after}) list->assign(n, 0);
  ImpactProblem& problem = impact_problem_;
  problem.clear();
  std::vector<int> row(n);
  for (std::size_t k = 0; k < n; ++k) {
    const ContactLaw& law = laws_[set_[k]];
    row[k] = problem.add(frictional(set_[k]) ? Cone::coulomb(law.friction) : Cone::non_negative(), plastic[k] ? 0 : law.restitution);
  }
  Mat& W = problem.contact.W;
  for (std::size_t i = 0; i < n; ++i) {
    const int normal_row = first_ + set_[i], slip_row = laws_[set_[i]].slip;
    problem.u_minus[row[i]] = rate_[set_[i]];
    if (frictional(set_[i])) problem.u_minus[row[i] + 1] = slip_[set_[i]];
    for (std::size_t j = 0; j < n; ++j) {
      W(row[i], row[j]) = terms_.G.row_dot(normal_row, normal_response_[j]);
      if (frictional(set_[j])) W(row[i], row[j] + 1) = terms_.G.row_dot(normal_row, slip_response_[j]);
      if (!frictional(set_[i])) continue;
      W(row[i] + 1, row[j]) = terms_.T.row_dot(slip_row, normal_response_[j]);
      if (frictional(set_[j])) W(row[i] + 1, row[j] + 1) = terms_.T.row_dot(slip_row, slip_response_[j]);
    }
  }
  problem.P.setZero();
  const ImpactReport report = solve_instant(law_, problem, *solver_);
  out.ok = report.ok;
  out.energy_change = report.energy;
  for (std::size_t k = 0; k < n; ++k) {
    out.normal[k] = problem.P[row[k]];
    out.before[k] = rate_[set_[k]];
    out.after[k] = problem.u_plus[row[k]];
    s.v += out.normal[k] * normal_response_[k];
    if (!frictional(set_[k])) continue;
    out.tangential[k] = problem.P[row[k] + 1];
    s.v += out.tangential[k] * slip_response_[k];
  }
  return out;
}

const ContactDynamics::Acceleration& ContactDynamics::acceleration(const State& s, const ActiveView& modes) {
  const Dim& dim = system_.dim();
  const std::size_t n = set_.size();
  Acceleration& out = acceleration_;
  for (auto* list : {&out.normal, &out.tangential, &out.opening, &out.slip_rate, &out.pressing, &out.size}) list->assign(n, 0);

  // accelerations without contact forces
  Need need = Need::force | Need::curvature;
  if (dim.slip > 0) need = need | Need::slip_rate;
  system_.evaluate(s, need, terms_);
  zero_rows_ = -terms_.kappa;
  kkt_.solve(terms_.f, zero_rows_, free_, multiplier_);

  // one row per normal, one more per contact that may stick; a sliding contact's friction rides on its normal force
  problem_.clear();
  std::vector<int> row(n);
  std::vector<double> factor(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const ContactLaw& law = laws_[set_[k]];
    const ContactMode mode = modes.mode(set_[k]);
    if (mode == ContactMode::slide_forward) factor[k] = -law.friction;
    if (mode == ContactMode::slide_backward) factor[k] = law.friction;
    const bool sticks = frictional(set_[k]) && factor[k] == 0;
    row[k] = problem_.add(sticks ? Cone::coulomb(law.friction) : Cone::non_negative());
  }
  auto has_slip_row = [&](std::size_t k) { return frictional(set_[k]) && factor[k] == 0; };
  for (std::size_t i = 0; i < n; ++i) {
    const int normal_row = first_ + set_[i], slip_row = laws_[set_[i]].slip;
    problem_.b[row[i]] = terms_.G.row_dot(normal_row, free_) + terms_.kappa[normal_row];
    out.size[i] = 1 + std::abs(terms_.kappa[normal_row]);
    terms_.G.for_each_in_row(normal_row, [&](int j, double value) { out.size[i] += std::abs(value * free_[j]); });
    if (has_slip_row(i)) problem_.b[row[i] + 1] = terms_.T.row_dot(slip_row, free_) + terms_.kappa_T[slip_row];
    for (std::size_t j = 0; j < n; ++j) {
      auto entry = [&](const Matrix& rows, int r, bool tangential) {
        if (tangential) return rows.row_dot(r, slip_response_[j]);
        double value = rows.row_dot(r, normal_response_[j]);
        if (factor[j] != 0) value += factor[j] * rows.row_dot(r, slip_response_[j]);
        return value;
      };
      problem_.W(row[i], row[j]) = entry(terms_.G, normal_row, false);
      if (has_slip_row(j)) problem_.W(row[i], row[j] + 1) = entry(terms_.G, normal_row, true);
      if (has_slip_row(i)) problem_.W(row[i] + 1, row[j]) = entry(terms_.T, slip_row, false);
      if (has_slip_row(i) && has_slip_row(j)) problem_.W(row[i] + 1, row[j] + 1) = entry(terms_.T, slip_row, true);
    }
  }
  P_.setZero();
  out.ok = solver_->solve(problem_, P_).ok;

  // accelerations with the contact forces
  for (std::size_t k = 0; k < n; ++k) {
    out.normal[k] = P_[row[k]];
    out.pressing[k] = P_[row[k]] * problem_.W(row[k], row[k]);
    out.tangential[k] = has_slip_row(k) ? P_[row[k] + 1] : factor[k] * P_[row[k]];
    free_ += out.normal[k] * normal_response_[k];
    if (frictional(set_[k])) free_ += out.tangential[k] * slip_response_[k];
  }
  for (std::size_t k = 0; k < n; ++k) {
    const int normal_row = first_ + set_[k], slip_row = laws_[set_[k]].slip;
    out.opening[k] = terms_.G.row_dot(normal_row, free_) + terms_.kappa[normal_row];
    if (frictional(set_[k])) out.slip_rate[k] = terms_.T.row_dot(slip_row, free_) + terms_.kappa_T[slip_row];
  }
  return out;
}

double ContactDynamics::pull(const std::vector<char>& marked, int k) const {
  double sum = 0;
  for (std::size_t j = 0; j < set_.size(); ++j) {
    if (!marked[j]) continue;
    sum += acceleration_.normal[j] * terms_.G.row_dot(first_ + set_[k], normal_response_[j]);
    if (frictional(set_[j])) sum += acceleration_.tangential[j] * terms_.G.row_dot(first_ + set_[k], slip_response_[j]);
  }
  return sum;
}

}  // namespace escapement
