// Pairs of balls that overlap, found without looking at all pairs: a grid for each power of two of the radii, so that sizes may
// be mixed. Each ball looks for others in its own grid and in the coarser ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/frame.hpp"

namespace escapement::inline model {

template <int D>
class BroadPhase {
 public:
  struct Round {
    Vector<D> x;
    double radius;
  };

  // appends i << 32 | j, i < j, once for every pair that overlaps, in no certain order
  void find(const std::vector<Round>&, std::vector<std::uint64_t>& pairs);

 private:
  using Cell = std::array<std::int64_t, D>;
  struct Item {
    std::uint64_t key;
    std::uint32_t ball;
  };
  static constexpr int levels = 32;

  double size_of(int level) const { return std::ldexp(coarsest_, -level); }
  int level_of(double radius) const;
  Cell cell_of(const Vector<D>&, double size) const;
  static std::uint64_t key_of(const Cell&, int level);
  std::size_t bucket_of(std::uint64_t key) const { return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ull >> shift_); }
  void fill(const std::vector<Round>&);
  void look(const std::vector<Round>&, std::uint32_t ball, int level, std::vector<std::uint64_t>& pairs) const;

  double coarsest_ = 1;  // the size of its cells: the largest diameter
  int shift_ = 63;
  std::array<bool, levels> used_{};
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint8_t> level_;
  std::vector<std::uint32_t> start_;  // of each bucket
  std::vector<Item> items_;
};

}  // namespace escapement
