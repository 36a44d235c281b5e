#include "schemes/monolithic_scheme.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement {

MonolithicScheme::MonolithicScheme(const Options& options) : tolerance_(options.number("newton_tolerance")), kappa_(options.number("kappa")) {}

void MonolithicScheme::start_rows(const System& sys, const MonolithicSystem::Shape& shape, const Terms& T,
                                  const Tangent& D) {
  const Dim& dim = sys.dim();
  laws_.assign(sys.contacts().begin(), sys.contacts().end());
  v_ = dim.v;
  bilateral_ = dim.bilateral;
  rows_ = dim.rows();
  slips_ = dim.slip;
  rubs_.clear();
  brakes_ = false;
  for (int i = 0; i < static_cast<int>(laws_.size()); ++i) {
    if (!laws_[i].rubs()) continue;
    rubs_.push_back({i, laws_[i].slip, laws_[i].slips, laws_[i].is_brake() ? -1 : bilateral_ + i});
    brakes_ = brakes_ || laws_[i].is_brake();
  }
  contacts_.start(sys, kappa_, T);
  system_.start(sys, shape, T, D);
  gdn_.setZero(rows_);
  Lam_.setZero(dim.multipliers());
  for (auto* set : {&T_, &A_, &B_, &off_}) set->assign(rows_, 0);
  positional_.assign(rows_, 1);
  for (int j = 0; j < bilateral_; ++j) positional_[j] = sys.level(j) == Level::position;
  for (auto* set : {&decided_B_, &jammed_}) set->assign(rows_, 0);
  for (auto* modes : {&friction_, &decided_friction_}) modes->assign(rubs_.size(), FrictionMode::off);
  for (auto* index : {&a_index_, &b_index_}) index->assign(rows_, -1);
  t_index_.assign(slips_, -1);
  impacts_.clear();
  impacts_.reserve(laws_.size());
  sets_seen_.reserve(most_iterations);
}

void MonolithicScheme::prepare_rows(const Matrix& M, const Terms& T, const Vec& v) {
  velocity_rows(T, v, gdn_);
  contacts_.set_masses(M, T.G, T.T);
  for (int j = 0; j < rows_; ++j) {
    off_[j] = true;
    T.G.for_each_in_row(j, [&](int, double g) { off_[j] = off_[j] && g == 0; });
  }
}

bool MonolithicScheme::may_change() {
  const bool first = !one_changed_;
  one_changed_ = one_at_a_time_;
  return first;
}

bool MonolithicScheme::put(int j, bool in_A, bool in_B, Vec& position_multiplier) {
  bool changed = A_[j] != in_A || B_[j] != in_B;
  if (changed && (j < bilateral_ || may_change())) {
    A_[j] = in_A;
    B_[j] = in_B;
  }
  if (!B_[j]) Lam_[j] = 0;
  if (!A_[j]) position_multiplier[j] = 0;
  return changed;
}

FrictionMode MonolithicScheme::friction_mode(const Rub& rub, double limit) {
  const int at = rows_ + rub.first;
  if (rub.count == 1) {
    const double slip = slip_row(rub.first);
    // a brake that others hold at rest goes on at its limit, where the last step left it
    if (rub.normal < 0 && contacts_.is_rounding(at, slip) && std::abs(Lam_[at]) >= (1 - little::friction) * limit)
      return Lam_[at] > 0 ? FrictionMode::slide_plus : FrictionMode::slide_minus;
    return contacts_.friction_mode(at, Lam_[at], slip, limit);
  }
  const double slip[2] = {slip_row(rub.first), slip_row(rub.first + 1)};
  const bool rounding = contacts_.is_rounding(at, std::hypot(slip[0], slip[1]));
  double point = 0;
  for (int k = 0; k < 2; ++k) point = std::hypot(point, contacts_.friction_point(at, Lam_[at + k], slip[k], rounding));
  return point > limit ? FrictionMode::slide : FrictionMode::stick;
}

