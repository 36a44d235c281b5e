// Back to the constraints at the end of a step: the nearest position with g = 0, the nearest velocity with G v + g_t =
// 0, both in the metric of the kinetic energy.
#pragma once

#include "math/saddle_solver.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class Projection {
 public:
  Projection() = default;  // no level
  Projection(bool position, bool velocity) : position_(position), velocity_(velocity) {}
  explicit Projection(const Options& options);  // reads the option below
  static OptionInfo option(std::string by_default);

  bool position() const { return position_; }
  bool velocity() const { return velocity_; }

  // what is left to do at a step's end after project_ahead(): with the position the velocity has been met too
  Projection after_half_explicit() const { return {false, velocity_ && !position_}; }

  void resize(const System&);
  // moves s.q and s.v; T holds the terms `known` at s on entry, and mass and jacobian at the moved s on success
  Status project(const System&, State& s, Need known, Terms& T, SaddleSolver& kkt);
  // half-explicit schemes know the new position before the stage that gives the new velocity: moves s.q alone, so that
  // this stage meets the constraints at the projected position and no level is left to project. kkt holds the factors
  // of a stage nearby, which serve while the residual falls fast; `near` has the jacobian of a point nearby, T is free
  // for use
  Status project_ahead(const System&, State& s, const Terms& near, Terms& T, SaddleSolver& kkt);
  // kkt was left with the factors of [M -G^T; G 0] at the projected state
  bool factored() const { return factored_; }

 private:
  Status project_position(const System&, State& s, Need& known, Terms& T, SaddleSolver& kkt);
  Status iterate(const System&, State& s, Need& known, Terms& T, SaddleSolver& kkt, bool factored);
  Status project_velocity(State& s, Terms& T, SaddleSolver& kkt);
  double position_residual(const System&, const State& s, Terms& T);
  void find_rows(const System&, const Terms& T);
  void learn();

  bool position_ = false, velocity_ = false;
  bool factored_ = false;
  std::vector<char> has_position_;  // per row: switched on, and has a position level
  Vec q_, zero_, b_, scale_, x_, mu_;
  std::vector<Vec> corrections_;  // of this position with the matrix at hand, in residuals over their scale
  std::size_t learnt_ = 0;        // how many there are
};

// why a factorisation failed
inline Status failure_of(const SaddleSolver& kkt) {
  return kkt.finite() ? Status::singular_matrix : Status::not_finite;
}

// the terms of `wanted` that are not in `known`
constexpr Need missing(Need wanted, Need known) { return Need(unsigned(wanted) & ~unsigned(known)); }

}  // namespace escapement
