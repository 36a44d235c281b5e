// Notices when changes of contact no longer let time pass: between two states for ever, or ever faster.
#pragma once

#include <string>
#include <vector>

#include "simulate/snapshot.hpp"
#include "system/system.hpp"

namespace escapement::inline simulate {

class ChatterWatch {
 public:
  // patience: share of the usual number of events that may come close together
  ChatterWatch(const System&, double run, double patience = 1);

  void restart();
  // events come at t; false: too many have come too close together
  bool admit(double t);
  // one of them; hard impacts may follow each other many times, as a ball comes to rest
  void note(int contact, bool hard);
  std::string message() const;  // after admit() has said no
  void exchange(Snapshot&);

 private:
  const System& system_;
  double run_, patience_;
  double first_ = 0, last_ = 0;  // times of the crowd's events
  long events_ = 0, at_once_ = 0, load_ = 0;
  bool hard_ = false;
  std::vector<char> involved_;  // per contact
};

// 'a', 'b' of the contacts marked
std::string names_of_contacts(const System&, const std::vector<char>& marked);

}  // namespace escapement
