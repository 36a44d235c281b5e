#include "io/order_of_use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace escapement::inline io {

namespace {

constexpr std::size_t longest_circle = 60;  // letters

// from any that waits, following what it waits for must come round
std::vector<std::size_t> find_circle(const Uses& uses, const std::vector<std::size_t>& waiting_for) {
  std::size_t at = 0;
  while (waiting_for[at] == 0) ++at;
  std::vector<std::size_t> path;
  std::vector<char> seen(uses.size(), 0);
  while (!seen[at]) {
    seen[at] = 1;
    path.push_back(at);
    for (std::size_t used : uses[at])
      if (waiting_for[used] > 0) {
        at = used;
        break;
      }
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  return path;
}

}  // namespace

OrderOfUse order_of_use(const Uses& uses) {
  OrderOfUse result;
  Uses users(uses.size());
  std::vector<std::size_t> ready, waiting_for(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    waiting_for[i] = uses[i].size();
    for (std::size_t used : uses[i]) users[used].push_back(i);
  }
  for (std::size_t i = uses.size(); i-- > 0;)
    if (waiting_for[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    result.order.push_back(i);
    for (std::size_t user : users[i])
      if (--waiting_for[user] == 0) ready.push_back(user);
  }
  if (result.order.size() < uses.size()) result.circle = find_circle(uses, waiting_for);
  return result;
}

std::string circle_text(const std::vector<std::size_t>& circle, const std::vector<const YamlNode::Entry*>& entries) {
  std::string text;
  for (std::size_t i : circle) text += entries[i]->key + " -> ";
  text += entries[circle.front()]->key;
  return text.size() <= longest_circle ? text : fmt::format("a circle of {}", circle.size());
}

}  // namespace escapement
