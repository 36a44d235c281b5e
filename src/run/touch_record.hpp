// What is recorded of contacts that are found anew in each step: for each named contact the least gap and the sum of its normal
// forces, and the points that touch or carry force.
#pragma once

#include <memory>
#include <vector>

#include "system/contact_memory.hpp"

namespace escapement::inline run {

class TouchRecord {
 public:
  explicit TouchRecord(const TouchingSystem*);  // nullptr: none
  std::size_t count() const { return touching_ ? touching_->contacts.size() : 0; }
  const TouchingBodies* touching() const { return touching_; }
  // the contacts at a state. Gaps are looked for as far as the bodies' own size; NaN: nothing is that near
  void look(const State&);
  const std::vector<double>& gap() const { return gap_; }
  const std::vector<double>& gap_rate() const { return rate_; }
  const std::vector<double>& force() const { return force_; }
  // what touches there: the points at the state, with the mean forces of the last step
  const std::vector<ActingContact>& acting() const { return acting_; }

 private:
  double rate_of(const State&, const ContactPoint&) const;
  bool touches(const ContactPoint&) const;
  void find_acting();

  const TouchingBodies* touching_;
  std::unique_ptr<ContactSearch> search_;
  std::vector<ContactPoint> points_;
  ContactMemory memory_;
  std::vector<ActingContact> acting_;
  std::vector<double> gap_, rate_, force_;
};

}  // namespace escapement
