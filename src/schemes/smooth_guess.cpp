#include "schemes/smooth_guess.hpp"

namespace escapement::inline schemes::smooth_guess {

namespace {
enum { vdot1, lambda1, vdot2, lambda2 };  // one and two steps ago
}

void start(State& s) { s.memory.vectors.insert(s.memory.vectors.end(), {s.vdot, s.lambda, s.vdot, s.lambda}); }

// by parabolas through the last three points, only where a line through the first two has met the third better than the
// second alone: rough motions are guessed best by what they are
bool extrapolate(const Scale& one, const State& s, int first, const Steps& steps, State& s1) {
  const auto& [h, h1, h2] = steps;
  if (h2 == 0) return false;
  const Vec* past = &s.memory.vectors[static_cast<std::size_t>(first)];
  double change = 0, missed = 0;
  const double ratio = h1 / h2;
  for (int i = 0; i < s.vdot.size(); ++i) {
    const double step = s.vdot[i] - past[vdot1][i], miss = step - ratio * (past[vdot1][i] - past[vdot2][i]), square = one.v(i) * one.v(i);
    change += step * step / square;
    missed += miss * miss / square;
  }
  if (!(missed < 0.25 * change)) return false;
  const double second = h * (h + h1) / (h1 + h2), c2 = second / h2, c1 = -(h + second) / h1 - c2, c0 = 1 - c1 - c2;
  const auto guess = [&](const Vec& x, const Vec& before, const Vec& long_before, Vec& x1) {
    x1.resize(x.size());
    for (int i = 0; i < x.size(); ++i) x1[i] = c0 * x[i] + c1 * before[i] + c2 * long_before[i];
  };
  guess(s.vdot, past[vdot1], past[vdot2], s1.vdot);
  guess(s.lambda, past[lambda1], past[lambda2], s1.lambda);
  return true;
}

void remember(const State& s, int first, State& s1) {
  const Vec* past = &s.memory.vectors[static_cast<std::size_t>(first)];
  Vec* kept = &s1.memory.vectors[static_cast<std::size_t>(first)];
  kept[vdot1] = s.vdot;
  kept[lambda1] = s.lambda;
  kept[vdot2] = past[vdot1];
  kept[lambda2] = past[lambda1];
}

}  // namespace escapement::smooth_guess
