#include "simulate/contact_dynamics.hpp"

#include <cmath>
#include <limits>

#include "math/least_squares.hpp"

namespace escapement {

ContactDynamics::ContactDynamics(const System& system, const std::string& impact_law, const std::string& solver)
    : system_(system), first_(system.dim().bilateral), law_(find_impact_law(impact_law)) {
  const Dim& dim = system.dim();
  const int n = dim.unilateral;
  response_.resize(system);
  solver_ = make_contact_solver(solver == "lemke" ? "exact" : solver);
  solver_->reserve(contact_room(n + dim.slip));
  problem_.reserve(contact_room(n + dim.slip));
  impact_problem_.reserve(contact_room(n + dim.slip));
  system.prepare(terms_);
  system.prepare(energy_terms_);
  rate_.assign(n, 0);
  sizes_.assign(n, {});
  scale_.setZero(dim.rows());
  free_size_.setZero(dim.v);
  masses_.setZero(dim.v);
  slip_.assign(n, 0);
  rows_.setZero(dim.bilateral);
  multiplier_.setZero(dim.bilateral);
  for (Vec* vec : {&free_, &change_}) vec->setZero(dim.v);
  P_.setZero(n + dim.slip);
}

void ContactDynamics::kinematics(const State& s) {
  const Dim& dim = system_.dim();
  system_.evaluate(s, dim.slip > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian, terms_);
  for (int i = 0; i < dim.unilateral; ++i) {
    double rate = terms_.g_t[first_ + i], size = std::abs(rate);
    terms_.G.for_each_in_row(first_ + i, [&](int j, double value) {
      rate += value * s.v[j];
      size += std::abs(value * s.v[j]);
    });
    rate_[i] = rate;
    const int slip = response_.law(i).slip;
    slip_[i] = slip >= 0 ? terms_.T.row_dot(slip, s.v) + terms_.t0[slip] : 0;
    Sizes& most = sizes_[i];
    most.rate = std::max(most.rate, std::abs(rate));
    most.speed = std::max(std::max(most.speed, size), std::abs(slip_[i]));
  }
}

void ContactDynamics::note_place(const State& s) {
  system_.position_terms(s, scale_);
  for (int i = 0; i < system_.dim().unilateral; ++i) sizes_[i].gap = std::max(sizes_[i].gap, scale_[first_ + i]);
}

void ContactDynamics::note_step(double h) {
  for (Sizes& most : sizes_) most.speed = std::max(most.speed, h * most.acceleration);
}

void ContactDynamics::exchange(Snapshot& s) {
  for (Sizes& most : sizes_) s(most.gap, most.speed, most.rate, most.acceleration, most.force);
  s(free_size_, masses_);
}

bool ContactDynamics::respond(const State& s, const std::vector<int>& set) {
  system_.evaluate(s, Need::mass, terms_);
  for (int i = 0; i < masses_.size(); ++i) masses_[i] = terms_.M(i, i);
  if (!response_.factor(terms_.M, terms_.G)) return false;
  response_.respond(terms_, set);
  return true;
}

double ContactDynamics::slip_by_slip(int contact, int other) const {
  if (!frictional(contact) || !frictional(other)) return 0;
  for (int k = 0; k < response_.size(); ++k)
    if (response_.contact(k) == other) return terms_.T.row_dot(response_.law(contact).slip, response_.slip(k));
  return 0;
}

const ContactDynamics::Impact& ContactDynamics::impact(State& s, const std::vector<char>& plastic) {
  const int n = response_.size();
  Impact& out = impact_;
  for (auto* list : {&out.normal, &out.before, &out.after}) list->assign(n, 0);
  ImpactProblem& problem = impact_problem_;
  response_.fill(terms_, problem);
  for (int k = 0; k < n; ++k) {
    const int contact = response_.contact(k), row = response_.row(k);
    if (plastic[k]) problem.restitution[k] = 0;
    problem.u_minus[row] = rate_[contact];
    if (frictional(contact)) problem.u_minus[row + 1] = slip_[contact];
  }
  double size = 0;
  for (int k = 0; k < n; ++k) size = std::max(size, speed_size(response_.contact(k)));
  problem.contact.noise = 4 * std::numeric_limits<double>::epsilon() * size;
  problem.P.setZero();
  const ImpactReport report = solve_instant(law_, problem, *solver_);
  out.ok = report.ok;
  out.energy_gain = report.energy_gain;
  change_.setZero();
  response_.apply(problem.P, change_, multiplier_);
  out.energy_change = change_velocity(s);
  for (int k = 0; k < n; ++k) {
    out.normal[k] = problem.P[response_.row(k)];
    out.before[k] = rate_[response_.contact(k)];
    out.after[k] = problem.u_plus[response_.row(k)];
  }
  return out;
}

// adds change_ and returns what it adds to the kinetic energy: what the contacts lose and what drives and moving partners do
double ContactDynamics::change_velocity(State& s) {
  const double before = system_.energy(s, energy_terms_).kinetic;
  s.v += change_;
  return system_.energy(s, energy_terms_).kinetic - before;
}

double ContactDynamics::bring_to_rest(State& s, const std::vector<char>& marked, const std::vector<double>& slow) {
  struct Row {
    const Matrix& rows;
    int row;
    const Vec& answer;  // of the velocities to a unit impulse
    double rate;
  };
  std::vector<Row> all;
  for (int k = 0; k < response_.size(); ++k) {
    if (!marked[k]) continue;
    const int contact = response_.contact(k), g = first_ + contact, t = response_.law(contact).slip;
    all.push_back({terms_.G, g, response_.normal(k), impact_.after[k]});
    impact_.after[k] = 0;
    if (!frictional(contact)) continue;
    const double slip = impact_problem_.u_plus[response_.row(k) + 1];
    if (std::abs(slip) < slow[k]) all.push_back({terms_.T, t, response_.slip(k), slip});
  }
  const int n = static_cast<int>(all.size());
  if (n == 0) return 0;
  Mat W(n, n);
  Vec u(n);
  for (int i = 0; i < n; ++i) {
    u[i] = all[i].rate;
    for (int j = 0; j < n; ++j) W(i, j) = all[i].rows.row_dot(all[i].row, all[j].answer);
  }
  const Vec P = -least_squares(W, u).x;  // rows may depend on one another
  change_.setZero();
  for (int i = 0; i < n; ++i) change_ += P[i] * all[i].answer;
  return change_velocity(s);
}

const ContactDynamics::Acceleration& ContactDynamics::acceleration(const State& s, const ActiveView& modes) {
  const Dim& dim = system_.dim();
  const std::size_t n = response_.size();
  Acceleration& out = acceleration_;
  for (auto* list : {&out.normal, &out.tangential, &out.opening, &out.slip_rate, &out.pressing}) list->assign(n, 0);

  // accelerations without contact forces
  Need need = Need::force | Need::curvature;
  if (dim.slip > 0) need = need | Need::slip_rate;
  system_.evaluate(s, need, terms_);
  rows_ = -terms_.kappa.head(dim.bilateral);
  response_.solve(terms_.f, rows_, free_, multiplier_);
  for (int i = 0; i < free_.size(); ++i) free_size_[i] = std::max(free_size_[i], std::abs(free_[i]));

  // one row per normal, one more per contact that may stick; a sliding contact's friction rides on its normal force
  problem_.clear();
  std::vector<int> row(n);
  std::vector<double> factor(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const ContactLaw& law = response_.law(response_.contact(k));
    const ContactMode mode = modes.mode(response_.contact(k));
    if (mode == ContactMode::slide_forward) factor[k] = -law.friction;
    if (mode == ContactMode::slide_backward) factor[k] = law.friction;
    const bool sticks = frictional(response_.contact(k)) && factor[k] == 0;
    row[k] = problem_.add(sticks ? Cone::coulomb(law.friction) : Cone::non_negative());
  }
  auto has_slip_row = [&](std::size_t k) { return frictional(response_.contact(k)) && factor[k] == 0; };
  for (std::size_t i = 0; i < n; ++i) {
    const int normal_row = first_ + response_.contact(i), slip_row = response_.law(response_.contact(i)).slip;
    problem_.b[row[i]] = terms_.G.row_dot(normal_row, free_) + terms_.kappa[normal_row];
    double size = std::abs(terms_.kappa[normal_row]);
    terms_.G.for_each_in_row(normal_row, [&](int j, double value) { size += std::abs(value * free_[j]); });
    Sizes& most = sizes_[response_.contact(int(i))];
    most.acceleration = std::max(most.acceleration, size);
    if (has_slip_row(i)) problem_.b[row[i] + 1] = terms_.T.row_dot(slip_row, free_) + terms_.kappa_T[slip_row];
    for (std::size_t j = 0; j < n; ++j) {
      auto entry = [&](const Matrix& rows, int r, bool tangential) {
        if (tangential) return rows.row_dot(r, response_.slip(j));
        double value = rows.row_dot(r, response_.normal(j));
        if (factor[j] != 0) value += factor[j] * rows.row_dot(r, response_.slip(j));
        return value;
      };
      problem_.W(row[i], row[j]) = entry(terms_.G, normal_row, false);
      if (has_slip_row(j)) problem_.W(row[i], row[j] + 1) = entry(terms_.G, normal_row, true);
      if (has_slip_row(i)) problem_.W(row[i] + 1, row[j]) = entry(terms_.T, slip_row, false);
      if (has_slip_row(i) && has_slip_row(j)) problem_.W(row[i] + 1, row[j] + 1) = entry(terms_.T, slip_row, true);
    }
  }
  problem_.noise = 0;
  for (std::size_t k = 0; k < n; ++k) {
    Sizes& most = sizes_[response_.contact(int(k))];
    problem_.noise = std::max(problem_.noise, 4 * std::numeric_limits<double>::epsilon() * most.acceleration);
    const double mobility = problem_.W(row[k], row[k]);
    if (mobility > 0) most.force = std::max(most.force, most.acceleration / mobility);
    if (!response_.held_fast(terms_, static_cast<int>(k))) continue;
    for (int r = row[k]; r <= row[k] + (has_slip_row(k) ? 1 : 0); ++r)
      for (int c = 0; c < problem_.rows(); ++c) problem_.W(r, c) = problem_.W(c, r) = 0;
  }
  P_.setZero();
  out.ok = solver_->solve(problem_, P_).ok;

  // accelerations with the contact forces
  for (std::size_t k = 0; k < n; ++k) {
    // what others bring counts among the terms too, as with a wall that holds what a wedge drives apart
    double size = 0;
    for (int c = 0; c < problem_.rows(); ++c) size += std::abs(problem_.W(row[k], c) * P_[c]);
    Sizes& most = sizes_[response_.contact(int(k))];
    most.acceleration = std::max(most.acceleration, size);
    out.normal[k] = P_[row[k]];
    out.pressing[k] = P_[row[k]] * problem_.W(row[k], row[k]);
    out.tangential[k] = has_slip_row(k) ? P_[row[k] + 1] : factor[k] * P_[row[k]];
    free_ += out.normal[k] * response_.normal(k);
    if (frictional(response_.contact(k))) free_ += out.tangential[k] * response_.slip(k);
  }
  for (std::size_t k = 0; k < n; ++k) {
    const int normal_row = first_ + response_.contact(k), slip_row = response_.law(response_.contact(k)).slip;
    out.opening[k] = terms_.G.row_dot(normal_row, free_) + terms_.kappa[normal_row];
    if (frictional(response_.contact(k))) out.slip_rate[k] = terms_.T.row_dot(slip_row, free_) + terms_.kappa_T[slip_row];
  }
  return out;
}

double ContactDynamics::pull(const std::vector<char>& marked, int k) const {
  double sum = 0;
  for (int j = 0; j < response_.size(); ++j) {
    if (!marked[j]) continue;
    sum += acceleration_.normal[j] * terms_.G.row_dot(first_ + response_.contact(k), response_.normal(j));
    if (frictional(response_.contact(j))) sum += acceleration_.tangential[j] * terms_.G.row_dot(first_ + response_.contact(k), response_.slip(j));
  }
  return sum;
}

}  // namespace escapement
