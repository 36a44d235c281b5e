#include "simulate/row_hold.hpp"

#include <algorithm>

#include "system/forwarding_system.hpp"

namespace escapement {

namespace {

constexpr double part = 0.1;     // of the errors allowed
constexpr double far = 100;      // bounds in one step
constexpr double least = 1e-10;  // a projection reaches it

class WithoutContacts : public ForwardingSystem {
 public:
  using ForwardingSystem::ForwardingSystem;

  void evaluate(const State& s, Need need, Terms& T) const override {
    base_.evaluate(s, need, T);
    for (int i = dim().bilateral; i < dim().rows(); ++i) {
      if (has(need, Need::gap)) T.g[i] = 0;
      if (!has(need, Need::jacobian)) continue;
      T.G.set_row_zero(i);
      T.g_t[i] = 0;
    }
  }
};

}  // namespace

RowHold::RowHold(const System& system, const System& every_row, double tolerance)
    : system_(system),
      bilateral_(std::make_unique<WithoutContacts>(system)),
      rows_(every_row),
      bound_(std::max(part * (tolerance > 0 ? std::min(tolerance, DriftMonitor::kept) : DriftMonitor::kept), least)) {
  system.prepare(terms_);
  kkt_.resize(system.dim().v, system.dim().rows());
  both_.resize(system);
  position_.resize(system);
}

bool RowHold::hold(const System& integrated, const SchemeInfo& scheme, const State& s, State& s1) {
  // a scheme of index 3 derives velocities from positions
  const bool velocity = !scheme.rows_inside && scheme.index < 3;
  const auto most = [&] {
    rows_.look(s1);
    return velocity ? std::max(rows_.position_now(), rows_.velocity_now()) : rows_.position_now();
  };
  const double off = most();
  if (off <= bound_) return true;
  if (scheme.keeps_position && rows_.position_now() > bound_) return false;
  // by the rows that hold best where the step ends
  const bool others = system_.choose_rows(s1);
  Projection& projection = velocity ? both_ : position_;
  const System& held = scheme.time_stepping ? *bilateral_ : integrated;
  const bool projected = projection.project(held, s1, Need(0), terms_, kkt_) == Status::ok;
  if (others) system_.choose_rows(s);
  return projected && off <= far * bound_ && most() <= bound_;
}

}  // namespace escapement
