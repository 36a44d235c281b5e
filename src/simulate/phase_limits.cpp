#include "simulate/phase_limits.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
using Cause = PhaseEnd::Cause;
// A force whose values at all stages of a step are above this part of their largest does not vanish between them: steps
// resolve what expressions do
constexpr double clear_by_stages = 0.5;
}  // namespace

PhaseLimits::PhaseLimits(const System& system, const ActiveView& view, ActiveSteps& steps, ContactDynamics& dynamics)
    : system_(system), view_(view), steps_(steps), dynamics_(dynamics), between_(make_state(system.dim())), forces_(system, view) {
  const std::size_t most = 3 * system.contacts().size();
  search_.resize(int(most));
  limits_.reserve(most);
  wanted_.reserve(most);
  for (Vec* v : {&at_start_, &at_end_, &noise_}) v->setZero(Eigen::Index(most));
  sample_ = [this](double part, const std::vector<char>& wanted, Vec& values) { sample(part, wanted, values); };
}

void PhaseLimits::list() {
  limits_.clear();
  const int laws = static_cast<int>(system_.contacts().size());
  for (int i = 0; i < laws; ++i) {
    const ContactMode mode = view_.mode(i);
    if (mode == ContactMode::open) continue;
    if (!system_.contacts()[i].is_brake()) limits_.push_back({Cause::opening, i});
    if (mode != ContactMode::closed) {
      limits_.push_back({Cause::stick, i});
    } else if (dynamics_.frictional(i) && !view_.held(i) && system_.contacts()[i].slips > 1) {
      limits_.push_back({Cause::slip, i, 0, 1, 0});
    } else if (dynamics_.frictional(i) && !view_.held(i)) {
      // both limits by themselves: mu N - |T| has a kink
      limits_.push_back({Cause::slip, i, 0, 1, 1});
      limits_.push_back({Cause::slip, i, 0, 1, -1});
    }
  }
}

// how far friction is from its limit: on one side, or the length of what it is in space
double PhaseLimits::room_for_friction(const PhaseEnd& limit, const Vec& forces) const {
  const Dim& dim = system_.dim();
  const ContactLaw& law = system_.contacts()[limit.contact];
  const double most = law.limit(law.pressing(forces, dim.bilateral + limit.contact));
  const double* friction = &forces[dim.rows() + law.slip];
  return law.slips == 1 ? most - limit.side * friction[0] : most - std::hypot(friction[0], friction[1]);
}

double PhaseLimits::speed_left(int contact) const {
  const ActiveView::Direction &slip = dynamics_.slip(contact), &along = view_.along(contact);
  return system_.contacts()[contact].slips == 1 ? along[0] * slip[0] : along[0] * slip[0] + along[1] * slip[1];
}

ActiveView::Direction PhaseLimits::against_friction(int contact, const State& s) {
  const double* friction = &forces_within(s)[system_.dim().rows() + system_.contacts()[contact].slip];
  const double size = std::hypot(friction[0], friction[1]);
  return size > 0 ? ActiveView::Direction{-friction[0] / size, -friction[1] / size} : ActiveView::Direction{1, 0};
}

double PhaseLimits::value(const PhaseEnd& limit, const State& s, const Vec& forces) {
  switch (limit.cause) {
    case Cause::opening:
      return forces[system_.dim().bilateral + limit.contact];
    case Cause::slip:
      return room_for_friction(limit, forces);
    case Cause::stick:
      dynamics_.kinematics(s, limit.contact);
      return speed_left(limit.contact);
    default:
      return 1;
  }
}

void PhaseLimits::evaluate(const State& s, const Vec& forces, Vec& values) {
  bool known = false;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    const PhaseEnd& limit = limits_[k];
    if (limit.cause == Cause::stick) {
      if (!known) dynamics_.kinematics(s, view_.not_open());
      known = true;
      values[int(k)] = speed_left(limit.contact);
    } else {
      values[int(k)] = value(limit, s, forces);
    }
  }
}

void PhaseLimits::sample(double part, const std::vector<char>& wanted, Vec& values) {
  steps_.interpolate(*scheme_, part, between_);
  bool forces = false;
  for (std::size_t k = 0; k < limits_.size(); ++k) forces = forces || (wanted[k] && limits_[k].cause != Cause::stick);
  evaluate(between_, forces ? forces_within(between_) : forces_.lambda(), values);
}

const Vec& PhaseLimits::forces_at_start(const Scheme& by, const State& s) {
  return known_ && by.info().index == 3 && s.q == known_q_ && s.v == known_v_ ? known_lambda_ : forces_after_step(by, s);
}

bool PhaseLimits::keeps_clear(std::size_t k) const {
  const std::span stages(stages_.data(), stage_count_);
  const PhaseEnd& limit = limits_[k];
  if (stages.empty() || limit.cause == Cause::stick) return false;
  double least = std::min(at_start_[int(k)], at_end_[int(k)]), largest = std::max(at_start_[int(k)], at_end_[int(k)]);
  for (const Vec& forces : stages) {
    const double f = limit.cause == Cause::slip ? room_for_friction(limit, forces) : forces[system_.dim().bilateral + limit.contact];
    least = std::min(least, f);
    largest = std::max(largest, f);
  }
  return least > clear_by_stages * largest;
}

PhaseEnd PhaseLimits::first(Scheme& scheme, const State& s, const State& s1) {
  list();
  if (limits_.empty()) return {};
  scheme_ = &scheme;
  evaluate(s, forces_at_start(scheme, s), at_start_);
  const Vec& at_end = forces_after_step(scheme, s1);
  evaluate(s1, at_end, at_end_);
  known_ = true;
  known_q_ = s1.q;
  known_v_ = s1.v;
  known_lambda_ = at_end;
  const std::span<const Vec> stages = scheme.stage_multipliers();
  stage_count_ = stages.size();
  if (stages_.size() < stage_count_) stages_.resize(stage_count_);
  for (std::size_t k = 0; k < stage_count_; ++k) view_.scatter(stages[k], stages_[k]);
  wanted_.assign(limits_.size(), 0);
  bool any = false;
  for (std::size_t k = 0; k < limits_.size(); ++k) {
    const int i = limits_[k].contact;
    const double size = std::max(std::abs(at_start_[int(k)]), std::abs(at_end_[int(k)]));
    noise_[int(k)] = limits_[k].cause == Cause::stick ? little::rest * dynamics_.speed_size(i)
                                                      : little::rest * std::max(size, dynamics_.force_size(i));
    wanted_[k] = !keeps_clear(k);
    any = any || wanted_[k];
  }
  if (!any) return {};
  const SignSearch::Found found = search_.search(int(limits_.size()), wanted_, at_start_, at_end_, noise_, sample_);
  if (found.function < 0) return {};
  PhaseEnd end = limits_[std::size_t(found.function)];
  end.low = found.low;
  end.high = found.high;
  return end;
}

}  // namespace escapement
