// What every time-integration scheme offers, and what it tells about itself.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "system/system.hpp"

namespace escapement::inline schemes {

struct NewtonTrace;

// ill_conditioned: Newton's corrections are lost in rounding before they converge; across_constraints: the new velocity
// lies across the constraints more than along them, so that it belongs to no motion of the mechanism
enum class Status { ok, newton_failed, ill_conditioned, across_constraints, singular_matrix, contradicting_rows, not_finite, contact_unsolved };

// one of the largest residuals of a failed step: a velocity's equation of motion or a multiplier's row
struct RowResidual {
  enum class Kind { none, motion, row } kind = Kind::none;
  int index = -1;
  double value = 0;
};

struct StepReport {
  Status status = Status::ok;
  double error = 0;      // estimate in the norm of error_norm(), 0 where the scheme has none
  double next_step = 0;  // the scheme's own suggestion, 0: none
  bool passes_dead_point = false;  // if the error is too large, try again with a step only a little shorter
  int newton_iterations = 0;
  int linear_solves = 0;
  double scaling = 0;  // the factor s of [003] (28) in the Newton system; 0: there is none
  // an iteration or a contact problem that was accepted above its tolerance: what it was accepted with, over that
  // tolerance
  double excess = 0;
  double excess_length = 1;  // of a fixed step: times what would resolve the model's expressions where they are narrowest in it
  double contact_work = 0;             // of contact impulses on the system: sum of P times the mean of its G v
  bool others_act = false;             // contacts that are no rows of the system; then State::lambda has the means of the step
  bool energy_gain = false;            // an impact law that raised the kinetic energy
  std::array<RowResidual, 3> worst{};  // largest first, when status != ok
  bool ok() const { return status == Status::ok; }
};

// a contact that closed while approaching during the last step of a time-stepping scheme
struct ContactImpact {
  int contact = -1;
  double velocity_before = 0, velocity_after = 0, impulse = 0;
};

using OptionValue = std::variant<double, std::string, std::vector<double>>;

struct OptionInfo {
  std::string name;
  OptionValue value;  // the default; its type is the option's type
  std::string description;
  std::vector<std::string> choices{};  // for text options
  double min = 0, max = 0;             // for numbers, inclusive; min == max: any finite number
  bool integer = false;
};

struct SchemeInfo {
  std::string id;
  std::string description;
  std::string paper;      // "000", or author and year
  std::string equations;  // e.g. "(13)-(17)"
  int order = 0;              // in q, v and z, with fixed steps
  int constrained_order = -1;  // the same on a system with constraints; negative: as order
  int multiplier_order = -1;   // of the multipliers; negative: as constrained_order, 0: not promised
  int index = 0;  // differential index of the form it solves; 0: contact schemes
  bool keeps_position = false, keeps_velocity = false;
  bool rows_inside = false;    // the velocity level holds with G taken inside the step; with G at its end up to O(h)
  bool time_stepping = false;  // treats contacts and impacts itself
  int error_power = 0;         // p of the step rule (12) of [000]: the estimate behaves as h^p; 0: no estimate, fixed steps only
  double max_growth = 0;       // largest ratio of successive steps it bears; 0: any
  std::vector<OptionInfo> options{};

  int order_on_constraints() const { return constrained_order < 0 ? order : constrained_order; }
  int order_of_multipliers() const { return multiplier_order < 0 ? order_on_constraints() : multiplier_order; }
};

struct OptionError : std::runtime_error {
  std::string option;
  OptionError(std::string name, const std::string& message) : std::runtime_error(message), option(std::move(name)) {}
};

// the options of one run: every option of the scheme with its default or the user's value
class Options {
 public:
  Options() = default;
  // checks names (with a suggestion), types, ranges and choices; throws OptionError
  Options(const SchemeInfo& info, const std::map<std::string, OptionValue>& given);
  double number(std::string_view name) const;
  int integer(std::string_view name) const { return static_cast<int>(number(name)); }
  const std::string& text(std::string_view name) const;
  const std::vector<double>& list(std::string_view name) const;
  bool is_list(std::string_view name) const;
  bool given(std::string_view name) const;  // said by the user
  const std::map<std::string, OptionValue, std::less<>>& all() const { return values_; }

 private:
  const OptionValue& get(std::string_view name) const;
  std::map<std::string, OptionValue, std::less<>> values_;
  std::vector<std::string> given_;
};

class Scheme {
 public:
  virtual ~Scheme() = default;

  virtual const SchemeInfo& info() const = 0;
  // size workspaces and complete s (vdot, lambda, memory) for this system; s has consistent t, q, v, z.
  // also called to restart after an event: everything the scheme remembers is made anew from s
  virtual void start(const System&, State& s) = 0;
  // make the state at s.t + h; s is never changed, s1 is valid only on success
  virtual StepReport step(const System&, const State& s, double h, State& s1) = 0;
  // state at s.t + theta (s1.t - s.t); default: quintic Hermite polynomial through q, v, vdot of both ends
  virtual void interpolate(const System&, const State& s, const State& s1, double theta, State& out) const;
  virtual std::span<const ContactImpact> impacts() const { return {}; }  // of the last successful step
  // multipliers that the stages of the last step have found, where a scheme has such
  virtual std::span<const Vec> stage_multipliers() const { return {}; }
  // the bound that the step control puts on the error of a step, or of a step over its length (per unit step); never called:
  // fixed steps. Schemes that choose their order by it also suggest the next step. Takes effect at the next start()
  virtual void set_tolerance(double /*tolerance*/, bool /*per_unit_step*/) {}
  // runs of fixed steps switch off estimates that cost extra work
  virtual void estimate_errors(bool) {}
  // write the Newton iterations of every following step there (nullptr: no more); false: the scheme has none
  virtual bool trace_newton(NewtonTrace*) { return false; }
};

// rms over q, v and the model's own states of error/(1 + |x|): the norm the tolerance bounds. one: what the 1 is
double error_norm(const Vec& error_q, const Vec& error_v, const State& s1, const Scale& one = {},
                  std::span<const double> error_states = {});
inline std::span<const double> own_states(const Vec& z, const Dim& dim) { return {z.data(), static_cast<std::size_t>(dim.states)}; }

// remember a residual among the report's three largest
void note_residual(StepReport&, RowResidual::Kind, int index, double value);

// registry: one line per scheme, in registry.cpp
struct SchemeEntry {
  SchemeInfo info;
  std::unique_ptr<Scheme> (*make)(const Options&);
};
const std::vector<SchemeEntry>& all_schemes();
const SchemeEntry* find_scheme(std::string_view id);  // nullptr when unknown
std::unique_ptr<Scheme> make_scheme(std::string_view id, const std::map<std::string, OptionValue>& options = {});

}  // namespace escapement