bool MonolithicScheme::choose_friction(std::size_t r, double normal_impulse) {
  const Rub& rub = rubs_[r];
  FrictionMode mode = FrictionMode::off;
  if (rub.normal < 0 || B_[rub.normal]) {
    mode = decided_ && rub.normal >= 0 ? decided_friction_[r] : friction_mode(rub, friction_limit(rub, normal_impulse));
    const double slip = slip_row(rub.first), speed = rub.count == 1 ? std::abs(slip) : std::hypot(slip, slip_row(rub.first + 1));
    if (by_slip_ && speed > contacts_.noise_of_row(rows_ + rub.first)) {
      mode = rub.count > 1 ? FrictionMode::slide : slip > 0 ? FrictionMode::slide_minus : FrictionMode::slide_plus;
    } else if (by_slip_ && friction_[r] != FrictionMode::off) {
      mode = friction_[r];
    }
  }
  const bool changed = friction_[r] != mode;
  if (changed && (mode == FrictionMode::off || friction_[r] == FrictionMode::off || may_change())) friction_[r] = mode;
  if (friction_[r] == FrictionMode::off) Lam_.segment(rows_ + rub.first, rub.count).setZero();
  return changed;
}

void MonolithicScheme::place_friction() {
  for (std::size_t r = 0; r < rubs_.size(); ++r)
    for (int i = rubs_[r].first; i < rubs_[r].first + rubs_[r].count; ++i) t_index_[i] = friction_[r] != FrictionMode::off ? system_.place() : -1;
}

bool MonolithicScheme::decide(const Matrix& M, const Terms& start, const Vec& v, const Terms& free, const Vec& v_free,
                              StepReport& report) {
  closed_.clear();
  for (int j = bilateral_; j < rows_; ++j)
    if (T_[j] && !off_[j]) closed_.push_back(j - bilateral_);
  if (!response_.factor(M, free.G)) {
    report.status = Status::singular_matrix;
    return false;
  }
  response_.respond(free, closed_);
  response_.fill(free, h_, problem_);
  for (const ContactResponse::Row& row : response_.rows()) {
    problem_.u_minus[row.at] = row.is_slip ? row.velocity(start, v) : gdn_[row.row];
    problem_.u_free[row.at] = row.velocity(free, v_free);
  }
  problem_.contact.noise = 0;
  for (int i : closed_) problem_.contact.noise = std::max(problem_.contact.noise, contacts_.noise_of_row(bilateral_ + i));
  problem_.P.setZero();
  if (!solve_step(ImpactLaw::newton, problem_, *solver_).ok) {
    report.status = Status::contact_unsolved;
    for (int k = 0; k < response_.size(); ++k)
      note_residual(report, RowResidual::Kind::row, bilateral_ + closed_[k], problem_.u_plus[response_.row(k)]);
    return false;
  }
  std::fill(decided_B_.begin(), decided_B_.end(), 0);
  for (int k = 0; k < response_.size(); ++k) {
    const int r = response_.row(k), n = bilateral_ + closed_[k];
    const double P = problem_.P[r];
    decided_B_[n] = P > 0;
    jammed_[n] = is_jammed(problem_, r);
    for (std::size_t i = 0; i < rubs_.size(); ++i) {
      if (rubs_[i].law != closed_[k]) continue;
      const double limit = laws_[closed_[k]].friction * P, friction = problem_.P.segment(response_.slip_row(k), rubs_[i].count).norm();
      const bool slides = friction >= (1 - little::friction) * limit;
      decided_friction_[i] = !slides ? FrictionMode::stick : rubs_[i].count > 1 ? FrictionMode::slide : problem_.P[r + 1] > 0 ? FrictionMode::slide_plus : FrictionMode::slide_minus;
    }
  }
  return true;
}

void MonolithicScheme::assemble_friction(std::size_t r, double normal_impulse, std::initializer_list<int> normal_unknowns) {
  const Rub& rub = rubs_[r];
  const int at = t_index_[rub.first];
  if (at < 0) return;
  if (friction_[r] == FrictionMode::stick) {
    for (int k = 0; k < rub.count; ++k) {
      add_slip_row(rub.first + k, at + k, 1);
      R_[at + k] += slip_row(rub.first + k);
    }
    return;
  }
  if (rub.count > 1) {
    assemble_disc(rub, normal_impulse, normal_unknowns);
    return;
  }
  const double side = friction_[r] == FrictionMode::slide_plus ? 1 : -1, mu = side * laws_[rub.law].friction, m = contacts_.mass(rows_ + rub.first);
  J(at, at) = 1 / m;
  for (int normal : normal_unknowns)
    if (normal >= 0) J(at, normal) = -mu / m;
  R_[at] = (Lam_[rows_ + rub.first] - side * friction_limit(rub, normal_impulse)) / m;
}

