#include "run/summary.hpp"

#include <fmt/format.h>

#include <limits>

namespace escapement::inline run {

double value_of(const NamedValues& values, std::string_view name) {
  for (const auto& [known, value] : values)
    if (known == name) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string to_string(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::completed: return "completed";
    case Outcome::Status::stopped: return "stopped";
    case Outcome::Status::interrupted: return "interrupted";
    case Outcome::Status::failed: return "failed";
  }
  return "";
}

std::string to_text(const Assembled& assembled) {
  const auto part = [](double size, const std::string& name, const char* what) {
    return size == 0 ? fmt::format("{} kept", what) : fmt::format("{} moved by at most {:.3g} ({})", what, size, name);
  };
  return part(assembled.moved, assembled.most_moved, "positions") + ", " +
         part(assembled.changed, assembled.most_changed, "velocities");
}

std::string to_text(const Finding& f) {
  return fmt::format("{}{} at t = {:.6g} s: {:.2g}, limit {:.2g}; {}", f.what,
                     f.where.empty() ? "" : fmt::format(" ('{}')", f.where), f.t, f.value, f.limit, f.remedy);
}

namespace {

std::string verdict_text(const Summary& s) {
  const char* reach = s.status == Outcome::Status::failed        ? " up to its failure"
                      : s.status == Outcome::Status::interrupted ? " up to its interruption"
                                                                 : "";
  return fmt::format("{}{}{}", s.verdict(), reach, s.sound ? "" : ": do not trust this result before you have looked into");
}

}  // namespace

std::string to_text(const Summary& s) {
  std::string text = s.model + "\n";
  const auto row = [&](const char* label, const std::string& value) {
    text += fmt::format("  {:<18} {}\n", label, value);
  };
  row("scheme", s.scheme);
  if (!s.scheme_choice.empty()) row("chosen", s.scheme_choice);
  row("status", fmt::format("{} at t = {:.9g} s", to_string(s.status), s.t));
  row("verdict", verdict_text(s));
  for (const Finding& finding : s.findings) row("", to_text(finding));
  row("steps", fmt::format("{} ({} rejected), {:.3g} s on average", s.steps, s.rejected_steps, s.average_step));
  row("work", fmt::format("{} evaluations and solves, {:.3g} s", s.work, s.wall_seconds));
  if (!s.drift_by_constraint.empty())
    row("drift", fmt::format("position {:.2e}, velocity {:.2e}", s.max_drift.position, s.max_drift.velocity));
  if (s.has_contacts) row("contact", fmt::format("{} impacts, penetration {:.2e} m", s.impacts, s.max_penetration));
  if (s.impacts_with_energy_gain > 0) row("warning", fmt::format("{} impacts raised the energy", s.impacts_with_energy_gain));
  if (s.assembled) row("assembled", to_text(*s.assembled));
  if (!s.redundant_constraints.empty())
    row("redundant", fmt::format("{} (how joints share these forces is a choice)", fmt::join(s.redundant_constraints, ", ")));
  row("energy", fmt::format("{:.9g} J -> {:.9g} J, balance within {:.2e} J", s.energy.initial, s.energy.final, s.energy.max_error));
  return text;
}

}  // namespace escapement
