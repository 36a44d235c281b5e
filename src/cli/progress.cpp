#include "cli/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace escapement::cli {

void Progress::step(const StepRecord& record) {
  if (!visible_ || !record.accepted || ++steps_ % 64 != 0) return;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double part = (record.after.t - start_) / (end_ - start_);
  const int full = static_cast<int>(20 * part);
  fmt::print(stderr, "\r\033[K{}[{}{}] t = {:.4g} of {:.4g} s, step {:.2e} s, {:.3g} steps/s, {:.0f} s left", what_, std::string(full, '#'), std::string(20 - full, '.'),
             record.after.t, end_, record.h, static_cast<double>(steps_) / seconds, part > 0 ? seconds * (1 - part) / part : 0.0);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::begin_run(std::string what) {
  what_ = std::move(what) + " ";
  steps_ = 0;
  begin_ = last_ = Clock::now();
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace escapement::cli