// Lam_T = limit z/|z| with z = Lam_T - kappa m slip, Alart and Curnier
void MonolithicScheme::assemble_disc(const Rub& rub, double normal_impulse, std::initializer_list<int> normal_unknowns) {
  const int at = t_index_[rub.first], multiplier = rows_ + rub.first;
  const double slip[2] = {slip_row(rub.first), slip_row(rub.first + 1)}, m = contacts_.mass(multiplier);
  const bool rounding = contacts_.is_rounding(multiplier, std::hypot(slip[0], slip[1]));
  double z[2], size = 0;
  for (int k = 0; k < 2; ++k) {
    z[k] = contacts_.friction_point(multiplier, Lam_[multiplier + k], slip[k], rounding);
    size = std::hypot(size, z[k]);
  }
  const double limit = friction_limit(rub, normal_impulse);
  // beyond the limit the point turns its projection by less than itself
  const double turn = size > 0 ? std::clamp(limit / size, 0.0, 1.0) : 0;
  for (int k = 0; k < 2; ++k) {
    const double along = size > 0 ? z[k] / size : 0;
    J(at + k, at + k) += 1 / m;
    for (int normal : normal_unknowns)
      if (normal >= 0) J(at + k, normal) -= laws_[rub.law].friction * along / m;
    for (int l = 0; l < 2 && size > 0; ++l) {
      const double across = turn * ((k == l ? 1 : 0) - along * z[l] / size) / m;
      J(at + k, at + l) -= across;
      if (!rounding) add_slip_row(rub.first + l, at + k, across * contacts_.prox(multiplier));
    }
    R_[at + k] += (Lam_[multiplier + k] - limit * along) / m;
  }
}

MonolithicScheme::Newton MonolithicScheme::judge(bool solved, bool sets_changed, StepReport& report) {
  ++report.newton_iterations;
  ++report.linear_solves;
  if (!solved) {
    report.status = R_.head(system_.size()).allFinite() ? Status::singular_matrix : Status::not_finite;
    return Newton::failed;
  }
  const Increment increment = update();
  if (!std::isfinite(increment.size)) {
    report.status = Status::not_finite;
    return Newton::failed;
  }
  if (end_.reached(increment, sets_changed, system_)) return Newton::converged;
  const bool cycling = sets_changed && !one_at_a_time_ && sets_come_back();
  if (--iterations_left_ > 0 && !cycling) return Newton::goes_on;
  report.status = Status::newton_failed;
  note_residuals(report);
  return Newton::failed;
}

bool MonolithicScheme::sets_come_back() {
  std::size_t hash = 0;
  const auto add = [&hash](int x) { hash = (hash ^ static_cast<std::size_t>(x)) * 1099511628211u; };  // Fowler, Noll, Vo
  for (int j = bilateral_; j < rows_; ++j) add(2 * A_[j] + B_[j] + 1);
  for (FrictionMode mode : friction_) add(static_cast<int>(mode) + 1);
  sets_seen_.push_back(hash);
  return std::count(sets_seen_.begin(), sets_seen_.end(), hash) >= 3;
}

// of the contacts that may act, else of the motion
void MonolithicScheme::note_residuals(StepReport& report) const {
  bool contact = false;
  for (int j = bilateral_; j < rows_; ++j) {
    if (!T_[j] && !A_[j]) continue;
    contact = true;
    note_residual(report, RowResidual::Kind::row, j, law_row(j));
  }
  for (int i = 0; i < v_ && !contact; ++i) note_residual(report, RowResidual::Kind::motion, i, R_[i]);
}

bool MonolithicScheme::consistent(const Vec& gaps, double h, StepReport& report) {
  report.excess = 0;
  for (int j = bilateral_; j < rows_; ++j) {
    const double left = A_[j] ? std::abs(gaps[j]) : -gaps[j];
    if (off_[j] || left <= 0) continue;
    const double limit = h * contacts_.rate_left_open(j);
    if (left <= limit) continue;
    report.status = Status::contradicting_rows;
    report.excess = std::max(report.excess, left / limit);
    note_residual(report, RowResidual::Kind::row, j, gaps[j]);
  }
  return report.ok();
}

