// Rows and responses of contact points for a system whose velocities are factored: what ManyContacts needs to know of it.
#pragma once

#include <vector>

#include "nonsmooth/contact_response.hpp"
#include "nonsmooth/many_contacts.hpp"
#include "system/contact_search.hpp"
#include "system/system.hpp"

namespace escapement::inline schemes {

class ContactRows {
 public:
  // what velocities follow from
  struct Motion {
    const Terms& T;
    const Matrix& A;
    const Matrix& bottom;       // its bilateral rows
    ContactResponse& response;  // with both factored
  };

  void start(const System&, const TouchingBodies&);
  const TouchingBodies& touching() const { return *touching_; }
  int bilateral() const { return static_cast<int>(zero_.size()); }
  // contacts at these points, without impulses and bias; normals: without friction
  void set(const std::vector<ContactPoint>&, const std::vector<BodyPlace>&, bool normals, ManyContacts&) const;
  // how each body answers by itself, and which ones joints or implicit forces couple to others
  void set_bodies(const Motion&, ManyContacts&);
  bool coupled(int body) const { return coupled_[static_cast<std::size_t>(body)] != 0; }
  // what single bodies do, of all contacts
  static void set_responses(ManyContacts&);
  // and the answers of contacts with coupled bodies
  void set_answers(const Motion&, ManyContacts&);
  // contacts of the system's own rows, those of the response's set, behind the others: with the impulses of `own` to start from
  static void add_own(const Motion&, const ImpactProblem& own, ManyContacts&);
  static void add_own_gap(const Terms&, int row, ManyContacts&);                     // without friction, its gap as bias
  static void limit_brakes(const Motion&, const ImpactProblem& own, ManyContacts&);  // by the cones of `own`
  static void give_own(const Motion&, const ManyContacts&, ImpactProblem& own);      // their impulses
  const Vec& no_rows() const { return zero_; }

 private:
  void set_answer(const Motion&, ManyContacts&, ManyContacts::Contact&);

  const TouchingBodies* touching_ = nullptr;
  std::vector<char> coupled_;  // the ground last
  Vec right_, answer_, zero_;
};

}  // namespace escapement
