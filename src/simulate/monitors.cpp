#include "simulate/monitors.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement::inline simulate {

DriftMonitor::DriftMonitor(const System& system, Need also, const EnergyKeeping* with_energy)
    : system_(system), with_energy_(with_energy), need_(system.dim().bilateral > 0 ? Need::gap | Need::jacobian | also : Need::gap | also) {
  system.prepare(terms_);
  const Dim& dim = system.dim();
  position_.setZero(dim.bilateral);
  velocity_.setZero(dim.bilateral);
  rows_.setZero(dim.bilateral);
  scale_.setOnes(dim.rows());
}

void DriftMonitor::begin(const State& s) {
  const double largest = s.q.size() > 0 ? s.q.cwiseAbs().maxCoeff() : 0, one = system_.scale().unit();
  size_ = largest > 0 ? std::min(one, largest) : one;
  look(s);
}

void DriftMonitor::step(const StepRecord& r) {
  if (!r.accepted) return;
  scheme_ = &r.scheme.info();
  look(r.after);
}

Objection DriftMonitor::objection(StepReport& report) const {
  constexpr double apart = 0.1;
  if (!scheme_) return {};
  const bool position = now_position_ > (scheme_->keeps_position ? kept : apart);
  // rows that are met within the step drift at its end, in proportion to it
  const bool velocity = scheme_->keeps_velocity && !scheme_->rows_inside && now_velocity_ > kept;
  if (!position && !velocity) return {};
  for (int i = 0; i < system_.dim().bilateral; ++i)
    note_residual(report, RowResidual::Kind::row, i, position ? terms_.g[i] : rows_[i]);
  return {position ? "the mechanism comes apart at position level" : "the mechanism comes apart at velocity level",
          "look for drives that contradict each other or ask for more than the mechanism's reach, take a smaller step or a "
          "tolerance, or give max_drift: 0 to go on nevertheless"};
}

void DriftMonitor::look(const State& s) {
  const Dim& dim = system_.dim();
  if (with_energy_) energy_ = with_energy_->evaluate_with_energy(s, need_, terms_);
  if (dim.rows() == 0) return;
  now_position_ = now_velocity_ = 0;
  if (!with_energy_) system_.evaluate(s, need_, terms_);
  bool known = false;  // scale_, which is asked for where a drift is more than rounding, or the largest so far
  for (int i = 0; i < dim.bilateral; ++i) {
    const double one = row_scale(system_.scale(), terms_.G, i);
    double rate = terms_.g_t[i], size = one + std::abs(rate);  // size: of the terms that the rate sums, at least one
    terms_.G.for_each_in_row(i, [&](int j, double x) {
      const double term = x * s.v[j];
      rate += term;
      size += std::abs(term);
    });
    rows_[i] = rate;
    const double g = std::abs(terms_.g[i]), gdot = std::abs(rate);
    position_[i] = std::max(position_[i], g);
    velocity_[i] = std::max(velocity_[i], gdot);
    scaled_velocity_.note(gdot / size, s.t, i);
    now_velocity_ = std::max(now_velocity_, gdot / size);
    const double least = std::min(size_, system_.scale().given() ? one : 1);
    if (g <= least * std::min(little::touching, scaled_position_.value)) {
      now_position_ = std::max(now_position_, g / least);
      continue;
    }
    if (!known) system_.position_scale(s, scale_);
    known = true;
    scaled_position_.note(g / scale_[i], s.t, i);
    if (system_.level(i) == Level::position)
      now_position_ = std::max(now_position_, g / (scale_[i] > one ? scale_[i] : size_));
  }
  for (int i = dim.bilateral; i < dim.rows(); ++i) penetration_ = std::max(penetration_, -terms_.g[i]);
}

EnergyMonitor::EnergyMonitor(const System& system, bool errors_are_controlled, const DriftMonitor* told)
    : system_(system), known_(told && told->knows_energy() ? told : nullptr), errors_are_controlled_(errors_are_controlled) {
  system.prepare(terms_);
  const Dim& dim = system.dim();
  solver_.resize(dim.v, dim.multipliers());
  on_.setOnes(dim.rows());
  slip_on_.setZero(dim.slip);
  right_.setZero(dim.v);
  vdot_.setZero(dim.v);
  zero_.setZero(dim.multipliers());
  forces_.setZero(dim.multipliers());
}