bool MonolithicScheme::follows_surfaces(const System& sys, const Terms& start, const Terms& end, const Vec& dx, double h, StepReport& report) {
  constexpr double far = 0.1;   // of what counts as one in a coordinate: shorter steps, which may pass edges, are not judged
  constexpr double much = 0.4;  // of what the row's coordinates move it by
  bool moved = false;
  for (int i = 0; i < v_ && estimates_; ++i) moved = moved || std::abs(dx[i]) > far * sys.scale().v(i);
  if (!moved) return true;
  for (int j = bilateral_; j < rows_; ++j) {
    if (!A_[j] && !B_[j]) continue;
    // the gap changes by the mean of its rates at the ends of the path, up to the square of the turn of its row
    const double steady = 0.5 * h * (start.g_t[j] + end.g_t[j]);
    double change = end.g[j] - start.g[j] - steady, size = std::abs(steady), turn = 0;
    start.G.for_each_in_row(j, [&](int k, double g) {
      const double a = 0.5 * g * dx[k], b = 0.5 * end.G(j, k) * dx[k];
      change -= a + b;
      size += std::abs(a) + std::abs(b);
      turn += std::abs(b - a);
    });
    if (std::max(std::abs(change), turn) <= much * size + h * contacts_.noise_of_row(j)) continue;
    report.status = Status::newton_failed;
    note_residual(report, RowResidual::Kind::row, j, change / h);
  }
  return report.ok();
}

bool MonolithicScheme::End::reached(const Increment& increment, bool sets_changed, const MonolithicSystem& system) {
  const double size = increment.size, motion = increment.of_motion;
  largest_ = std::max(largest_, size);
  // quadratic convergence foretells the next increment: C x^2 with C = x/last^2; of the motion too, because multipliers,
  // which are linear, come back from anywhere in one step
  const auto next = [](double x, double last) { return x * (x / last) * (x / last); };
  const auto foretold = [&] {
    return last_.of_motion > 0 && next(size, last_.size) < 1e-5 * growth_ * tolerance_ &&
           next(motion, last_.of_motion) < 1e-3 * growth_ * tolerance_;
  };
  // along chains the rounding of gaps adds up, most of all in the multipliers, which the motion does not feel
  const auto rounding = [&] {
    return last_.size > 0 && size >= last_.size && motion <= growth_ * std::max(tolerance_, left_by_rounding(system.pivot()));
  };
  // nor does it feel what rounding leaves open between multipliers of rows that depend on one another
  const auto shared = [&] { return motion < tolerance_ && size <= system.left_open() * largest_; };
  small_ = size < tolerance_ || (!sets_changed && (foretold() || rounding())) || shared() ? small_ + 1 : 0;
  last_ = increment;
  // degenerate contacts flip in rounding for ever: two tiny increments are enough, or a first one that rounding of gaps
  // over a short step does not excuse
  const bool first = iterations_++ == 0 && size < asked_;
  return small_ >= 1 && (!sets_changed || first || small_ >= 2);
}

void MonolithicScheme::estimate(const ContactErrors::Step& step, const Taken& taken, bool hit) {
  errors_.look(step);
  errors_.compare(step, {.hit = hit, .distance = taken.distance, .noise = contacts_.noise()});
  errors_.add_gaps(step);
  if (!response_.factor(taken.M, taken.rows.G)) return;
  closed_.clear();
  for (int i = 0; i < static_cast<int>(laws_.size()); ++i)
    if (laws_[i].is_brake() || B_[bilateral_ + i]) closed_.push_back(i);
  response_.respond(taken.rows, closed_);
  if (!closed_.empty()) response_.fill(taken.rows, step.h, problem_);
  // contact forces are means over their steps
  const ContactErrors::Acting acting{response_, problem_.contact, taken.rows, 0.5 * (step.h + taken.last), 0.5, taken.hidden};
  vary_forces(step);
  errors_.add_openings(step, acting);
  if (taken.hidden < 1) errors_.add_variation(step, acting);
  errors_.add_closings(step, acting);
  errors_.add_stops(step, acting);
  if (!closed_.empty()) errors_.add_onsets(step, acting);
}

void MonolithicScheme::estimate_turn(const ContactErrors::Step& step, const Terms& start, const Terms& end) {
  change_.setZero();
  bool turns = false;
  const auto add = [&](const Matrix& at_start, const Matrix& at_end, int row, double impulse) {
    if (impulse == 0) return;
    turns = true;
    at_end.add_row(row, 0.5 * impulse, change_);
    at_start.add_row(row, -0.5 * impulse, change_);
  };
  for (int j = 0; j < rows_; ++j) add(start.G, end.G, j, Lam_[j]);
  for (int i = 0; i < slips_; ++i) add(start.T, end.T, i, Lam_[rows_ + i]);
  if (!turns || !response_.factor(end.M, end.G)) return;
  response_.solve(change_, unmoved_, dv_by_turn_, pull_);
  errors_.add_velocities(step, dv_by_turn_);
}

}  // namespace escapement
