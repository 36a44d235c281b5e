#include "schemes/found_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

namespace {

// where Newton's method pays: few contacts, or unequal masses of not too many; of others that are not too many when some sweeps have
// missed. Bodies that lie on faces have more contacts each than balls in a pile, and are solved tightly: else they creep
constexpr std::size_t few = 100, many = 600, to_a_body = 4;
constexpr int tries = 100;
constexpr double unequal = 30;

// calls f(k, known) for the points that the last step knew, both by ascending ids
template <class F>
void for_each_known(const std::vector<ContactPoint>& points, const std::vector<ActingContact>& known, F&& f) {
  std::size_t i = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    while (i < known.size() && known[i].at.id < points[k].id) ++i;
    if (i < known.size() && known[i].at.id == points[k].id) f(k, known[i]);
  }
}

}  // namespace

std::vector<OptionInfo> FoundContacts::options() {
  return {
      {.name = "gap_term", .value = std::string("on"), .description = "gaps of open contacts in the velocity problem: of those that are found in each step", .choices = {"on", "off"}},
      {.name = "contact_tolerance", .value = 0.0, .description = "of these contacts: residual over the step's largest approach; 0: 1e-8 by Newton's method, 1e-3 by sweeps", .min = 0, .max = 1},
      {.name = "sweeps", .value = 500.0, .description = "of these contacts: most sweeps of Gauss-Seidel in a step", .min = 1, .max = 1e9, .integer = true},
  };
}

FoundContacts::FoundContacts(const Options& options)
    : gap_term_(options.text("gap_term") == "on"),
      solver_(options.text("contact_solver")),
      tolerance_(options.number("contact_tolerance")),
      most_sweeps_(options.integer("sweeps")) {}

void FoundContacts::start(const System& sys, State& s) {
  const TouchingSystem* system = system_ ? system_ : dynamic_cast<const TouchingSystem*>(&sys);
  search_ = system && system->touching() ? system->make_search() : nullptr;
  if (!any()) return;
  rows_.start(sys, *system->touching());
  next_ = {};
  next_.keep(s.memory);
  const Dim& dim = sys.dim();
  const std::size_t bodies = rows_.touching().extent.size();
  first_number_ = static_cast<int>(sys.contacts().size());
  if (dim.unilateral > 0) sys.prepare(at_end_);
  for (ManyContacts* problem : {&problem_, &positions_}) problem->resize(static_cast<int>(bodies), rows_.touching().width);
  pushed_.assign(bodies + 1, 0);
  reach_.assign(bodies, 0);
  newton_.resize(dim.v, dim.bilateral);
  for (Vec* x : {&right_, &answer_, &v_free_}) x->setZero(dim.v);
  for (Vec* x : {&mu_, &right_mu_}) x->setZero(dim.bilateral);
  q_.setZero(dim.q);
  points_.clear();
  by_contact_.resize(rows_.touching().contacts.size());
  impacts_.reserve(by_contact_.size());
}

double FoundContacts::size_of(const ContactPoint& point) const {
  double size = std::numeric_limits<double>::infinity();
  for (const int body : {point.a, point.b}) {
    if (body < 0) continue;
    const double extent = rows_.touching().extent[static_cast<std::size_t>(body)];
    if (extent > 0) size = std::min(size, extent);
  }
  return size;
}

// a body moves at most as far as its fastest point, and one at rest may be pushed by the fastest of all
void FoundContacts::find(const State& s, double h, const Vec& v_free) {
  const std::vector<double>& extent = rows_.touching().extent;
  double& fastest = fastest_ = 0;
  std::fill(reach_.begin(), reach_.end(), 0);
  for (const Vec* v : {&v_free, &s.v}) {
    problem_.take(*v);
    for (std::size_t b = 0; b < reach_.size(); ++b) {
      const ManyContacts::Body& body = problem_.bodies()[b];
      reach_[b] = std::max(reach_[b], body.v.norm() + extent[b] * body.w.norm());
      fastest = std::max(fastest, reach_[b]);
    }
  }
  for (std::size_t b = 0; b < reach_.size(); ++b) reach_[b] = h * std::max(reach_[b], 0.5 * fastest) + little::touches * extent[b];
  search_->find(s, reach_, points_);
  last_.recall(s.memory);
  rows_.set(points_, search_->places(), false, problem_);
  set_bias(h, s.v, v_free);
  warm_start(h);
  sweeps_left_ = most_sweeps_;
  scale_ = residual_ = asked_ = 0;
}

