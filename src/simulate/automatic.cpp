#include "simulate/automatic.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr int most_closed = 20;        // contacts closed at once before a time-stepping scheme is cheaper
constexpr int look_every = 16;         // steps between two looks at the stiffness
constexpr int stiff_looks = 4;         // looks in a row that must say so
constexpr double stability_limit = 2;  // step times fastest rate at which half-explicit methods stop being limited by accuracy

std::unique_ptr<Scheme> make_if_known(const char* id, const std::map<std::string, OptionValue>& options) {
  return find_scheme(id) ? make_scheme(id, options) : nullptr;
}
}  // namespace

Automatic::Automatic(const System& system, double tolerance)
    : system_(system),
      tolerance_(tolerance),
      half_explicit_(make_scheme("hem5", {{"projection", std::string("both")}})),
      implicit_(make_if_known("radau", {})),
      time_stepping_(make_scheme("moreau-midpoint-ggl")),
      stiff_time_stepping_(make_scheme("nonsmooth-generalized-alpha-ggl")) {
  system.prepare(terms_);
  system.prepare(tangent_);
  zero_v_.setZero(system.dim().v);
  zero_mu_.setZero(system.dim().multipliers());
  const bool contacts = !system.contacts().empty();
  choose(*half_explicit_, contacts ? "events are located one by one at high order" : "a half-explicit method of order 5 with projection keeps both levels");
}

bool Automatic::choose(Scheme& scheme, std::string why) {
  current_ = &scheme;
  why_ = fmt::format("{}: {}", scheme.info().id, why);
  quiet_steps_ = 0;
  return true;
}

void Automatic::exchange(Snapshot& s) {
  const std::array<Scheme*, 4> all{half_explicit_.get(), implicit_.get(), time_stepping_.get(), stiff_time_stepping_.get()};
  std::size_t current = 0;
  while (all[current] != current_) ++current;
  s(current, why_, steps_, quiet_steps_, enough_, gave_up_, stiff_signs_, is_stiff_);
  if (current >= all.size() || !all[current]) throw SnapshotError();
  current_ = all[current];
}

void Automatic::note_event(const Event& event) {
  if (event.kind == Event::Kind::impact) quiet_steps_ = 0;
}

bool Automatic::consider(const StepRecord& record, int closed_contacts) {
  ++steps_;
  if (current_->info().time_stepping) {
    if (++quiet_steps_ <= enough_ || closed_contacts >= most_closed || is_stiff_) return false;
    return choose(*half_explicit_, fmt::format("{} steps without a new impact", enough_));
  }
  if (closed_contacts >= most_closed) return choose(*time_stepping_, fmt::format("{} contacts are closed", closed_contacts));
  if (!is_stiff_ && steps_ % look_every == 0 && stiff(record)) {
    is_stiff_ = true;
    Scheme* const for_stiff = system_.contacts().empty() ? implicit_.get() : stiff_time_stepping_.get();
    if (for_stiff) return choose(*for_stiff, "the motion is stiff: stability, not accuracy, limits the step");
  }
  return false;
}

bool Automatic::give_up_events(const std::string& why) {
  if (current_->info().time_stepping) return false;
  if (gave_up_) enough_ *= 2;
  gave_up_ = true;
  return choose(is_stiff_ ? *stiff_time_stepping_ : *time_stepping_, why);
}

// does the step sit at the limit that the fastest rate of forces and dampers sets?
bool Automatic::stiff(const StepRecord& record) {
  const State& s = record.after;
  system_.evaluate(s, Need::mass, terms_);
  system_.tangent(s, zero_v_, zero_mu_, Parts::force, tangent_);
  double fastest = 0;
  for (int i = 0; i < system_.dim().v; ++i) {
    // rows of M^-1/2 K M^-1/2: lengths and turns stand in one row
    double stiffness = 0, damping = 0;
    const auto over_masses = [&](int j, double x) {
      const double mass = std::sqrt(terms_.M(i, i) * terms_.M(j, j));
      return mass > 0 ? std::abs(x) / mass : 0;
    };
    tangent_.K.for_each_in_row(i, [&](int j, double k) { stiffness += over_masses(j, k); });
    tangent_.D.for_each_in_row(i, [&](int j, double d) { damping += over_masses(j, d); });
    fastest = std::max(fastest, std::sqrt(stiffness) + damping);
  }
  // steps of a body at rest are long for another reason
  const bool limited = record.report.error > little::no_error * tolerance_;
  stiff_signs_ = limited && record.h * fastest > stability_limit ? stiff_signs_ + 1 : 0;
  return stiff_signs_ >= stiff_looks;
}

}  // namespace escapement
