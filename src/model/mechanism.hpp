// Rigid bodies, joints, forces and contacts in the plane (D = 2) or in space (D = 3), as a System.
//
// A planar body has the coordinates x, y, angle. A spatial body has 7: position of its centre of mass and a unit
// quaternion; and 6 velocities: linear in the world frame, angular in the body frame. The mass matrix is constant, in
// blocks of bodies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/block_layout.hpp"
#include "model/collision/touch_rules.hpp"
#include "model/force.hpp"
#include "model/joint.hpp"
#include "model/row_group.hpp"
#include "model/slip_row.hpp"
#include "model/state_rates.hpp"
#include "system/featured_system.hpp"
#include "system/redundancy.hpp"
#include "system/system.hpp"

namespace escapement::inline model {

template <int D>
struct Body {
  std::string name;
  double mass = 1;
  Turn<D> inertia = Turn<D>::Identity();  // about the centre of mass, in the body frame
  Pose<D> pose{};
  Vector<D> velocity = Vector<D>::Zero();
  Angular<D> angular_velocity = Angular<D>::Zero();
};

enum class Storage { automatic, dense, sparse };

template <int D>
class Mechanism : public System, public TouchingSystem, public FeaturedSystem {
 public:
  explicit Mechanism(const Vector<D>& gravity = Vector<D>::Zero()) : gravity_(gravity) {}

  // building: add things in any order that names only what is there already, then finish()
  int add(Body<D> body);    // its index
  int add(Joint<D> joint);  // its index
  void add(ForcePtr<D> force) { forces_.push_back({std::move(force), {}, {}}); }
  int force_count() const { return static_cast<int>(forces_.size()); }
  // a gap of one row; no slip, one, or two in space
  void add_contact(std::unique_ptr<RowGroup<D>> gap, ContactLaw law, std::vector<std::unique_ptr<SlipRow<D>>> slips);
  void add_contact(std::unique_ptr<RowGroup<D>> gap, ContactLaw law, std::unique_ptr<SlipRow<D>> slip) {
    std::vector<std::unique_ptr<SlipRow<D>>> slips;
    if (slip) slips.push_back(std::move(slip));
    add_contact(std::move(gap), std::move(law), std::move(slips));
  }
  // contacts of shapes that are found anew in each step; the rules are finished with these bodies
  void set_touching(TouchRules<D> rules) { touching_ = std::move(rules); }
  // a joint's coordinate follows a function of time
  void drive_angle(int joint, SignalPtr target);
  void drive_length(int joint, SignalPtr target);
  // one more row of a joint that is there: one that needs its coordinate
  void add_row(int joint, JointRow<D> row) { joints_[joint].rows.push_back(std::move(row)); }
  // a joint's coordinate stays within bounds: one-sided rows with restitution
  void limit_angle(int joint, double least, double greatest, double restitution);
  void limit_length(int joint, double least, double greatest, double restitution);
  // Coulomb friction of constant size > 0 against a coordinate of a joint, as a set-valued law
  void add_brake(const std::string& name, MeasurePtr<D> coordinate, double size);
  // the same, with a limit of `friction` times the force that the joint carries (Joint::force_rows)
  void add_brake(const std::string& name, MeasurePtr<D> coordinate, int joint, double friction);
  // first-order states: their names before any joint's angle is asked for, their rates and start before finish()
  void add_states(std::vector<std::string> names) { state_names_ = std::move(names); }
  void set_states(std::unique_ptr<const StateRates<D>> rates, std::vector<double> start);
  void set_length_scale(double length) { length_scale_ = length; }  // what counts as one in lengths
  void finish(Storage storage = Storage::automatic);

  // after finish(): finds joint rows that depend on the others everywhere, so that whoever integrates may leave them out;
  // the others hold them too and carry their forces. Driven rows stay
  void find_redundant_rows();
  RowSelection first_rows() const override;
  void select_rows(const State&, const RowSelection& before, RowSelection& now) const override;

  Between<D> between(int a, int b) const;
  const std::vector<Body<D>>& bodies() const { return bodies_; }
  const std::vector<Joint<D>>& joints() const { return joints_; }
  const Joint<D>& joint(int index) const { return joints_[index]; }
  // the angle of a joint that has one; in space its full turns are counted by a first-order state
  MeasurePtr<D> angle(int joint);
  double at_start(const Measure<D>&) const;  // value in the start as given
  State start() const;                       // of the bodies as given
  // rows that hold a spatial angle modulo full turns
  struct DrivenTurn {
    int row;
    int counter;   // the first-order state that counts the joint's turns, -1: none
    double angle;  // that the row holds at the start, from where the joint stands in the start as given
  };
  std::vector<DrivenTurn> driven_turns(double start_time) const;
  void count_turns(State&) const;  // the first-order states become the angles that they are nearest to

