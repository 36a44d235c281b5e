#include "model/collision/broad_phase.hpp"

#include <algorithm>
#include <cmath>

namespace escapement::inline model {

template <int D>
int BroadPhase<D>::level_of(double radius) const {
  if (!(radius > 0)) return levels - 1;
  int level = std::clamp(-std::ilogb(2 * radius / coarsest_), 0, levels - 1);
  if (level > 0 && size_of(level) < 2 * radius) --level;
  return level;
}

template <int D>
typename BroadPhase<D>::Cell BroadPhase<D>::cell_of(const Vector<D>& x, double size) const {
  Cell cell;
  for (int i = 0; i < D; ++i) cell[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(std::floor(x[i] / size));
  return cell;
}

// cells far apart may share a key: balls are compared anyway
template <int D>
std::uint64_t BroadPhase<D>::key_of(const Cell& cell, int level) {
  constexpr int bits = D == 2 ? 28 : 19;
  std::uint64_t key = static_cast<std::uint64_t>(level);
  for (const std::int64_t part : cell) key = key << bits | (static_cast<std::uint64_t>(part) & ((1u << bits) - 1));
  return key;
}

template <int D>
void BroadPhase<D>::fill(const std::vector<Round>& balls) {
  double largest = 0;
  for (const Round& ball : balls) largest = std::max(largest, ball.radius);
  coarsest_ = largest > 0 ? 2 * largest : 1;
  int bits = 4;
  while ((std::size_t{1} << bits) < 2 * balls.size()) ++bits;
  shift_ = 64 - bits;
  used_.fill(false);
  start_.assign((std::size_t{1} << bits) + 1, 0);
  keys_.resize(balls.size());
  level_.resize(balls.size());
  for (std::size_t k = 0; k < balls.size(); ++k) {
    const int level = level_of(balls[k].radius);
    used_[static_cast<std::size_t>(level)] = true;
    level_[k] = static_cast<std::uint8_t>(level);
    keys_[k] = key_of(cell_of(balls[k].x, size_of(level)), level);
    ++start_[bucket_of(keys_[k]) + 1];
  }
  for (std::size_t k = 1; k < start_.size(); ++k) start_[k] += start_[k - 1];
  items_.resize(balls.size());
  for (std::size_t k = balls.size(); k-- > 0;) {
    // buckets are filled from their ends: start_ then points to the first entry
    items_[--start_[bucket_of(keys_[k]) + 1]] = {keys_[k], static_cast<std::uint32_t>(k)};
  }
}

template <int D>
void BroadPhase<D>::look(const std::vector<Round>& balls, std::uint32_t ball, int level, std::vector<std::uint64_t>& pairs) const {
  const double size = size_of(level), reach = balls[ball].radius + 0.5 * size;  // half a cell: the largest there
  const Vector<D>& x = balls[ball].x;
  const Cell first = cell_of(x - Vector<D>::Constant(reach), size), last = cell_of(x + Vector<D>::Constant(reach), size);
  const bool own = level_[ball] == level;
  Cell cell = first;
  for (bool more = true; more;) {
    const std::uint64_t key = key_of(cell, level);
    const std::size_t bucket = bucket_of(key);
    // start_[bucket + 1] was moved to the bucket's first entry, start_[bucket + 2] to the next one's
    const std::uint32_t end = bucket + 2 < start_.size() ? start_[bucket + 2] : static_cast<std::uint32_t>(items_.size());
    for (std::uint32_t k = start_[bucket + 1]; k < end; ++k) {
      const Item& item = items_[k];
      if (item.key != key || (own && item.ball <= ball)) continue;
      const double together = balls[ball].radius + balls[item.ball].radius;
      if ((balls[item.ball].x - x).squaredNorm() > together * together) continue;
      const auto [a, b] = std::minmax(ball, item.ball);
      pairs.push_back(static_cast<std::uint64_t>(a) << 32 | b);
    }
    more = false;
    for (std::size_t i = 0; i < D && !more; ++i) {
      more = ++cell[i] <= last[i];
      if (!more) cell[i] = first[i];
    }
  }
}

template <int D>
void BroadPhase<D>::find(const std::vector<Round>& balls, std::vector<std::uint64_t>& pairs) {
  fill(balls);
  for (std::size_t k = 0; k < balls.size(); ++k)
    for (int level = 0; level <= level_[k]; ++level)
      if (used_[static_cast<std::size_t>(level)]) look(balls, static_cast<std::uint32_t>(k), level, pairs);
}

template class BroadPhase<2>;
template class BroadPhase<3>;

}  // namespace escapement
