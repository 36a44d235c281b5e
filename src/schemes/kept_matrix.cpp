#include "schemes/kept_matrix.hpp"

#include <algorithm>

#include "math/copy_numbers.hpp"

namespace escapement::inline schemes {

namespace {
double number_of(const ContactSets& sets) { return static_cast<double>(sets.hash() >> 11); }  // as many bits as a double has
}  // namespace

void KeptMatrix::start(State& s) {
  at_ = s.memory.vectors.size();
  s.memory.vectors.push_back(Vec::Zero(first + largest * largest));
  known_ = made_ = paused_ = false;
}

bool KeptMatrix::serves(const State& s, double h, const ContactSets& contacts, MonolithicSystem& system) {
  const Vec& kept = s.memory.vectors[at_];
  if (kept[size] != system.size() || kept[rest] > 0 || kept[step] != h || kept[sets] != number_of(contacts)) return false;
  const Stamp stamp{kept[time], kept[step], kept[sets]};
  if (known_ && stamp == factored_) return true;
  factored_ = stamp;
  return known_ = system.factor(kept.data() + first);
}

void KeptMatrix::note_new(const State& s, double h, const ContactSets& contacts) {
  factored_ = {s.t, h, number_of(contacts)};
  known_ = made_ = true;
}

void KeptMatrix::finish(const State& s, const MonolithicSystem& system, State& s1) const {
  const Vec& before = s.memory.vectors[at_];
  if (s1.memory.vectors.size() <= at_) s1.memory.vectors.resize(at_ + 1);
  Vec& kept = s1.memory.vectors[at_];
  if (kept.size() != before.size()) kept = before;
  if (!made_) {
    const auto unknowns = static_cast<std::size_t>(before[size]);
    copy_numbers(before.data(), first + unknowns * unknowns, kept.data());
  } else if (system.size() <= largest && system.left_open() == 0) {
    kept[size] = system.size();
    kept[time] = factored_.time;
    kept[step] = factored_.step;
    kept[sets] = factored_.sets;
    copy_numbers(system.entries(), static_cast<std::size_t>(system.size() * system.size()), kept.data() + first);
  } else {
    kept[size] = 0;
  }
  kept[rest] = paused_ ? pauses : std::max(0.0, before[rest] - 1);
}

}  // namespace escapement