  int find_infinite_force(const State&) const;  // the first that is not finite, in the order added; -1: none
  // which joint a multiplier belongs to, -1 for limits and contacts
  int joint_of(int multiplier) const { return joint_of_[multiplier]; }
  bool is_sparse() const { return sparse_; }

  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  void prepare(Terms&) const override;
  void prepare(Tangent&) const override;
  void evaluate(const State&, Need, Terms&) const override;
  void tangent(const State&, const Vec& w, const Vec& mu, Parts, Tangent&) const override;
  std::span<const ContactLaw> contacts() const override { return laws_; }
  const TouchingBodies* touching() const override { return touching_.empty() ? nullptr : &touching_.bodies(); }
  std::unique_ptr<ContactSearch> make_search() const override;
  bool has_features() const override;
  void features(const State&, const std::vector<int>& contacts, std::vector<int>& features) const override;
  Energy energy(const State&, Terms& work) const override;
  const Scale& scale() const override { return one_; }
  using System::position_terms;
  void position_terms(const State&, const ContactSet*, Vec& largest) const override;
  void row_scale(const State&, const ContactSet*, Vec& one) const override;

  void rate(const Vec& q, const Vec& v, Vec& qdot) const override;
  void rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const override;
  void normalize(Vec& q) const override;
  void retract(const Vec& q, const Vec& dx, Vec& q1) const override;
  void difference(const Vec& q, const Vec& q1, Vec& dx) const override;
  bool retract_tangent(const Vec& dx, Matrix& T) const override;

 private:
  void add_brake(ContactLaw, MeasurePtr<D> coordinate);
  void add_slips(ContactLaw&, std::vector<std::unique_ptr<SlipRow<D>>>);
  // what the equations of motion need of a body, close together
  struct Inertia {
    double mass;
    Turn<D> turning;
  };
  struct PlacedRows {
    std::shared_ptr<const RowGroup<D>> group;
    int row = 0;                             // first row
    std::vector<BlockLayout::Place> blocks;  // in K
  };
  struct PlacedForce {
    ForcePtr<D> force;
    std::vector<BlockLayout::Place> blocks_K, blocks_D;
  };
  struct PlacedSlip {
    std::unique_ptr<SlipRow<D>> slip;
    std::vector<BlockLayout::Place> blocks;
  };
  struct Turns {
    int joint;
    MeasurePtr<D> angle;
  };

  void limit(int joint, const MeasurePtr<D>& coordinate, const std::string& what, double least, double greatest,
             double restitution);
  void set_names();
  void set_weights();
  void set_scale();
  void set_layouts(Storage storage);
  void set_tangents();
  void set_rows();
  void set_places(Matrix&, int rows, const std::vector<std::pair<int, int>>& places) const;
  void set_mass();
  void set_workspace();
  Motion<D> motion(const State&, Vec& scratch) const;
  double* local(Vec& scratch) const { return scratch.data() + local_at_; }
  void put_rows(const double* local, int rows, int row, const std::vector<int>& bodies, Matrix& to) const;
  void evaluate_rows(const Motion<D>&, Need, Terms&) const;
  void evaluate_slip(const Motion<D>&, std::size_t slip, Need, Terms&) const;
  // joints, then contacts: all, or those of the set
  template <class F>
  void for_each_group(const ContactSet* contacts, F&& f) const {
    const std::size_t joints = rows_.size() - unilateral_.size();
    for (std::size_t k = 0; k < (contacts ? joints : rows_.size()); ++k) f(rows_[k]);
    if (!contacts) return;
    for (const int contact : *contacts)
      if (contact < dim_.unilateral) f(rows_[joints + static_cast<std::size_t>(contact)]);
  }
  void evaluate_force(const Motion<D>&, Terms&) const;
  void tangent_force(const Motion<D>&, Tangent&) const;
  void tangent_states(const Motion<D>&, const Force<D>&, Tangent&) const;
  void tangent_rows(const Motion<D>&, Parts, Tangent&) const;

  Vector<D> gravity_;
  std::vector<Body<D>> bodies_;
  std::vector<Joint<D>> joints_;
  std::vector<PlacedForce> forces_;
  std::vector<PlacedRows> rows_;  // bilateral, then unilateral; made by finish()
  std::vector<std::shared_ptr<const RowGroup<D>>> unilateral_;
  std::vector<ContactLaw> laws_;
  TouchRules<D> touching_;
  std::vector<PlacedSlip> slips_;
  std::vector<ContactLaw> brakes_;  // until finish(); joint_row is the number of a joint there
  std::vector<std::string> state_names_;
  std::unique_ptr<const StateRates<D>> state_rates_;
  std::vector<double> state_start_;
  std::vector<Turns> turns_;  // in State::z behind the states
  int turn_at(std::size_t k) const { return static_cast<int>(state_names_.size() + k); }
  std::vector<int> joint_of_;

  RowChoice choice_;
  Vec weight_;  // of velocities: lengths count over the size of bodies

  Dim dim_;
  Names names_;
  double length_scale_ = 0;  // 0: not given
  Scale one_;
  bool sparse_ = false;
  bool driven_ = false;  // some joint follows a function of time
  std::vector<Inertia> inertia_;  // of the bodies
  BlockLayout stiffness_layout_, damping_layout_;
  Matrix M_, G_, T_, V_;                         // M with its values, the others zero
  Matrix retraction_;                            // in space: tangent of retract() at 0
  std::size_t local_at_ = 0, scratch_size_ = 0;  // workspace: frames, local matrices, program registers
  std::size_t program_at_ = 0;
};

using PlanarMechanism = Mechanism<2>;
using SpatialMechanism = Mechanism<3>;

}  // namespace escapement
