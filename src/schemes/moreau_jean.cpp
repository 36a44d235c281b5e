// The Moreau-Jean theta scheme, named in [000] section 4.2.2 (Jean 1999): contacts and bilateral constraints at velocity level;
// M, f and G at theta, by Newton's method; optional projection onto the position level (Acary 2013).
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/found_contacts.hpp"
#include "schemes/motion_guess.hpp"
#include "schemes/newton.hpp"
#include "schemes/position_correction.hpp"
#include "schemes/registry.hpp"
#include "schemes/time_stepping.hpp"
#include "schemes/velocity_level_scheme.hpp"

namespace escapement::inline schemes {

namespace {

class MoreauJean : public VelocityLevelScheme, public ContactFinding {
 public:
  explicit MoreauJean(const Options& options)
      : VelocityLevelScheme(options),
        found_(options),
        theta_(options.number("theta")),
        tolerance_(options.number("newton_tolerance")),
        project_(options.text("projection") != "none"),
        chosen_(options.given("projection")),
        combined_(options.text("projection") == "combined") {}

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void find_contacts_of(const TouchingSystem& system) override { found_.set_system(system); }
  std::span<const ContactImpact> impacts() const override { return found_.any() ? found_.impacts() : VelocityLevelScheme::impacts(); }

 private:
  const Matrix& linearize_rows(const System& sys, double h, const Vec& v1);
  struct Change {
    double relative = 0, scaled = 0;
  };
  Change change_of(const System& sys, const Vec& from, const Vec& to) const;
  bool solve_velocity(const System& sys, const State& s, double h, State& s1, StepReport& report);
  bool grow_set();
  void guess(const State& s, double h, State& s1);
  void remember(const State& s, double h, State& s1);

  PositionCorrection correction_;
  FoundContacts found_;
  MotionGuess guess_;
  double theta_, tolerance_;
  bool project_, chosen_, combined_;
  Terms T_;
  Tangent D_;
  Matrix A_, bottom_;
  State at_theta_;
  Vec right_, rows_, on_, dx_, w_, v1_, mu_, free_;
};

void MoreauJean::start(const System& sys, State& s) {
  contacts_.start(sys, s);
  found_.start(sys, s);
  if (!found_.any()) guess_.start(s, sys.dim().v);
  if (found_.any() && !chosen_) project_ = true;
  if (project_) correction_.start(sys, PositionCorrection::Metric::kinetic);
  sys.prepare(T_);
  sys.prepare(D_);
  at_theta_ = make_state(sys.dim());
  for (Vec* x : {&right_, &dx_, &w_, &v1_, &free_}) x->setZero(sys.dim().v);
  rows_.setZero(sys.dim().bilateral);
  on_.setOnes(sys.dim().bilateral);
  mu_.setZero(sys.dim().multipliers());

  // a first matrix: patterns are analysed here and not in a step
  at_theta_.t = s.t;
  at_theta_.q = s.q;
  at_theta_.z = s.z;
  sys.evaluate(at_theta_, Need::mass | Need::jacobian, T_);
  sys.tangent(at_theta_, w_, mu_, Parts::all, D_);
  A_.set_sum({{1, &T_.M}, {0, &D_.D}, {0, &D_.K}});
  contacts_.response().factor(A_, T_.G, rows_.size() > 0 ? linearize_rows(sys, 0, s.v) : T_.G);
}

StepReport MoreauJean::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  // the contact set by the explicit prediction q_n + h/2 v_n, never on the implicit position
  at_theta_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, at_theta_.q);
  at_theta_.v = s.v;
  at_theta_.z = s.z;
  sys.evaluate(at_theta_, Need::gap | Need::jacobian, T_);
  contacts_.choose(sys, T_, at_theta_.q, found_.any() ? little::touches : 0);

