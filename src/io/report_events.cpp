#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "io/report_run.hpp"
#include "io/report_table.hpp"

namespace escapement::inline io {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_events = 20'000;

std::vector<std::size_t> chosen_events(const EventColumns& events) {
  std::vector<std::size_t> chosen;
  const std::size_t group = events.time.size() / most_events + 1;
  for (std::size_t a = 0; a < events.time.size(); a += group) {
    std::size_t hardest = a;
    for (std::size_t i = a; i < std::min(a + group, events.time.size()); ++i)
      if (std::abs(events.impulse[i]) > std::abs(events.impulse[hardest])) hardest = i;
    chosen.push_back(hardest);
  }
  return chosen;
}

// texts as positions in a list of the different ones
class DifferentTexts {
 public:
  int position(const std::string& name) {
    const auto [found, added] = positions_.try_emplace(name, static_cast<int>(names_.size()));
    if (added) names_.push_back(name);
    return found->second;
  }
  ordered_json json() const { return names_; }

 private:
  std::map<std::string, int> positions_;
  ordered_json names_ = ordered_json::array();
};

}  // namespace

ordered_json events_json(const Result& result) {
  const EventColumns& events = result.events;
  if (events.time.empty()) return nullptr;
  DifferentTexts contacts, kinds;
  std::vector<double> time, before, after, impulse;
  std::vector<int> contact, kind;
  std::vector<std::string> note;
  for (const std::size_t i : chosen_events(events)) {
    time.push_back(events.time[i]);
    before.push_back(events.velocity_before[i]);
    after.push_back(events.velocity_after[i]);
    impulse.push_back(events.impulse[i]);
    contact.push_back(contacts.position(events.contact[i]));
    kind.push_back(kinds.position(events.kind[i]));
    note.push_back(events.note[i]);
  }
  ordered_json json = {{"total", events.time.size()},
                       {"units", {{"velocity", "m/s"}, {"impulse", "N s"}}},
                       {"contacts", contacts.json()},
                       {"kinds", kinds.json()},
                       {"time", pack(time, Packing::float64)},
                       {"contact", contact},
                       {"kind", kind},
                       {"before", pack(before, Packing::float32)},
                       {"after", pack(after, Packing::float32)},
                       {"impulse", pack(impulse, Packing::float32)}};
  if (std::ranges::any_of(note, [](const std::string& text) { return !text.empty(); })) json["note"] = note;
  return json;
}

}  // namespace escapement
