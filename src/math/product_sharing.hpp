// Products of several factors, with the partial products that occur repeatedly computed once.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace escapement::inline math {

// Factors are numbers from 0; share() makes new ones above them, each the product of two others.
class ProductSharing {
 public:
  std::size_t add(std::vector<int> factors);  // returns the product's index
  void share(int first_new_factor);

  const std::vector<int>& factors(std::size_t product) const { return products_[product]; }
  bool is_pair(int factor) const { return factor >= first_pair_; }
  std::pair<int, int> pair(int factor) const { return pairs_[std::size_t(factor - first_pair_)]; }

 private:
  std::vector<std::vector<int>> products_;  // each sorted
  std::vector<std::pair<int, int>> pairs_;
  int first_pair_ = 0;
};

}  // namespace escapement