// Multipliers at an instant inside a step, where the dense output has none of its own order: those nearest to the ones given
// that explain M v' - f best, on the rows that carry force in this step. Where rows depend on each other (a driven body pushes one
// that is braked), what the motion leaves open stays as it is given
void EnergyMonitor::find_forces(const StepRecord& r, State& s) {
  const Dim& dim = system_.dim();
  for (int i = dim.bilateral; i < dim.rows(); ++i) on_[i] = r.before.lambda[i] != 0 || r.after.lambda[i] != 0;
  for (int i = 0; i < dim.slip; ++i) slip_on_[i] = r.before.lambda[dim.rows() + i] != 0 || r.after.lambda[dim.rows() + i] != 0;
  system_.evaluate(s, dim.slip > 0 ? Need::mass | Need::force | Need::jacobian | Need::slip : Need::mass | Need::force | Need::jacobian, terms_);
  if (dim.slip > 0) {
    rows_.set_blocks(dim.multipliers(), dim.v, {{1, &terms_.G, 0, 0, &on_}, {1, &terms_.T, dim.rows(), 0, &slip_on_}});
  } else {
    rows_.set_blocks(dim.multipliers(), dim.v, {{1, &terms_.G, 0, 0, &on_}});
  }
  right_ = terms_.f;
  terms_.M.add_product(-1, s.vdot, right_);
  rows_.add_transposed_product(1, s.lambda, right_);
  if (!solver_.factor(terms_.M, rows_)) return;
  solver_.solve(right_, zero_, vdot_, forces_);
  s.lambda += forces_;
}

Energy EnergyMonitor::energy(const State& s) {
  const bool known = at_.q.size() == s.q.size() && at_.t == s.t && at_.q == s.q && at_.v == s.v && at_.vdot == s.vdot && at_.lambda == s.lambda && at_.z == s.z;
  if (known) return energy_;
  at_.t = s.t;
  at_.q = s.q;
  at_.v = s.v;
  at_.vdot = s.vdot;
  at_.lambda = s.lambda;
  at_.z = s.z;
  return energy_ = system_.energy(s, terms_);
}

double EnergyMonitor::power(const State& s, bool time_stepping) {
  // contacts of event-driven phases: normal forces on moving gaps do work, friction takes it
  double contact_power = 0;
  const Dim& dim = system_.dim();
  if (dim.unilateral + dim.slip > 0 && !time_stepping) {
    bool loaded = false;
    for (int i = dim.bilateral; i < dim.multipliers(); ++i) loaded = loaded || s.lambda[i] != 0;
    if (loaded) {
      system_.evaluate(s, dim.slip > 0 ? Need::jacobian | Need::slip : Need::jacobian, terms_);
      // what is held at rest takes no power but that of rounding
      const auto power_on = [&](const Matrix& rows, int i, double force) {
        double rate = 0, size = 0;
        if (force == 0) return 0.0;
        rows.for_each_in_row(i, [&](int j, double x) {
          rate += x * s.v[j];
          size += std::abs(x * s.v[j]);
        });
        return std::abs(rate) > little::rest * size ? force * rate : 0.0;
      };
      for (int i = dim.bilateral; i < dim.rows(); ++i) contact_power += power_on(terms_.G, i, s.lambda[i]);
      for (int i = 0; i < dim.slip; ++i) contact_power += power_on(terms_.T, i, s.lambda[dim.rows() + i]);
    }
  }
  return contact_power + (known_ ? 0 : energy(s).power);
}

void EnergyMonitor::begin(const State& s) {
  const Energy e = system_.energy(s, terms_);
  initial_ = final_ = last_ = e.kinetic + e.potential;
  work_ = 0;
  error_ = {};
  between_ = s;
  kinetic_ = e.kinetic;
  // tolerances are relative to 1 + |v|: velocities of 1 have this energy
  system_.evaluate(s, Need::mass, terms_);
  size_ = 0;
  const Scale& one = system_.scale();
  for (int i = 0; i < terms_.M.rows(); ++i) size_ += 0.5 * std::abs(terms_.M(i, i)) * one.v(i) * one.v(i);
  one_ = size_;
  size_ += e.kinetic;
  lowest_ = highest_ = e.potential;
}

Objection EnergyMonitor::objection(StepReport& report) const {
  if (!errors_are_controlled_ || leap_ <= (report.passes_dead_point ? 0.05 : 10)) return {};
  return {"the energy leaps in a step in which nothing does work",
          "take a tighter tolerance or another scheme, or give max_drift: 0 to go on nevertheless"};
}

