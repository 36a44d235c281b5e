// Writing result files in parts: the first one makes the file, the others add to it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "run/result.hpp"

namespace escapement::inline io {

// how far a result file is
struct Written {
  bool exists = false;
  bool goes_on = false;  // samples behind the first in memory are of a run that stopped there
  std::size_t samples = 0, events = 0, steps = 0, points = 0, note_width = 0;
  long stride = 1, point_stride = 1;  // of steps and of contact points
  std::uint64_t sample_sum = 0, event_sum = 0, step_sum = 0, point_sum = 0;  // parts of the checksum
  std::uint64_t checksum = 0, summary_sum = 0;
};

// all of them throw Hdf5Error
Written write_all(const Result&, const std::filesystem::path&, bool grows);
void write_more(const Result&, const std::filesystem::path&, Written&);
// of a file that grows; its head is read already
Written find_written(const Result& head, const std::filesystem::path&);

// of everything that a file says, so that a changed bit is noticed
std::uint64_t sum_of_samples(const Result&, std::size_t first, std::size_t end);  // those in memory
std::uint64_t sum_of_head(const Result&, const std::vector<std::pair<std::string, std::string>>& attributes);
std::vector<std::pair<std::string, std::string>> attributes_of(const Result&);

template <class SomeResult, class Action>
void for_each_event_column(SomeResult& r, Action action) {
  action("events/time", r.events.time);
  action("events/contact", r.events.contact);
  action("events/kind", r.events.kind);
  action("events/velocity_before", r.events.velocity_before);
  action("events/velocity_after", r.events.velocity_after);
  action("events/impulse", r.events.impulse);
  action("events/note", r.events.note);
}

template <class SomeResult, class Action>
void for_each_step_column(SomeResult& r, Action action) {
  action("steps/time", r.steps.time);
  action("steps/size", r.steps.size);
  action("steps/newton_iterations", r.steps.newton_iterations);
  action("steps/error", r.steps.error);
  action("steps/rejected", r.steps.rejected);
  action("steps/scaling", r.steps.scaling);
}

constexpr std::uint64_t result_layout = 3;

}  // namespace escapement
