#include "math/product_sharing.hpp"

#include <algorithm>
#include <map>
#include <queue>

namespace escapement::inline math {
namespace {

using Factors = std::pair<int, int>;

constexpr std::size_t longest_shared = 24;  // longer products are left alone: their pairs are too many

// how often the pair can be taken out of sorted factors
int occurrences(const std::vector<int>& factors, Factors pair) {
  const auto count = [&](int f) {
    const auto [first, last] = std::equal_range(factors.begin(), factors.end(), f);
    return int(last - first);
  };
  return pair.first == pair.second ? count(pair.first) / 2 : std::min(count(pair.first), count(pair.second));
}

void replace(std::vector<int>& factors, Factors pair, int by) {
  for (int n = occurrences(factors, pair); n > 0; --n) {
    factors.erase(std::ranges::lower_bound(factors, pair.first));
    factors.erase(std::ranges::lower_bound(factors, pair.second));
    factors.push_back(by);  // the largest number so far
  }
}

}  // namespace

std::size_t ProductSharing::add(std::vector<int> factors) {
  std::ranges::sort(factors);
  products_.push_back(std::move(factors));
  return products_.size() - 1;
}

// the most frequent pair is taken out first
void ProductSharing::share(int first_new_factor) {
  first_pair_ = first_new_factor;
  std::map<Factors, std::vector<std::size_t>> users;
  const auto enlist = [&](Factors pair, std::size_t product) {
    auto& list = users[pair];
    if (list.empty() || list.back() != product) list.push_back(product);
  };
  for (std::size_t p = 0; p < products_.size(); ++p) {
    const auto& factors = products_[p];
    if (factors.size() > longest_shared) continue;
    for (std::size_t i = 0; i < factors.size(); ++i)
      for (std::size_t j = i + 1; j < factors.size(); ++j) enlist({factors[i], factors[j]}, p);
  }
  const auto count = [&](Factors pair) {
    int sum = 0;
    for (const std::size_t p : users[pair]) sum += occurrences(products_[p], pair);
    return sum;
  };
  struct Candidate {
    int count;
    Factors pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };
  std::priority_queue<Candidate> queue;
  const auto consider = [&](Factors pair) {
    if (const int n = count(pair); n > 1) queue.push({n, pair});
  };
  for (const auto& [pair, list] : users) consider(pair);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    if (const int now = count(best.pair); now != best.count) {
      if (now > 1) queue.push({now, best.pair});
      continue;
    }
    const int made = first_pair_ + int(pairs_.size());
    pairs_.push_back(best.pair);
    std::vector<Factors> fresh;
    for (const std::size_t p : users[best.pair]) {
      if (occurrences(products_[p], best.pair) == 0) continue;
      replace(products_[p], best.pair, made);
      for (const int f : products_[p]) {
        if (f == made && occurrences(products_[p], {made, made}) == 0) continue;
        enlist({f, made}, p);
        fresh.push_back({f, made});
      }
    }
    std::ranges::sort(fresh);
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    for (const Factors& pair : fresh) consider(pair);
  }
}

}  // namespace escapement