  guess(s, h, s1);
  s1.z = s.z;
  bool again = true;
  while (again) {
    if (!solve_velocity(sys, s, h, s1, report)) return report;
    again = false;
    if (project_) {
      if (!correction_.apply(sys, T_.G, T_.M, s1, report)) return report;
      again = combined_ && grow_set();
    }
  }
  s1.t = s.t + h;
  if (found_.any()) found_.project(sys, {T_, A_, T_.G, contacts_.response()}, project_, s1);
  contacts_.finish(sys, T_, s, h, s1, report);
  if (!found_.any()) remember(s, h, s1);
  if (found_.any()) found_.finish(s, h, s1, report);
  return report;
}

// where the last steps lead, if they went on like each other
void MoreauJean::guess(const State& s, double h, State& s1) {
  s1.v = s.v;
  if (found_.any() || s.z.size() > 0 || !guess_.foretell(s, h)) return;  // states of first order are found by iteration alone
  for (int i = 0; i < s.v.size(); ++i) s1.v[i] += guess_.unknowns[i];
}

void MoreauJean::remember(const State& s, double h, State& s1) {
  const std::vector<double>&before = s.memory.numbers, &now = s1.memory.numbers;
  const bool same = contacts_.impacts().empty() && std::equal(now.begin(), now.begin() + contacts_.response().contacts(), before.begin());
  for (int i = 0; i < s.v.size(); ++i) guess_.unknowns[i] = s1.v[i] - s.v[i];
  guess_.finish(s, h, same, s1);
}

// G v1 + g_t = 0 at theta, about a known v1: (G + theta^2 h (G v1 + g_t)_q) v1' = -g_t + theta^2 h (G v1 + g_t)_q v1
const Matrix& MoreauJean::linearize_rows(const System& sys, double h, const Vec& v1) {
  const double factor = theta_ * theta_ * h;
  at_theta_.v = v1;
  sys.tangent(at_theta_, w_, mu_, Parts::velocity_rows, D_);
  for (int i = 0; i < rows_.size(); ++i) {
    on_[i] = !T_.G.is_row_zero(i);  // rows that are switched off stay so
    rows_[i] += on_[i] * factor * D_.V_q.row_dot(i, v1);
  }
  bottom_.set_blocks(T_.G.rows(), T_.G.cols(), {{1, &T_.G}, {factor, &D_.V_q, 0, 0, &on_}});
  return bottom_;
}

