#include "simulate/contact_dynamics.hpp"

#include <cmath>
#include <limits>

#include "math/least_squares.hpp"

namespace escapement::inline simulate {

ContactDynamics::ContactDynamics(const System& system, const std::string& impact_law, const std::string& solver)
    : system_(system), first_(system.dim().bilateral), law_(find_impact_law(impact_law)) {
  const Dim& dim = system.dim();
  const int n = dim.unilateral;
  kinematic_ = dim.slip > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian;
  response_.resize(system);
  solver_ = make_contact_solver(solver == "lemke" ? "exact" : solver);
  solver_->reserve(contact_room(n + dim.slip));
  problem_.reserve(contact_room(n + dim.slip));
  impact_problem_.reserve(contact_room(n + dim.slip));
  system.prepare(terms_);
  system.prepare(energy_terms_);
  rate_.assign(n, 0);
  sizes_.assign(system.contacts().size(), {});
  scale_.setZero(dim.rows());
  free_size_.setZero(dim.v);
  masses_.setZero(dim.v);
  slip_.assign(system.contacts().size(), {0, 0});
  rows_.setZero(dim.bilateral);
  multiplier_.setZero(dim.bilateral);
  pressing_.setZero(dim.bilateral);
  for (Vec* vec : {&free_, &change_}) vec->setZero(dim.v);
  P_.setZero(n + dim.slip);
}

void ContactDynamics::gaps(const State& s) { system_.evaluate(s, Need::gap, terms_); }

void ContactDynamics::kinematics(const State& s) {
  system_.evaluate(s, kinematic_, terms_);
  const int contacts = static_cast<int>(rate_.size()), laws = system_.dim().slip > 0 ? response_.laws() : 0;
  for (int i = 0; i < contacts; ++i) note_rate(s, i);
  for (int i = 0; i < laws; ++i) note_slip(s, i);
}

void ContactDynamics::kinematics(const State& s, const ContactSet& set) {
  terms_.contacts = &set;
  system_.evaluate(s, kinematic_, terms_);
  terms_.contacts = nullptr;
  for (const int i : set) {
    if (i < static_cast<int>(rate_.size())) note_rate(s, i);
    note_slip(s, i);
  }
}

void ContactDynamics::note_rate(const State& s, int i) {
  double rate = terms_.g_t[first_ + i], size = std::abs(rate);
  terms_.G.for_each_in_row(first_ + i, [&](int j, double value) {
    rate += value * s.v[j];
    size += std::abs(value * s.v[j]);
  });
  rate_[i] = rate;
  sizes_[i].rate = std::max(sizes_[i].rate, std::abs(rate));
  sizes_[i].speed = std::max(sizes_[i].speed, size);
}

void ContactDynamics::note_slip(const State& s, int i) {
  const ContactLaw& law = response_.law(i);
  for (int k = 0; law.slip >= 0 && k < law.slips; ++k) {
    double slip = terms_.t0[law.slip + k], size = std::abs(slip);
    terms_.T.for_each_in_row(law.slip + k, [&](int j, double value) {
      slip += value * s.v[j];
      size += std::abs(value * s.v[j]);
    });
    slip_[i][k] = slip;
    sizes_[i].speed = std::max(sizes_[i].speed, size);
  }
}

void ContactDynamics::note_place(const State& s) {
  system_.position_terms(s, scale_);
  const int contacts = static_cast<int>(rate_.size());
  for (int i = 0; i < contacts; ++i) sizes_[i].gap = std::max(sizes_[i].gap, scale_[first_ + i]);
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

double ContactDynamics::slip_by_slip(int contact, const Slip& along, int other, const Slip& other_along) const {
  if (!frictional(contact) || !frictional(other)) return 0;
  double sum = 0;
  for (int k = 0; k < response_.size(); ++k)
    for (int i = 0; i < response_.law(contact).slips && response_.contact(k) == other; ++i)
      for (int j = 0; j < response_.slips(k); ++j)
        sum += along[i] * other_along[j] * terms_.T.row_dot(response_.law(contact).slip + i, response_.answer(response_.slip_row(k) + j));
  return sum;
}

const ContactDynamics::Impact& ContactDynamics::impact(State& s, const std::vector<char>& plastic) {
  const int n = response_.size();
  Impact& out = impact_;
  for (auto* list : {&out.normal, &out.before, &out.after}) list->assign(n, 0);
  ImpactProblem& problem = impact_problem_;
  response_.fill(terms_, 0, problem);
  for (int k = 0; k < n; ++k) {
    const int contact = response_.contact(k), row = response_.row(k);
    for (int j = 0; j < response_.slips(k); ++j) problem.u_minus[response_.slip_row(k) + j] = slip_[contact][j];
    if (response_.law(contact).is_brake()) continue;
    if (plastic[k]) problem.restitution[k] = 0;
    problem.u_minus[row] = rate_[contact];
  }
  double size = 0;
  for (int k = 0; k < n; ++k) size = std::max(size, speed_size(response_.contact(k)));
  problem.contact.noise = 4 * std::numeric_limits<double>::epsilon() * size;
  problem.P.setZero();
  rows_.setZero();  // no force has an impulse at an instant
  ImpactReport report = solve_instant(law_, problem, *solver_);
  for (int round = 0; report.ok && round < most_followed && response_.follow(rows_, problem.P, problem); ++round)
    report = solve_instant(law_, problem, *solver_);
  out.ok = report.ok;
  out.energy_gain = report.energy_gain;
  change_.setZero();
  response_.apply(problem.P, change_, multiplier_);
  out.energy_change = change_velocity(s);
  for (int k = 0; k < n; ++k) {
    if (response_.law(response_.contact(k)).is_brake()) continue;
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
  for (int k = 0; k < static_cast<int>(marked.size()); ++k) {
    if (!marked[k]) continue;
    const int contact = response_.contact(k), r = response_.row(k), slips = response_.slips(k);
    all.push_back({terms_.G, first_ + contact, response_.answer(r), impact_.after[k]});
    impact_.after[k] = 0;
    if (slips == 0 || impact_problem_.u_plus.segment(r + 1, slips).norm() >= slow[k]) continue;
    for (int j = 1; j <= slips; ++j) all.push_back({terms_.T, response_.law(contact).slip + j - 1, response_.answer(r + j), impact_problem_.u_plus[r + j]});
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
  pressing_.head(first_) = s.lambda.head(first_);
  bool follows = false;
  for (int k = 0; k < response_.size(); ++k) follows = follows || response_.law(response_.contact(k)).follows();
  solve_acceleration(s, modes);
  for (int round = 0; follows && acceleration_.ok && round < most_followed; ++round) {
    const double change = (pressing_ - multiplier_).norm();
    pressing_ = multiplier_;
    if (!(change > 16 * std::numeric_limits<double>::epsilon() * pressing_.norm())) break;
    solve_acceleration(s, modes);
  }
  return acceleration_;
}

void ContactDynamics::solve_acceleration(const State& s, const ActiveView& modes) {
  const Dim& dim = system_.dim();
  const int n = response_.size();
  Acceleration& out = acceleration_;
  for (auto* list : {&out.normal, &out.opening, &out.pressing}) list->assign(n, 0);
  for (auto* list : {&out.tangential, &out.slip_rate}) list->assign(n, {0, 0});

  // accelerations without contact forces, but with the friction of brakes that slide
  Need need = Need::force | Need::curvature;
  if (dim.slip > 0) need = need | Need::slip_rate;
  system_.evaluate(s, need, terms_);
  rows_ = -terms_.kappa.head(dim.bilateral);
  change_ = terms_.f;
  for (int k = 0; k < n; ++k) {
    const int contact = response_.contact(k);
    const ContactLaw& law = response_.law(contact);
    if (!law.is_brake() || modes.mode(contact) != ContactMode::slide) continue;
    for (int j = 0; j < law.slips; ++j) {
      out.tangential[k][j] = -law.limit(law.pressing(pressing_, 0)) * modes.along(contact)[j];
      terms_.T.add_row(law.slip + j, out.tangential[k][j], change_);
    }
  }
  response_.solve(change_, rows_, free_, multiplier_);
  for (int i = 0; i < free_.size(); ++i) free_size_[i] = std::max(free_size_[i], std::abs(free_[i]));

  // one row per normal, more per contact that may stick; a sliding contact's friction rides on its normal force
  problem_.clear();
  unknowns_.clear();
  for (int k = 0; k < n; ++k) {
    const int contact = response_.contact(k);
    const ContactLaw& law = response_.law(contact);
    const bool slides = law.rubs() && modes.mode(contact) == ContactMode::slide, sticks = law.rubs() && !slides;
    if (law.is_brake() && slides) continue;
    problem_.add(law.is_brake() ? Cone::interval(law.limit(law.pressing(pressing_, 0))) : Cone::friction(sticks ? law.slips : 0, law.friction));
    if (!law.is_brake()) {
      Unknown normal{k, response_.row(k), 0, {0, 0}};
      for (int j = 0; j < law.slips && slides; ++j) normal.friction[j] = -law.friction * modes.along(contact)[j];
      normal.slips = slides ? law.slips : 0;
      unknowns_.push_back(normal);
    }
    for (int j = 0; j < law.slips && sticks; ++j) unknowns_.push_back({k, response_.slip_row(k) + j, 0, {0, 0}});
  }
  const int rows = problem_.rows();
  for (int i = 0; i < rows; ++i) {
    const ContactResponse::Row& row = response_.rows()[unknowns_[i].row];
    problem_.b[i] = row.dot(terms_, free_) + (row.is_slip ? terms_.kappa_T : terms_.kappa)[row.row];
    for (int j = 0; j < rows; ++j) {
      const Unknown& by = unknowns_[j];
      double value = row.dot(terms_, response_.answer(by.row));
      for (int l = 0; l < by.slips; ++l) value += by.friction[l] * row.dot(terms_, response_.answer(by.row + 1 + l));
      problem_.W(i, j) = value;
    }
  }
  for (int k = 0; k < n; ++k) {
    const ContactResponse::Row& row = response_.rows()[response_.row(k)];
    double size = std::abs((row.is_slip ? terms_.kappa_T : terms_.kappa)[row.row]);
    (row.is_slip ? terms_.T : terms_.G).for_each_in_row(row.row, [&](int j, double value) { size += std::abs(value * free_[j]); });
    Sizes& most = sizes_[response_.contact(k)];
    most.acceleration = std::max(most.acceleration, size);
  }
  problem_.noise = 0;
  for (int i = 0, first = 0; i < static_cast<int>(problem_.cones.size()); first += problem_.cones[i++].rows()) {
    const int k = unknowns_[first].entry;
    Sizes& most = sizes_[response_.contact(k)];
    problem_.noise = std::max(problem_.noise, 4 * std::numeric_limits<double>::epsilon() * most.acceleration);
    const double mobility = problem_.W(first, first);
    if (mobility > 0) most.force = std::max(most.force, most.acceleration / mobility);
    if (!response_.held_fast(terms_, k)) continue;
    for (int r = first; r < first + problem_.cones[i].rows(); ++r)
      for (int c = 0; c < rows; ++c) problem_.W(r, c) = problem_.W(c, r) = 0;
  }
  P_.setZero();
  out.ok = solver_->solve(problem_, P_).ok;

  // accelerations with the contact forces
  for (int i = 0; i < rows; ++i) {
    const Unknown& of = unknowns_[i];
    const ContactResponse::Row& row = response_.rows()[of.row];
    if (of.row == response_.row(of.entry)) {
      // what others bring counts among the terms too, as with a wall that holds what a wedge drives apart
      double size = 0;
      for (int c = 0; c < rows; ++c) size += std::abs(problem_.W(i, c) * P_[c]);
      Sizes& most = sizes_[response_.contact(of.entry)];
      most.acceleration = std::max(most.acceleration, size);
    }
    free_ += P_[i] * response_.answer(of.row);
    multiplier_ += P_[i] * response_.answer_on_rows(of.row);
    if (row.is_slip) {
      out.tangential[of.entry][of.row - response_.slip_row(of.entry)] = P_[i];
      continue;
    }
    out.normal[of.entry] = P_[i];
    out.pressing[of.entry] = P_[i] * problem_.W(i, i);
    for (int l = 0; l < of.slips; ++l) {
      out.tangential[of.entry][l] = of.friction[l] * P_[i];
      free_ += out.tangential[of.entry][l] * response_.answer(of.row + 1 + l);
      multiplier_ += out.tangential[of.entry][l] * response_.answer_on_rows(of.row + 1 + l);
    }
  }
  for (int k = 0; k < n; ++k) {
    const ContactResponse::Row& first = response_.rows()[response_.row(k)];
    if (!first.is_slip) out.opening[k] = first.dot(terms_, free_) + terms_.kappa[first.row];
    for (int j = 0; j < response_.slips(k); ++j) {
      const ContactResponse::Row& row = response_.rows()[response_.slip_row(k) + j];
      out.slip_rate[k][j] = row.dot(terms_, free_) + terms_.kappa_T[row.row];
    }
  }
}

double ContactDynamics::pull(const std::vector<char>& marked, int k) const {
  const ContactResponse::Row& row = response_.rows()[response_.row(k)];
  double sum = 0;
  for (int j = 0; j < response_.size(); ++j) {
    if (!marked[j]) continue;
    sum += acceleration_.normal[j] * row.dot(terms_, response_.answer(response_.row(j)));
    for (int l = 0; l < response_.slips(j); ++l)
      sum += acceleration_.tangential[j][l] * row.dot(terms_, response_.answer(response_.slip_row(j) + l));
  }
  return sum;
}

}  // namespace escapement