// An impact keeps the energy that forces put in within its step: a gap closes with the rate that it has where it closes, and what
// rebounds does so where its step begins, so that forces act on it for the step. What would come back within the step stays
void FoundContacts::set_bias(double h, const Vec& v, const Vec& v_free) {
  before_.resize(points_.size());
  forced_.resize(points_.size());
  approach_.assign(points_.size(), 0);
  problem_.take(v_free);
  for (std::size_t k = 0; k < points_.size(); ++k) forced_[k] = problem_.velocity(problem_.contacts()[k]);
  problem_.take(v);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const V3 u = problem_.velocity(problem_.contacts()[k]);
    before_[k] = u[0];
    forced_[k] -= u;
  }
  for_each_known(points_, last_.contacts, [&](std::size_t k, const ActingContact& known) { approach_[k] = known.approach; });
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const ContactPoint& point = points_[k];
    const double e = law(point).restitution, approach = std::min({0.0, before_[k], approach_[k]});
    const bool closed = point.gap <= little::touches * size_of(point);
    double& bias = problem_.contacts()[k].bias[0];
    const double pressed = std::min(0.0, forced_[k][0]);
    bias = closed ? std::min(0.0, e * approach - pressed) : gap_term_ ? point.gap / h : std::numeric_limits<double>::infinity();
    approach_[k] = closed || e == 0 ? 0 : std::min(approach, -std::sqrt(before_[k] * before_[k] - 2 * pressed / h * point.gap));
  }
}

// impulses of the last step in the new frame, as far as they fit the new cone
void FoundContacts::warm_start(double h) {
  for_each_known(points_, last_.contacts, [&](std::size_t k, const ActingContact& known) {
    ManyContacts::Contact& c = problem_.contacts()[k];
    if (std::isfinite(c.bias[0])) c.P = ManyContacts::project(c.mu, h * (c.D * known.force));
  });
  if (problem_.turnings().empty()) return;
  std::size_t i = 0;
  for_each_known(points_, last_.contacts, [&](std::size_t k, const ActingContact& known) {
    auto& turnings = problem_.turnings();
    while (i < turnings.size() && turnings[i].contact < static_cast<int>(k)) ++i;
    if (i == turnings.size() || turnings[i].contact != static_cast<int>(k)) return;
    turnings[i].M = h * (ManyContacts::frame(points_[k].normal) * known.moment);
    turnings[i].keep_within(problem_.contacts()[k].P[0]);
  });
}

// what the contacts would be violated by if nothing pushed, at least what the forces change their bodies' velocities by
double FoundContacts::velocity_scale(const Vec& v_free, const State& s) const {
  double scale = 0;
  for (const ManyContacts::Contact& c : problem_.contacts()) {
    const double u = problem_.velocity(c)[0] + c.bias[0];
    scale = std::max(scale, c.is_brake() ? std::abs(u) : -u);
    for (const int body : {c.a, c.b})
      if (body != problem_.ground()) scale = std::max(scale, (v_free - s.v).segment(problem_.width() * body, problem_.lines()).norm());
  }
  return scale;
}

// of velocities that speeds and impulses are summed up to
double FoundContacts::rounding() const {
  double largest = fastest_;
  for (const ManyContacts::Contact& c : problem_.contacts()) largest = std::max(largest, c.weight * c.P.norm());
  return 1e3 * std::numeric_limits<double>::epsilon() * largest;
}

bool FoundContacts::wants_newton() const {
  if (!problem_.turnings().empty() || solver_ == "gauss-seidel") return false;
  if (solver_ == "newton" || problem_.contacts().size() <= few) return true;
  if (problem_.contacts().size() > many) return false;
  double ratio = 1;
  for (const ManyContacts::Contact& c : problem_.contacts()) {
    const double a = problem_.bodies()[static_cast<std::size_t>(c.a)].mass, b = problem_.bodies()[static_cast<std::size_t>(c.b)].mass;
    if (a > 0 && b > 0) ratio = std::max({ratio, a / b, b / a});
  }
  return ratio > unequal;
}

bool FoundContacts::newton_may_follow() const {
  return solver_ == "lemke" && problem_.contacts().size() <= many && problem_.turnings().empty();
}

bool FoundContacts::lies_on_faces() {
  std::fill(pushed_.begin(), pushed_.end(), 0);
  std::size_t bodies = 0;
  for (const ManyContacts::Contact& c : problem_.contacts())
    for (const int body : {c.a, c.b})
      if (body != problem_.ground() && !pushed_[static_cast<std::size_t>(body)]++) ++bodies;
  return problem_.contacts().size() > to_a_body * bodies;
}

double FoundContacts::sweep(int most) {
  double left = problem_.residual();
  for (int k = 1; k <= most && left > asked_ && sweeps_left_ > 0; ++k) {
    const double change = problem_.sweep();
    --sweeps_left_;
    if (change <= asked_ || k == most || sweeps_left_ == 0) left = problem_.residual();
    if (change == 0) break;
  }
  return left;
}

