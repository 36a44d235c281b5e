#include "schemes/index1.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/stage_rates.hpp"

namespace escapement::inline schemes {

namespace {
constexpr double deep = 0.1;  // dip of the clearance between two ends, that tells of a dead point between them
constexpr double other_motion = 0.1;  // part of the kinetic energy that no error of a stage has across the rows
}  // namespace

void Index1::start(const System& sys, State& s, Terms& T) {
  kkt_.resize(sys.dim().v, sys.dim().rows(), sys.joint_rows());
  projection_.resize(sys);
  onto_rows_.resize(sys);
  known_ = make_state(sys.dim());
  for (Vec* v : {&dx_, &momentum_}) v->setZero(sys.dim().v);
  for (Vec* r : {&r_, &largest_, &zero_, &mu_}) r->setZero(sys.dim().rows());
  q_.setZero(sys.dim().q);
  forget();
  if (solve(sys, s, Need(0), T) == Status::ok) {
    remember(s);
  } else {
    s.vdot.setConstant(std::nan(""));
  }
}

Status Index1::solve(const System& sys, State& s, Need known, Terms& T) {
  sys.evaluate(s, missing(Need::mass | Need::force | Need::jacobian | Need::curvature, known), T);
  if (!kkt_.factor(T.M, T.top(), T.G)) return failure_of(kkt_);
  return solve_factored(sys, s, T);
}

// of State::memory, from behind: how clear of each other the rows are, here and at best; their largest sizes
void Index1::watch(State& s) {
  s.memory.numbers.insert(s.memory.numbers.end(), {0.0, 0.0});
  s.memory.vectors.push_back(Vec::Zero(r_.size()));
  measure(s);
}

void Index1::measure(State& s) {
  const double here = kkt_.clearance(s.memory.vectors.back());
  s.memory.numbers.end()[-2] = here;
  s.memory.numbers.back() = std::max(s.memory.numbers.back(), here);
}

void Index1::look(const State& s) {
  largest_ = s.memory.vectors.back();
  least_ = std::min(least_, kkt_.clearance(largest_));
}

// rows that are never clear of each other are redundant ones, which the others hold
bool Index1::near(const State& s) {
  const double here = s.memory.numbers.end()[-2], best = s.memory.numbers.back();
  return best > little::never_clear && here < little::near_dead_point * best;
}

bool Index1::dips(const State& s, const State& s1) const {
  const double best = s1.memory.numbers.back();
  const double ends = std::min(s.memory.numbers.end()[-2], s1.memory.numbers.end()[-2]);
  return best > little::never_clear && least_ < std::max(little::near_dead_point * best, deep * ends);
}

// refuses a step that ends in a dead point, if it came from where a shorter one would not
void Index1::step_over(const State& s, const State& s1, StepReport& report) {
  report.passes_dead_point = near(s) || near(s1);
  const double before = s.memory.numbers.end()[-2], here = s1.memory.numbers.end()[-2], best = s1.memory.numbers.back();
  if (best <= little::never_clear || here > little::dead_point * best || before < 16 * little::dead_point * best) return;
  report.error = std::numeric_limits<double>::infinity();
}

Status Index1::solve_on_rows(const System& sys, State& s, Terms& T) {
  if (!s.q.allFinite() || !s.v.allFinite() || !s.z.allFinite()) return Status::not_finite;
  sys.normalize(s.q);
  dx_ = s.v;
  if (const Status status = project(sys, onto_rows_, s, Need(0), T); status != Status::ok) return status;
  // closer to the dead point than to the rows: the nearest motion on them may be the other one
  momentum_.setZero();
  T.M.add_product(1, dx_, momentum_);
  const double energy = momentum_.dot(dx_);
  dx_ -= s.v;
  momentum_.setZero();
  T.M.add_product(1, dx_, momentum_);
  double size = 0;
  for (int i = 0; i < dx_.size(); ++i) size += std::pow(dx_[i] / sys.scale().v(i), 2);
  if (momentum_.dot(dx_) > other_motion * energy && size > little::square_at_rest) return Status::across_constraints;
  return solve_factored(sys, s, T);
}

Status Index1::finish(const System& sys, State& s, Need known, Terms& T) {
  if (!s.q.allFinite() || !s.v.allFinite() || !s.z.allFinite()) return Status::not_finite;
  Status status = project(sys, projection_, s, known, T);
  if (status == Status::ok) status = solve_factored(sys, s, T);
  if (status == Status::ok) remember(s);
  return status;
}

Status Index1::finish(const System& sys, State& s, Need known, Terms& T, bool on_rows) {
  const Status status = on_rows ? solve_on_rows(sys, s, T) : finish(sys, s, known, T);
  if (status != Status::ok) return status;
  remember(s);
  measure(s);
  return Status::ok;
}

void Index1::make_tangential(const System& sys, const State& s, const Terms& T, Vec& error_q, Vec& error_v) {
  const auto project = [&](Vec& error) {
    momentum_.setZero();
    T.M.add_product(1, error, momentum_);
    kkt_.solve(momentum_, zero_, error, mu_);
  };
  project(error_v);
  q_ = s.q - error_q;
  sys.difference(s.q, q_, dx_);
  project(dx_);
  sys.rate(s.q, dx_, error_q);
}

Status Index1::project(const System& sys, Projection& projection, State& s, Need known, Terms& T) {
  if (!projection.position() && !projection.velocity()) {
    sys.evaluate(s, missing(Need::mass | Need::force | Need::jacobian | Need::curvature, known), T);
    return kkt_.factor(T.M, T.top(), T.G) ? Status::ok : failure_of(kkt_);
  }
  if (const Status status = projection.project(sys, s, known, T, kkt_); status != Status::ok) return status;
  sys.evaluate(s, Need::force | Need::curvature, T);
  if (projection.factored() && !T.sliding) return Status::ok;
  return kkt_.factor(T.M, T.top(), T.G) ? Status::ok : failure_of(kkt_);
}

Status Index1::solve_factored(const System& sys, State& s, Terms& T) {
  r_ = -T.kappa;  // [000] (15)
  if (alpha_ != 0) {
    r_ -= 2 * alpha_ * T.g_t;
    T.G.add_product(-2 * alpha_, s.v, r_);
  }
  if (beta_ != 0) {
    sys.evaluate(s, Need::gap, T);
    for (int i = 0; i < r_.size(); ++i)
      if (sys.level(i) == Level::position) r_[i] -= beta_ * beta_ * T.g[i];
  }
  kkt_.solve(T.f, r_, s.vdot, s.lambda);
  s.lambda.tail(sys.dim().slip).setZero();
  return s.vdot.allFinite() ? Status::ok : Status::not_finite;
}

bool Index1::knows(const State& s) const {
  // the loop may have put t on its grid: a difference in the last bits is the same instant
  const double ulps = 4 * std::numeric_limits<double>::epsilon();
  return std::abs(known_.t - s.t) <= ulps * std::abs(s.t) && known_.q == s.q && known_.v == s.v && known_.z == s.z;
}

void Index1::remember(const State& s) { copy_point(s, known_); }

}  // namespace escapement
