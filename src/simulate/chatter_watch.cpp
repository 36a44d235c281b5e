#include "simulate/chatter_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr long most_at_once = 200;
// a ball of high restitution comes to rest after many impacts; states that only change into each other never do
constexpr long most_load = 50000, load_of_soft_events = 25;
}  // namespace

ChatterWatch::ChatterWatch(const System& system, double run, double patience)
    : system_(system), run_(run), patience_(patience), involved_(system.contacts().size(), 0) {
  restart();
}

void ChatterWatch::restart() {
  last_ = -std::numeric_limits<double>::infinity();
  events_ = at_once_ = load_ = 0;
  hard_ = false;
}

bool ChatterWatch::admit(double t) {
  const double pause = t - last_;
  if (pause > little::crowded * run_) {
    restart();
    first_ = t;
    std::fill(involved_.begin(), involved_.end(), 0);
  } else {
    ++events_;
    load_ += hard_ ? 1 : load_of_soft_events;
    at_once_ = pause > 64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), run_) ? 0 : at_once_ + 1;
  }
  last_ = t;
  hard_ = false;
  return at_once_ <= most_at_once && double(load_) <= patience_ * most_load;
}

void ChatterWatch::note(int contact, bool hard) {
  involved_[contact] = 1;
  hard_ = hard_ || hard;
}

std::string ChatterWatch::message() const {
  return fmt::format(
      "contacts chatter at t = {:.12g} s: {} changes of state within {:.3g} s ({}); look for forces that jump where a "
      "contact opens, closes or sticks and for "
      "walls that close in, raise zeno_velocity or simultaneous_gap, or use a time-stepping scheme",
      last_, events_, last_ - first_, names_of_contacts(system_, involved_));
}

void ChatterWatch::exchange(Snapshot& s) { s(first_, last_, events_, at_once_, load_, hard_, involved_); }

std::string names_of_contacts(const System& system, const std::vector<char>& marked) {
  std::string text;
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i]) text += fmt::format("{}'{}'", text.empty() ? "contact " : ", ", system.contacts()[i].name);
  return text;
}

}  // namespace escapement
