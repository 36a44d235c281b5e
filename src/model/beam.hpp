// Flexible beams: chains of two-node elements between bodies, the nodes.
//
// The frame of a node lies along the beam: axis 1 (x) is its tangent, 2 and 3 (y and z) are the axes of the section; in
// the plane 2 stands in the plane. Strains of a section: stretch and shears, then (in space) twist and the curvatures
// about 2 and 3, in the plane the one curvature.
#pragma once

#include <vector>

#include "model/force.hpp"
#include "model/joint.hpp"

namespace escapement::inline model {

template <int D>
struct BeamStrain;

template <int D>
struct BeamSection {
  Vector<D> stretching = Vector<D>::Zero();  // EA, GA along 2 (and 3)
  Angular<D> bending = Angular<D>::Zero();   // GJ, EI about 2, EI about 3; in the plane EI
  double mass = 0;                           // per length
  Angular<D> inertia = Angular<D>::Zero();   // of rotation per length, about the axes
  double damping = 0;                        // the stress is stiffness * (strain + damping * strain rate)
  bool tension_only = false;  // EA acts while it is stretched, and damping along it adds or takes no more than EA makes
};

// forces and moments of a section and the strains behind them, along its axes
template <int D>
struct SectionForce {
  Velocity<D> force = Velocity<D>::Zero();  // tension, shears, moments
  Velocity<D> strain = Velocity<D>::Zero();
};

// one element, relaxed in the poses given. Its strains are constant and those of the helix through both nodes; its
// shear stiffness is lowered by its own bending, so that the nodes of a straight beam under end loads stand where they
// do exactly
template <int D>
class BeamElement : public Force<D> {
 public:
  // a < b: moving bodies
  BeamElement(int a, int b, const Pose<D>& pose_a, const Pose<D>& pose_b, double length, const BeamSection<D>&);

  void add(const Motion<D>&, double* f) const override;
  void subtract_tangent(const Motion<D>&, double* K, double* D_v) const override;
  bool is_damped() const override { return damping_ > 0; }
  double potential(const Motion<D>&) const override;
  double power(const Motion<D>&) const override;

  SectionForce<D> section_force(const Motion<D>&) const;
  double turn(const Motion<D>&) const;  // of one node against the other
  double length() const { return length_; }

  // beyond this turn the forces are not finite: in space one does not know which way round it went
  static const double largest_turn;

 private:
  // forces of the section, by strains and their rates
  struct Stress {
    Velocity<D> strain, rate, force, elastic, viscous;
  };
  Stress stress(const BeamStrain<D>&, const Frame<D>& a, const Frame<D>& b) const;

  double length_, damping_;
  bool tension_only_;
  Velocity<D> stiffness_, rest_;
};

}  // namespace escapement
