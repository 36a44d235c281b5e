#include "schemes/motion_guess.hpp"

#include <algorithm>

#include "math/pairs.hpp"

namespace escapement::inline schemes {

void MotionGuess::start(State& s, int count) {
  unknowns.setZero(count + count % 2);  // whole pairs
  at_ = s.memory.vectors.size();
  s.memory.vectors.push_back(Vec::Zero(first + most * unknowns.size()));
}

namespace {
// Known: how many, which the compiler knows
template <int Known>
void add_up(const double* differences, int count, double* sum) {
  for (const double* const end = sum + count; sum != end; sum += 2, differences += 2) {
    Pair x = load_pair(differences);
#pragma GCC unroll 8
    for (int k = 1; k < Known; ++k) x += load_pair(differences + k * count);
    store_pair(x, sum);
  }
}

template <int Known>
void take_differences(const double* x, const double* before, int count, double* now) {
  for (const double* const end = x + count; x != end; x += 2, before += 2, now += 2) {
    Pair difference = load_pair(x);
#pragma GCC unroll 8
    for (int k = 0; k < Known; ++k) {
      store_pair(difference, now + k * count);
      if (k + 1 < Known) difference -= load_pair(before + k * count);
    }
  }
}

#define ESCAPEMENT_KNOWN(function, known, ...) \
  switch (known) {                             \
    case 1: return function<1>(__VA_ARGS__);   \
    case 2: return function<2>(__VA_ARGS__);   \
    case 3: return function<3>(__VA_ARGS__);   \
    case 4: return function<4>(__VA_ARGS__);   \
  }
}  // namespace

bool MotionGuess::foretell(const State& s, double h) {
  const Vec& memory = s.memory.vectors[at_];
  known_ = memory[size] == h ? static_cast<int>(memory[steps]) : 0;
  sum_up(known_, memory.data() + first);
  return known_ > 0;
}

void MotionGuess::sum_up(int known, const double* differences) {
  ESCAPEMENT_KNOWN(add_up, known, differences, static_cast<int>(unknowns.size()), unknowns.data())
}

void MotionGuess::finish(const State& s, double h, bool goes_on, State& s1) const {
  const Vec& before = s.memory.vectors[at_];
  if (s1.memory.vectors.size() <= at_) s1.memory.vectors.resize(at_ + 1);
  Vec& memory = s1.memory.vectors[at_];
  if (memory.size() != before.size()) memory = before;
  const int known = goes_on ? std::min(most, 1 + (before[size] == h ? static_cast<int>(before[steps]) : 0)) : 0;
  memory[steps] = known;
  memory[size] = h;
  differ(known, before.data() + first, memory.data() + first);
}

void MotionGuess::differ(int known, const double* before, double* now) const {
  ESCAPEMENT_KNOWN(take_differences, known, unknowns.data(), before, static_cast<int>(unknowns.size()), now)
}

}  // namespace escapement
