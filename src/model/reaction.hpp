// What joints and contacts exert, from the multipliers of a state, as variables of outputs and stop conditions.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/state_function.hpp"
#include "system/contact_search.hpp"
#include "system/system.hpp"

namespace escapement::inline model {

struct Reaction {
  enum class Kind { force, component, torque, contact_force, contact_friction, found_force };
  std::string name;  // "pin.force", "pin.fx", "floor.friction" ...
  Kind kind = Kind::force;
  int axis = 0;     // of a component
  int contact = 0;  // of contacts; of those that are found anew, of TouchingBodies
  // of joints: rows [first, first + count), exerted on `body`, whose sign is -1 where the second body is the ground
  int first = 0, count = 0, body = 0;
  double sign = 1;
  std::array<double, 3> point{};  // of the joint in that body's frame: torques are about it
};

// The inputs of `base` (null: t, q, v, z), then reactions. The system is that of the states
class ReactionInputs : public StateInputs {
 public:
  ReactionInputs(const System&, int dimension, std::shared_ptr<const StateInputs> base, int base_count,
                 std::vector<Reaction>);
  std::size_t work_size() const override { return base_ ? base_->work_size() : 0; }
  void prepare(Work&) const override;
  void fill(const State&, std::span<const int> used, double* in, Work&) const override;

 private:
  struct Wrench {
    std::array<double, 3> force{}, torque{};
  };
  Wrench on_body(const State&, const Terms&, const Reaction&) const;
  double value(const State&, const Terms&, const Reaction&) const;
  double found_force(const State&, int contact) const;  // the sum over its points in the last step

  const System& system_;
  const TouchingBodies* touching_;
  int dimension_, base_count_;
  std::shared_ptr<const StateInputs> base_;
  std::vector<Reaction> reactions_;
};

}  // namespace escapement
