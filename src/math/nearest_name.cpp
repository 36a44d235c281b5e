#include "math/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace escapement::inline math {
namespace {

constexpr std::size_t longest_name = 200;      // longer ones are never near: keeps the cost bounded
constexpr std::size_t shortest_beginning = 5;  // of a name that is left unfinished

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last), last.swap(now);
  }
  return last[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  if (name.size() > longest_name) return {};
  const std::string wanted = lower(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(candidate.size(), name.size());
    const std::size_t shorter = std::min(candidate.size(), name.size());
    if (candidate.empty() || longer - shorter >= best_distance) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    // a name that shares no character is not near, however short it is
    if (distance < best_distance && distance < longer) best = candidate, best_distance = distance;
  }
  if (!best.empty() || name.size() < shortest_beginning) return best;
  const auto longer = std::find_if(known.begin(), known.end(),
                                   [&](const std::string& candidate) { return lower(candidate).starts_with(wanted); });
  return longer == known.end() ? best : *longer;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace escapement