void EnergyMonitor::step(const StepRecord& r) {
  if (!r.accepted) return;
  // the start's power is taken anew: an event may have changed the active contacts
  const bool stepping = r.scheme.info().time_stepping;
  const bool idle = stepping && known_;
  const double p0 = idle ? 0 : power(r.before, stepping), p1 = idle ? 0 : power(r.after, stepping);
  const Energy e = known_ ? known_->energy() : energy(r.after);
  if (stepping) {
    if (!known_) work_ += work_at_mean(r, p0 != 0 || p1 != 0);
  } else if ((p0 != 0 || p1 != 0) && r.after.t > r.before.t) {
    work_ += work_on_dense_output(r);
  }
  work_ += r.report.contact_work;
  leap_ = stepping || p0 != 0 || p1 != 0 ? 0 : std::abs(e.kinetic + e.potential - last_) / (size_ + highest_ - lowest_);
  size_ = std::max(size_, e.kinetic);
  lowest_ = std::min(lowest_, e.potential);
  highest_ = std::max(highest_, e.potential);
  final_ = last_ = e.kinetic + e.potential;
  kinetic_ = std::max(kinetic_, e.kinetic);
  least_work_ = std::min(least_work_, work_);
  most_work_ = std::max(most_work_, work_);
  rounding_ += std::numeric_limits<double>::epsilon() * (e.kinetic + std::abs(e.potential) + std::abs(work_));
  error_.note(std::abs(final_ - initial_ - work_), r.after.t);
}

// velocities that are wrong by the tolerance change the energy E by twice its root times that of one
Worst EnergyMonitor::imbalance(double tolerance, double least) const {
  constexpr double steps = 20;  // whose errors may add up
  const double size = std::max(least, kinetic_ + (highest_ - lowest_) + (most_work_ - least_work_)), wrong = steps * tolerance;
  const double allowed = 2 * wrong * std::sqrt(size * one_) + wrong * wrong * one_;
  const double error = error_.value - rounding_ - allowed;
  Worst worst;
  if (error > 0) worst.note(error / size, error_.t);
  return worst;
}

// forces of a time-stepping scheme act at the mean velocity
double EnergyMonitor::work_at_mean(const StepRecord& r, bool driven) {
  const double h = r.after.t - r.before.t;
  middle_of_time_stepping(system_, r.before, r.after, between_);
  between_.vdot = (r.after.v - r.before.v) / h;
  // drives: their mean force is what explains the change of momentum; a scheme's own may stand at the step's end
  double lag = 0;
  if (driven && system_.dim().bilateral > 0) {
    if (r.report.others_act) {
      system_.evaluate(between_, Need::jacobian, terms_);
    } else {
      find_forces(r, between_);
    }
    // and their rate is the one that the step's ends have: rows taken inside steps leave velocities behind by half a step, force and
    // rate together all along
    for (int i = 0; i < system_.dim().bilateral; ++i)
      if (terms_.g_t[i] != 0) lag += between_.lambda[i] * (terms_.G.row_dot(i, between_.v) + terms_.g_t[i]);
  }
  return h * (system_.energy(between_, terms_).power + lag);
}

// Gauss-Legendre with four points, on parts of the step where its order is so high that the steps are long. No point lies on
// the step's ends: forces may jump there
double EnergyMonitor::work_on_dense_output(const StepRecord& r) {
  constexpr std::pair<double, double> points[] = {{-0.8611363115940526, 0.3478548451374538},
                                                  {-0.3399810435848563, 0.6521451548625461},
                                                  {0.3399810435848563, 0.6521451548625461},
                                                  {0.8611363115940526, 0.3478548451374538}};
  const int parts = r.scheme.info().order > 5 ? 8 : 1;
  const double h = (r.after.t - r.before.t) / parts;
  double work = 0;
  for (int k = 0; k < parts; ++k)
    for (const auto& [node, weight] : points) {
      r.scheme.interpolate(system_, r.before, r.after, (k + 0.5 * (1 + node)) / parts, between_);
      between_.lambda.setZero();
      if (system_.dim().multipliers() > 0) find_forces(r, between_);
      work += 0.5 * h * weight * power(between_, false);
    }
  return work;
}

void EnergyMonitor::event(const Event& e) {
  work_ += e.energy_change;
  last_ += e.energy_change;
}

}  // namespace escapement