void FoundContacts::solve_by_sweeps(const Motion& m, int most, Vec& v) {
  rows_.set_answers(m, problem_);
  problem_.push_all();
  residual_ = sweep(most);
  problem_.give(v);
  for (const ManyContacts::Contact& c : problem_.contacts())
    for (int k = 0; c.wide >= 0 && k < c.rows; ++k) mu_ += c.P[k] * problem_.answer(c).mu[k];
}

// warm: v answers to the impulses already
void FoundContacts::solve_by_newton(const Motion& m, bool warm, Vec& v) {
  if (!warm) {
    right_.setZero();
    for (const ManyContacts::Contact& c : problem_.contacts())
      if (c.P != V3::Zero()) problem_.add_impulse(c, c.P, right_);
    m.response.solve(right_, rows_.no_rows(), answer_, mu_);
    v = v_free_ + answer_;
  }
  const Multipliers::Motion motion{m.A, m.T.G, m.bottom, rows_.bilateral(), rows_.touching().extent};
  residual_ = newton_.solve(motion, problem_, v_free_, asked_, v, mu_);
}

void FoundContacts::solve_once(const Motion& m, Vec& v, StepReport& report) {
  const bool newton = wants_newton();
  const bool either = !newton && newton_may_follow();
  const bool tight = newton || (either && lies_on_faces());
  asked_ = std::max(scale_ * (tolerance_ > 0 ? tolerance_ : tight ? little::tight_sweeps : little::loose_sweeps), rounding());
  if (!newton) solve_by_sweeps(m, either ? tries : most_sweeps_, v);
  if (newton || (either && residual_ > asked_)) {
    solve_by_newton(m, !newton, v);
    report.newton_iterations += newton_.newton_steps();
  }
}

void FoundContacts::solve(const Motion& m, const State& s, ImpactProblem& own, Vec& v, Vec& lambda, StepReport& report) {
  if (points_.empty() && m.response.size() == 0) return;
  rows_.set_bodies(m, problem_);
  rows_.set_responses(problem_);
  ContactRows::add_own(m, own, problem_);
  v_free_ = v;
  mu_.setZero();
  problem_.take(v);
  if (scale_ == 0) scale_ = velocity_scale(v, s);
  if (!(scale_ > 0)) {  // nothing to push against
    for (ManyContacts::Contact& c : problem_.contacts()) c.P.setZero();
  } else {
    solve_once(m, v, report);
    // brakes that follow joints: their limits by what the joints carry then
    for (int round = 0; round < most_followed; ++round) {
      right_mu_ = lambda.head(mu_.size()) + mu_;
      if (!m.response.limit_by(right_mu_, own)) break;
      ContactRows::limit_brakes(m, own, problem_);
      if (problem_.residual() <= asked_) break;
      v = v_free_;
      mu_.setZero();
      problem_.take(v);
      solve_once(m, v, report);
    }
  }
  ContactRows::give_own(m, problem_, own);
  lambda.head(mu_.size()) += mu_;
}

void FoundContacts::move(double h, const Vec& v1, Vec& dx) {
  std::fill(pushed_.begin(), pushed_.end(), 0);
  bool together = false;
  for (const ManyContacts::Contact& c : problem_.contacts()) {
    if (c.P[0] == 0) continue;
    for (const int body : {c.a, c.b}) {
      pushed_[static_cast<std::size_t>(body)] = 1;
      together = together || rows_.coupled(body);
    }
  }
  const int width = problem_.width();
  for (int b = 0; b < problem_.ground(); ++b)
    if (pushed_[static_cast<std::size_t>(b)] || (together && rows_.coupled(b))) dx.segment(width * b, width) = h * v1.segment(width * b, width);
}

void FoundContacts::project(const System& sys, const Motion& m, bool projects, State& s1) {
  constexpr int rounds = 6;
  double reach = 0;
  std::fill(reach_.begin(), reach_.end(), reach);
  for (int round = 0;; ++round) {
    search_->find(s1, reach_, overlaps_);
    next_.penetration = next_.sunk = 0;
    for (const ContactPoint& point : overlaps_) {
      next_.penetration = std::max(next_.penetration, -point.gap);
      next_.sunk = std::max(next_.sunk, -point.gap / size_of(point));
    }
    if (!projects || round == rounds) return;
    const double own = own_penetration(sys, s1), deepest = std::max(next_.penetration, own);
    if (std::max(next_.sunk, own) <= little::projected) return;
    if (round == 0) rows_.set_bodies(m, positions_);
    if (deepest > reach) {
      // what is moved apart may run into others
      reach = deepest;
      std::fill(reach_.begin(), reach_.end(), reach);
      search_->find(s1, reach_, overlaps_);
    }
    correct(sys, m, deepest, s1);
  }
}

