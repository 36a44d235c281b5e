// The contacts of shapes in a time step: found where it begins, solved at velocity level with their gaps, then at position level.
//
//   u = J(q_n) v_{n+1} + bias, in Coulomb's law with P;  bias_n = g/h where the gap is open, e u- where it is closed
//
// The gap term lets a contact close within the step without sinking in; the impact of one with restitution then comes in the next
// step, with the velocity it approached with. What is left of penetration is projected away afterwards, along A^-1 J^T.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nonsmooth/gap_sweeps.hpp"
#include "nonsmooth/multipliers.hpp"
#include "schemes/contact_rows.hpp"
#include "schemes/scheme.hpp"
#include "system/contact_memory.hpp"

namespace escapement::inline schemes {

// a scheme that takes such contacts. Systems that stand in for another one do not show them, so that it is told
class ContactFinding {
 public:
  virtual ~ContactFinding() = default;
  virtual void find_contacts_of(const TouchingSystem&) = 0;  // before it starts
};

class FoundContacts {
 public:
  using Motion = ContactRows::Motion;

  explicit FoundContacts(const Options&);  // with contact_solver and those of options()
  static std::vector<OptionInfo> options();

  void set_system(const TouchingSystem& system) { system_ = &system; }
  void start(const System&, State& s);
  bool any() const { return search_ != nullptr; }

  // the set of the step from s; v_free: velocities at its end without these contacts
  void find(const State& s, double h, const Vec& v_free);
  // v: v_free, then what the contacts make of it; lambda: impulses of the joints, to which theirs are added. own: of the system's own
  // contacts, which are solved with them, its P to start from
  void solve(const Motion&, const State& s, ImpactProblem& own, Vec& v, Vec& lambda, StepReport&);
  // a body that a contact pushes moves with its velocity at the end of the step, and with it all it is coupled to
  void move(double h, const Vec& v1, Vec& dx);
  // positions of s1 without penetration, of the system's own gaps either; without projection it is only measured
  void project(const System&, const Motion&, bool projects, State& s1);
  // acting contacts of s1, work, impacts; once v1 is final
  void finish(const State& s, double h, State& s1, StepReport&);
  std::span<const ContactImpact> impacts() const { return impacts_; }

 private:
  using V3 = ManyContacts::V3;

  void set_bias(double h, const Vec& v, const Vec& v_free);
  void warm_start(double h);
  double velocity_scale(const Vec& v_free, const State& s) const;
  double rounding() const;
  bool wants_newton() const;
  bool newton_may_follow() const;
  bool lies_on_faces();    // so that loads are shared in many ways
  double sweep(int most);  // the residual that is left
  void solve_once(const Motion&, Vec& v, StepReport&);
  void solve_by_sweeps(const Motion&, int most, Vec& v);
  void solve_by_newton(const Motion&, bool warm, Vec& v);
  double own_penetration(const System&, const State& s1);  // of the system's own gaps, over what counts as one in each
  void correct(const System&, const Motion&, double deepest, State& s1);
  double struck_part(std::size_t k, double mean) const;  // of a point's impulse; mean: of its gap rate
  void note_impact(const ContactPoint&, double before, double after, double impulse);
  double size_of(const ContactPoint&) const;  // of its smaller body
  const TouchLaw& law(const ContactPoint& point) const { return rows_.touching().laws[static_cast<std::size_t>(point.law)]; }

  bool gap_term_;
  std::string solver_;
  double tolerance_;
  int most_sweeps_;

  const TouchingSystem* system_ = nullptr;
  ContactRows rows_;
  ContactMemory last_, next_;
  int first_number_ = 0;  // of these contacts in reports, behind the system's own
  std::unique_ptr<ContactSearch> search_;
  std::vector<ContactPoint> points_, overlaps_;  // at the start of the step, at its end
  std::vector<double> reach_;
  ManyContacts problem_, positions_;
  GapSweeps gaps_;
  Multipliers newton_;
  Terms at_end_;  // the system's own gaps
  std::vector<char> pushed_;      // bodies
  std::vector<double> approach_;  // of the points: u- < 0 of gaps that close with this step
  std::vector<double> before_;    // of the points: gap rate at the start
  std::vector<V3> forced_;        // of the points: what forces add to their velocities in the step
  double fastest_ = 0;            // point of a body
  double scale_ = 0;              // of the step's velocities
  double residual_ = 0, asked_ = 0;
  int sweeps_left_ = 0;
  Vec right_, answer_, mu_, right_mu_, v_free_, q_;
  std::vector<ContactImpact> impacts_, by_contact_;
};

}  // namespace escapement
