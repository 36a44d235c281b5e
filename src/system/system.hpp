// The one interface between models and schemes: what are the terms of the equations of motion at this state?
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "system/state.hpp"
#include "system/terms.hpp"

namespace escapement::inline system {

struct RowSelection;

struct Dim {
  int q = 0, v = 0, z = 0;
  int states = 0;                     // the first ones of z: the model's own; the others count turns
  int bilateral = 0, unilateral = 0;  // rows of G
  int slip = 0;                       // rows of T
  int rows() const { return bilateral + unilateral; }
  int multipliers() const { return rows() + slip; }
};

// the highest level a row has: a sticking contact has no position level and is held at velocity level by every scheme
enum class Level { position, velocity };

// a contact, or a brake: friction without a gap, limited by a force that is given or by what a joint carries
struct ContactLaw {
  std::string name;
  double restitution = 0;
  double friction = 0;
  int slip = -1;     // first row of T, -1: none
  int slips = 1;     // rows of T from there on: one in the plane, two in space, where the limit of friction is a disc
  double brake = 0;  // > 0: a brake, with this limit
  // > 0: a brake that follows a joint; its limit is `friction` times the length of the forces on these rows of G
  int joint_rows = 0, joint_row = 0;

  bool follows() const { return joint_rows > 0; }
  bool is_brake() const { return brake > 0 || follows(); }
  bool rubs() const { return slip >= 0 && (friction > 0 || is_brake()); }
  int slip_rows() const { return rubs() ? slips : 0; }
  double limit(double normal_force) const { return friction * normal_force + brake; }  // of the friction force
  // what presses, given the forces on the rows of G; row: of the contact's gap
  double pressing(const Vec& on_rows, int row) const { return follows() ? on_rows.segment(joint_row, joint_rows).norm() : is_brake() ? 0 : on_rows[row]; }
};

struct Names {
  std::vector<std::string> q, v, z;
  std::vector<std::string> multipliers;  // one per multiplier: constraint, contact, and "contact.slip", a brake's own name
};

// What counts as one in each coordinate and velocity: the 1 of error/(1 + |x|) and of every other number that is said to
// be scaled. Empty: 1 everywhere
struct Scale {
  std::vector<double> of_q, of_v;
  bool given() const { return !of_q.empty(); }
  double q(int i) const { return of_q.empty() ? 1 : of_q[static_cast<std::size_t>(i)]; }
  double v(int i) const { return of_v.empty() ? 1 : of_v[static_cast<std::size_t>(i)]; }
  // one number for all where they stand in one norm: the largest
  double unit() const { return of_v.empty() ? 1 : *std::max_element(of_v.begin(), of_v.end()); }
};

struct Energy {
  double kinetic = 0, potential = 0;
  double power = 0;  // rate of kinetic + potential by applied forces, drives and explicit time, without contact forces
};

class System {
 public:
  virtual ~System() = default;

  virtual const Dim& dim() const = 0;
  virtual const Names& names() const = 0;
  // changes whenever the rows become others: what was prepared before is to be prepared again
  virtual unsigned version() const { return 0; }

  // size (and for large systems set the patterns of) everything a call below will fill
  virtual void prepare(Terms&) const = 0;
  virtual void prepare(Tangent&) const = 0;

  virtual void evaluate(const State&, Need, Terms&) const = 0;
  // w: v-sized, mu: multipliers-sized (both only read for the parts that use them)
  virtual void tangent(const State&, const Vec& w, const Vec& mu, Parts, Tangent&) const = 0;

  virtual const Scale& scale() const;
  virtual Level level(int /*row*/) const { return Level::position; }
  virtual int joint_rows() const { return dim().rows(); }  // those behind them are of closed contacts and slips that stick
  virtual std::span<const ContactLaw> contacts() const { return {}; }  // one per unilateral row, in order; then brakes

  // bilateral rows that depend on others wherever the system goes may be left out by whoever integrates it
  // (system/row_selection.hpp): those to begin with, and those at s, given those before, which may be the same object
  virtual RowSelection first_rows() const;
  virtual void select_rows(const State& /*s*/, const RowSelection& /*before*/, RowSelection& /*now*/) const {}

  // uses s.vdot and s.lambda for drives and time-dependent energies
  virtual Energy energy(const State& s, Terms& work) const = 0;
  // largest magnitude among the terms each position row sums: what its rounding is relative to. contacts: as in Terms
  virtual void position_terms(const State&, const ContactSet* /*contacts*/, Vec& largest) const { largest.setOnes(dim().rows()); }
  void position_terms(const State& s, Vec& largest) const { position_terms(s, nullptr, largest); }
  // what counts as one in each row: sum_j |G_j| scale_j. Only asked where scale() is given, 1 where it is not
  virtual void row_scale(const State&, const ContactSet* /*contacts*/, Vec& one) const { one.setOnes(dim().rows()); }
  // the larger of both: what "scaled" drift is divided by
  void position_scale(const State&, Vec& scale) const;

  // kinematics: only these know that q may differ from v in size
  virtual void rate(const Vec& q, const Vec& v, Vec& qdot) const;                     // q' = H(q) v
  virtual void rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const;  // q'' = H v' + H' v
  virtual void normalize(Vec& q) const;                                               // e.g. unit quaternions
  virtual void retract(const Vec& q, const Vec& dx, Vec& q1) const;                   // q1 = q "plus" dx
  virtual void difference(const Vec& q, const Vec& q1, Vec& dx) const;                // retract(q, dx) = q1
  // d(local increment at q1)/d(dx) for q1 = retract(q, dx) into T = Tangent::retraction; returns false where it is the
  // identity (nothing written)
  virtual bool retract_tangent(const Vec& dx, Matrix& T) const;

  // exact time derivatives of the motion: column k of d (v-sized) is the k-th time derivative of v' for k = 0 .. count-1,
  // consistent with the bilateral constraints; returns how many columns were filled (0: this system cannot, use differences)
  virtual int derivatives(const State&, int /*count*/, Mat& /*d*/) const { return 0; }
};

State make_state(const Dim&);  // all fields sized and zero
// for prepare(): everything but the matrices, which models store in ways of their own; then dense matrices too
void size_vectors(const Dim&, Terms&);
void size_dense(const Dim&, Terms&);
void size_dense(const Dim&, Tangent&);

// the names of a contact's slip rows, behind those already there: floor.slip, in space floor.slip.1 and floor.slip.2; a brake's own
void add_slip_names(const ContactLaw&, Names&);

// G v + g_t of evaluated terms; out is sized by the caller
void velocity_rows(const Terms&, const Vec& v, Vec& out);
// what counts as one in a row of G or T
double row_scale(const Scale&, const Matrix& rows, int row);
// what a velocity row is divided by where it is said to be scaled: one, and the magnitudes of the terms it sums
double velocity_scale(const Scale&, const Terms&, int row, const Vec& v);

}  // namespace escapement