// M (v1 - v) = h f + G^T P at theta, with the impact law: Newton's method around the contact problem
bool MoreauJean::solve_velocity(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  constexpr int most_iterations = 30;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const int bilateral = sys.dim().bilateral;
  mu_.setZero();
  double last = 0;
  for (int i = 0;; ++i) {
    at_theta_.t = s.t + theta_ * h;
    at_theta_.v = (1 - theta_) * s.v + theta_ * s1.v;
    dx_ = theta_ * h * at_theta_.v;
    sys.retract(s.q, dx_, at_theta_.q);
    at_theta_.z = (1 - theta_) * s.z + theta_ * s1.z;
    sys.evaluate(at_theta_, contacts_.need() | Need::mass | Need::force, T_);
    s1.z = s.z + h * T_.zdot;
    w_ = (s1.v - s.v) / h;
    sys.tangent(at_theta_, w_, mu_, Parts::all, D_);
    A_.set_sum({{1, &T_.M}, {theta_ * h, &D_.D}, {theta_ * theta_ * h * h, &D_.K}});
    // A v1' = A v1 - residual
    right_ = h * T_.f;
    T_.M.add_product(-h, w_, right_);
    A_.add_product(1, s1.v, right_);
    rows_ = -T_.g_t.head(bilateral);
    const Matrix& bottom = bilateral > 0 ? linearize_rows(sys, h, s1.v) : T_.G;
    s1.lambda.setZero();
    v1_ = s1.v;
    if (found_.any()) {
      if (!contacts_.solve_free(T_, h, A_, bottom, right_, rows_, s.v, s1.v, s1.lambda, report)) return false;
    } else if (!contacts_.solve(T_, h, A_, bottom, right_, rows_, s.v, s1.v, s1.lambda, report)) {
      return false;
    }
    ++report.newton_iterations;
    Change change = change_of(sys, v1_, s1.v);
    if (found_.any()) {
      // contacts are solved again only where the free motion has changed
      const double of_free = i == 0 ? 1 : change_of(sys, free_, s1.v).relative;
      free_ = s1.v;
      if (of_free <= tolerance_) {
        s1.v = v1_;
        s1.lambda = h * mu_;
        contacts_.take_impulses(T_, s1.v, s1.lambda);
        break;
      }
      if (i == 0) {
        found_.find(s, h, free_);
        for (const ContactResponse::Row& row : contacts_.response().rows()) contacts_.problem().P[row.at] = h * s.lambda[row.multiplier];
      }
      found_.solve({T_, A_, bottom, contacts_.response()}, s, contacts_.problem(), s1.v, s1.lambda, report);
      contacts_.take_impulses(T_, s1.v, s1.lambda);
      if (!contacts_.is_met(bottom, rows_, s1.v, report)) return false;
      change = change_of(sys, v1_, s1.v);
      change.relative = std::min(of_free, change.relative);
    }
    mu_ = s1.lambda / h;
    const double size = change.relative, moved = theta_ * h * change.scaled;
    // stiff forces turn the last digits of the positions into velocities, the more the shorter the step
    const bool is_rounding = size <= left_by_rounding(contacts_.response().pivot()) || moved <= 4 * epsilon * largest_coordinate(sys, s.q);
    if (size <= tolerance_ || (i > 1 && size >= last && is_rounding)) break;
    if (i >= most_iterations) {
      report.status = Status::newton_failed;
      for (int k = 0; k < v1_.size(); ++k) note_residual(report, RowResidual::Kind::motion, k, v1_[k] - s1.v[k]);
      return false;
    }
    last = size;
  }
  dx_ = h * ((1 - theta_) * s.v + theta_ * s1.v);
  if (found_.any()) found_.move(h, s1.v, dx_);
  sys.retract(s.q, dx_, s1.q);
  s1.t = s.t + h;
  return true;
}

MoreauJean::Change MoreauJean::change_of(const System& sys, const Vec& from, const Vec& to) const {
  Change change;
  for (int k = 0; k < to.size(); ++k) {
    const double size = std::abs(to[k] - from[k]), one = sys.scale().v(k);
    change.relative = std::max(change.relative, size / (one + std::abs(to[k])));
    change.scaled = std::max(change.scaled, size / one);
  }
  return change;
}

// contacts that the projection pushed join the velocity problem; the set only grows
bool MoreauJean::grow_set() {
  bool grown = false;
  std::vector<int>& set = contacts_.set();
  const ContactResponse& response = contacts_.response();
  for (int i = 0; i < response.contacts(); ++i) {
    const bool pushed = correction_.psi()[response.first_row() + i] > 0;
    if (pushed && std::find(set.begin(), set.end(), i) == set.end()) {
      set.push_back(i);
      grown = true;
    }
  }
  return grown;
}

SchemeInfo moreau_jean_info() {
  SchemeInfo info = velocity_level_info("moreau-jean", "Moreau-Jean theta scheme: time-stepping, contacts at velocity level, optional projection");
  info.paper = "000";
  info.equations = "section 4.2.2";
  info.options.push_back({.name = "theta", .value = 0.5, .description = "where in the step forces are taken", .min = 0, .max = 1});
  info.options.push_back({.name = "projection", .value = std::string("none"), .description = "onto the position level after the step (of contacts that are found in each step: position unless given); combined: its contacts join the velocity level", .choices = {"none", "position", "combined"}});
  for (OptionInfo& option : FoundContacts::options()) info.options.push_back(std::move(option));
  info.options.push_back({.name = "newton_tolerance", .value = little::increment, .description = "largest last increment of the velocities, relative", .min = 0, .max = 1});
  return info;
}

const SchemeInfo& MoreauJean::info() const {
  static const SchemeInfo info = moreau_jean_info();
  return info;
}

}  // namespace

SchemeEntry moreau_jean_scheme() { return scheme_entry<MoreauJean>(moreau_jean_info()); }

}  // namespace escapement
