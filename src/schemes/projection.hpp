// Back to the constraints at the end of a step: the nearest position with g = 0, the nearest velocity with G v + g_t =
// 0, both in the metric of the kinetic energy.
#pragma once

#include "math/saddle_solver.hpp"
#include "schemes/scheme.hpp"

namespace escapement {

class Projection {
 public:
  Projection() = default;  // no level
  Projection(bool position, bool velocity) : position_(position), velocity_(velocity) {}
  explicit Projection(const Options& options);  // reads the option below
  static OptionInfo option(std::string by_default);

  bool position() const { return position_; }
  bool velocity() const { return velocity_; }

  void resize(const System&);
  // moves s.q and s.v; T holds the terms `known` at s on entry, and mass and jacobian at the moved s on success
  Status project(const System&, State& s, Need known, Terms& T, SaddleSolver& kkt);
  // kkt was left with the factors of [M -G^T; G 0] at the projected state
  bool factored() const { return factored_; }

 private:
  Status project_position(const System&, State& s, Need& known, Terms& T, SaddleSolver& kkt);
  Status project_velocity(State& s, Terms& T, SaddleSolver& kkt);
  double position_residual(const System&, const State& s, Terms& T);
  void find_rows(const System&, const Terms& T);

  bool position_ = false, velocity_ = false;
  bool factored_ = false;
  std::vector<char> has_position_;  // per row: switched on, and has a position level
  Vec q_, zero_, b_, scale_, x_, mu_;
};

// why a factorisation failed
inline Status failure_of(const SaddleSolver& kkt) {
  return kkt.finite() ? Status::singular_matrix : Status::not_finite;
}

// the terms of `wanted` that are not in `known`
constexpr Need missing(Need wanted, Need known) { return Need(unsigned(wanted) & ~unsigned(known)); }

}  // namespace escapement