double FoundContacts::own_penetration(const System& sys, const State& s1) {
  const Dim& dim = sys.dim();
  double deepest = 0;
  if (dim.unilateral == 0) return deepest;
  sys.evaluate(s1, Need::gap | Need::jacobian, at_end_);
  for (int i = dim.bilateral; i < dim.rows(); ++i)
    if (at_end_.g[i] < 0) deepest = std::max(deepest, -at_end_.g[i] / one_of_row(sys.scale(), at_end_.G, i));
  return deepest;
}

// min |dx|_A with g + J dx >= 0, nearly: it is done again
void FoundContacts::correct(const System& sys, const Motion& m, double deepest, State& s1) {
  constexpr int most = 400;
  constexpr double part = 0.02;
  rows_.set(overlaps_, search_->places(), true, positions_);
  for (std::size_t k = 0; k < overlaps_.size(); ++k) positions_.contacts()[k].bias[0] = overlaps_[k].gap;
  for (int i = sys.dim().bilateral; i < sys.dim().rows(); ++i)
    if (at_end_.g[i] <= deepest * one_of_row(sys.scale(), at_end_.G, i)) ContactRows::add_own_gap(at_end_, i, positions_);
  ContactRows::set_responses(positions_);
  rows_.set_answers(m, positions_);
  right_.setZero();
  positions_.take(right_);
  gaps_.start(positions_);
  for (int k = 0; k < most; ++k)
    if (gaps_.sweep() <= part * deepest) break;
  positions_.give(right_);
  sys.retract(s1.q, right_, q_);
  s1.q = q_;
}

void FoundContacts::note_impact(const ContactPoint& point, double before, double after, double impulse) {
  ContactImpact& one = by_contact_[static_cast<std::size_t>(law(point).contact)];
  if (one.contact < 0 || before < one.velocity_before) {
    one.contact = first_number_ + law(point).contact;
    one.velocity_before = before;
    one.velocity_after = after;
  }
  one.impulse += impulse;
}

// The part of an impulse that changes the velocity acts where the step begins, what holds against the forces all through it
double FoundContacts::struck_part(std::size_t k, double mean) const {
  const double gained = 2 * (mean - before_[k]);
  return gained > 0 ? gained / (gained - std::min(0.0, forced_[k][0])) : 0;
}

void FoundContacts::finish(const State& s, double h, State& s1, StepReport& report) {
  impacts_.clear();
  for (ContactImpact& one : by_contact_) one = {};
  next_.contacts.clear();
  next_.step_energy = 0;
  for (int b = 0; b < problem_.ground() && !points_.empty(); ++b) {
    const int first = problem_.width() * b;
    const double gained = (v_free_ - s.v).segment(first, problem_.lines()).squaredNorm(), mass = problem_.bodies()[static_cast<std::size_t>(b)].mass;
    if (mass > 0) next_.step_energy += 0.5 * gained / mass;
  }
  if (residual_ > asked_) report.excess = std::max(report.excess, residual_ / asked_);
  right_ = 0.5 * (s.v + s1.v);
  problem_.take(right_);
  std::size_t known = 0, turning = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const ContactPoint& point = points_[k];
    const ManyContacts::Contact& c = problem_.contacts()[k];
    if (!(c.P[0] > 0)) continue;
    ActingContact& acting = next_.contacts.emplace_back();
    acting.at = point;
    acting.force = c.D.transpose() * c.P / h;
    acting.approach = approach_[k];
    const V3 mean = problem_.velocity(c) - 0.5 * struck_part(k, problem_.velocity(c)[0]) * forced_[k];
    report.others_act = true;
    report.contact_work += c.P.dot(mean);
    while (turning < problem_.turnings().size() && problem_.turnings()[turning].contact < static_cast<int>(k)) ++turning;
    if (turning < problem_.turnings().size() && problem_.turnings()[turning].contact == static_cast<int>(k)) {
      const ManyContacts::Turning& t = problem_.turnings()[turning];
      acting.moment = ManyContacts::frame(point.normal).transpose() * t.M / h;
      report.contact_work += t.M.dot(problem_.velocity(t));
    }
    while (known < last_.contacts.size() && last_.contacts[known].at.id < point.id) ++known;
    const ActingContact* before = known < last_.contacts.size() && last_.contacts[known].at.id == point.id ? &last_.contacts[known] : nullptr;
    // one that rebounds is an impact in the step after it has closed
    const double velocity = std::min(before_[k], before ? before->approach : 0);
    if (acting.approach == 0 && velocity < 0 && (!before || before->approach < 0)) note_impact(point, velocity, 2 * mean[0] - before_[k], c.P[0]);
  }
  for (const ContactImpact& one : by_contact_)
    if (one.contact >= 0) impacts_.push_back(one);
  next_.keep(s1.memory);
}

}  // namespace escapement
