#include "model/reaction.hpp"

#include <cmath>

#include "math/rotation.hpp"
#include "system/contact_memory.hpp"

namespace escapement::inline model {

namespace {

const TouchingBodies* touching_of(const System& system) {
  const auto* touching = dynamic_cast<const TouchingSystem*>(&system);
  return touching ? touching->touching() : nullptr;
}

}  // namespace

ReactionInputs::ReactionInputs(const System& system, int dimension, std::shared_ptr<const StateInputs> base,
                               int base_count, std::vector<Reaction> reactions)
    : system_(system),
      touching_(touching_of(system)),
      dimension_(dimension),
      base_count_(base_count),
      base_(std::move(base)),
      reactions_(std::move(reactions)) {}

void ReactionInputs::prepare(Work& work) const {
  if (base_) base_->prepare(work);
  system_.prepare(work.terms);
}

void ReactionInputs::fill(const State& s, std::span<const int> used, double* in, Work& work) const {
  const std::span<const int> of_base = below(base_count_, used);
  if (base_) {
    base_->fill(s, of_base, in, work);
  } else {
    const int n = static_cast<int>(s.q.size());
    for (std::size_t k = 0; k < of_base.size(); ++k) {
      const int i = of_base[k];
      in[k] = i == 0 ? s.t : i <= n ? s.q[i - 1] : i <= 2 * n ? s.v[i - 1 - n] : s.z[i - 1 - 2 * n];
    }
  }
  bool evaluated = false;
  for (std::size_t k = of_base.size(); k < used.size(); ++k) {
    const Reaction& reaction = reactions_[static_cast<std::size_t>(used[k] - base_count_)];
    const bool of_contact = reaction.kind == Reaction::Kind::contact_force || reaction.kind == Reaction::Kind::contact_friction ||
                            reaction.kind == Reaction::Kind::found_force;
    if (!of_contact && !evaluated) {
      system_.evaluate(s, Need::jacobian, work.terms);
      evaluated = true;
    }
    in[k] = value(s, work.terms, reaction);
  }
}

// G^T lambda of the joint's rows on its body: the force in the world, the torque about the joint's point in the body
ReactionInputs::Wrench ReactionInputs::on_body(const State& s, const Terms& terms, const Reaction& reaction) const {
  const int turns = dimension_ == 2 ? 1 : 3, column = (dimension_ + turns) * reaction.body;
  Wrench w;
  for (int row = reaction.first; row < reaction.first + reaction.count; ++row)
    terms.G.for_each_in_row(row, [&](int j, double value) {
      const int k = j - column;
      if (k < 0 || k >= dimension_ + turns) return;
      const double part = reaction.sign * s.lambda[row] * value;
      if (k < dimension_) {
        w.force[static_cast<std::size_t>(k)] += part;
      } else {
        w.torque[static_cast<std::size_t>(dimension_ == 2 ? 2 : k - dimension_)] += part;
      }
    });
  // from the centre of mass to the joint's point
  const Vec3 p(reaction.point.data());
  Vec3 F(w.force.data());
  if (dimension_ == 2) {
    const double angle = s.q[3 * reaction.body + 2], c = std::cos(angle), sine = std::sin(angle);
    F = Vec3(c * F[0] + sine * F[1], -sine * F[0] + c * F[1], 0);
  } else {
    F = rotation_matrix(Vec4(s.q.segment<4>(7 * reaction.body + 3))).transpose() * F;
  }
  const Vec3 M = Vec3(w.torque.data()) - p.cross(F);
  w.torque = {M[0], M[1], M[2]};
  return w;
}

double ReactionInputs::found_force(const State& s, int contact) const {
  thread_local ContactMemory memory;
  memory.recall(s.memory);
  double sum = 0;
  for (const ActingContact& acting : memory.contacts)
    if (touching_->laws[static_cast<std::size_t>(acting.at.law)].contact == contact) sum += acting.force.dot(acting.at.normal);
  return sum;
}

double ReactionInputs::value(const State& s, const Terms& terms, const Reaction& reaction) const {
  const Dim& dim = system_.dim();
  switch (reaction.kind) {
    case Reaction::Kind::contact_force:
      return s.lambda[dim.bilateral + reaction.contact];
    case Reaction::Kind::contact_friction: {
      const ContactLaw& law = system_.contacts()[static_cast<std::size_t>(reaction.contact)];
      if (law.slip < 0) return 0;
      return law.slips == 1 ? s.lambda[dim.rows() + law.slip] : s.lambda.segment(dim.rows() + law.slip, law.slips).norm();
    }
    case Reaction::Kind::found_force:
      return found_force(s, reaction.contact);
    default:
      break;
  }
  const Wrench w = on_body(s, terms, reaction);
  if (reaction.kind == Reaction::Kind::component) return w.force[static_cast<std::size_t>(reaction.axis)];
  if (reaction.kind == Reaction::Kind::force) return Vec3(w.force.data()).norm();
  return dimension_ == 2 ? w.torque[2] : Vec3(w.torque.data()).norm();
}

}  // namespace escapement
