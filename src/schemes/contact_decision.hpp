// Friction that jams (Painleve) has no sets that an iteration finds by itself. The contact problem of the step decides those
// of the contacts that may act, from a step without them.
#pragma once

#include <memory>
#include <vector>

#include "nonsmooth/contact_response.hpp"
#include "schemes/contact_errors.hpp"
#include "schemes/contact_sets.hpp"

namespace escapement::inline schemes {

// a step without contacts: the masses it was taken with, the state at its end, the terms at its ends
struct FreeStep {
  const Matrix& M;
  State& s1;
  const Terms& start;
  Terms& end;
};

class ContactDecision {
 public:
  void start(const System&, const ContactSets&);
  // fills decided_B, decided_friction and jammed. False: no solution, the report names the contacts
  bool decide(const FreeStep&, const ContactErrors::Step&, ContactSets&);

 private:
  bool pose(const FreeStep&, const ContactErrors::Step&, ContactSets&);

  ContactResponse response_;
  std::unique_ptr<ContactSolver> solver_ = make_contact_solver();
  ImpactProblem problem_;
  std::vector<int> closed_;
};

}  // namespace escapement
