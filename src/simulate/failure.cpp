#include "simulate/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"
#include "system/active_view.hpp"

namespace escapement::inline simulate {

namespace {

std::string name_of_row(const System& system, const RowResidual& r) {
  const bool motion = r.kind == RowResidual::Kind::motion;
  const auto& names = motion ? system.names().v : system.names().multipliers;
  const std::string name = r.index >= 0 && r.index < static_cast<int>(names.size()) ? names[r.index] : "?";
  return fmt::format("{} '{}'",
                     motion                             ? "motion of"
                     : r.index < system.dim().bilateral ? "constraint"
                                                        : "contact",
                     name);
}

// the three largest residuals, each row once
std::string residuals(const System& system, const StepReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.worst.size(); ++i) {
    const RowResidual& r = report.worst[i];
    bool told = r.kind == RowResidual::Kind::none || r.value == 0;
    for (std::size_t k = 0; k < i; ++k)
      told = told || (report.worst[k].kind == r.kind && report.worst[k].index == r.index);
    if (!told) text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", name_of_row(system, r), r.value);
  }
  return text;
}

// where no residual says who is to blame: the velocities that change fastest
std::string fastest(const System& system, const State& s) {
  std::vector<std::pair<double, int>> rates;
  for (int i = 0; i < s.vdot.size(); ++i)
    if (s.vdot[i] != 0) rates.emplace_back(-std::abs(s.vdot[i]) / (system.scale().v(i) + std::abs(s.v[i])), i);
  std::sort(rates.begin(), rates.end());
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, rates.size()); ++k)
    text += fmt::format("{}'{}' {:.3g}", text.empty() ? "" : ", ",
                        system.names().v[static_cast<std::size_t>(rates[k].second)], s.vdot[rates[k].second]);
  return text;
}

bool among_contacts(const System& system, const StepReport& report) {
  const RowResidual& worst = report.worst[0];
  return worst.kind == RowResidual::Kind::row && worst.index >= system.dim().bilateral;
}

// joint rows that no accelerations meet together: what the nearest ones leave of them, the three largest
std::string contradicting_rows(const System& system, const State& s) {
  const ActiveView joints(system);  // all contacts open
  Terms T;
  joints.prepare(T);
  joints.evaluate(s, Need::mass | Need::force | Need::jacobian | Need::curvature, T);
  SaddleSolver kkt;
  kkt.resize(joints.dim().v, joints.dim().rows());
  if (!kkt.factor(T.M, T.G)) return "";
  Vec a = Vec::Zero(joints.dim().v), mu = Vec::Zero(joints.dim().rows());
  kkt.solve(T.f, -T.kappa, a, mu);
  std::vector<std::pair<double, int>> left;
  for (int i = 0; i < system.dim().bilateral; ++i) {
    double size = row_scale(system.scale(), T.G, i) + std::abs(T.kappa[i]);
    T.G.for_each_in_row(i, [&](int j, double x) { size += std::abs(x * a[j]); });
    const double residual = T.G.row_dot(i, a) + T.kappa[i];
    if (std::abs(residual) > little::rows_met * size) left.emplace_back(residual, i);
  }
  std::sort(left.begin(), left.end(),
            [](const auto& x, const auto& y) { return std::abs(x.first) > std::abs(y.first); });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, left.size()); ++k)
    text += fmt::format("{}'{}' by {:.3g}", text.empty() ? "" : ", ",
                        system.names().multipliers[static_cast<std::size_t>(left[k].second)], left[k].first);
  return text;
}

// Index 3 holds positions only. What a scheme leaves of velocity across the constraints returns in the next step with its sign
// turned, and in the accelerations divided by the step: where these lie across the constraints more than along them, ripples have
// grown that nothing damps
bool ripples(const System& system, const SchemeInfo& info, const State& s) {
  const bool has_levels = std::any_of(info.options.begin(), info.options.end(), [](const OptionInfo& o) { return o.name == "level"; });
  if (info.index != 3 || !has_levels || system.dim().bilateral == 0 || !s.vdot.allFinite()) return false;
  constexpr double across = 0.1;
  const ActiveView joints(system);
  Terms T;
  joints.prepare(T);
  joints.evaluate(s, Need::jacobian | Need::curvature, T);
  for (int i = 0; i < system.dim().bilateral; ++i) {
    double size = row_scale(system.scale(), T.G, i) + std::abs(T.kappa[i]);
    T.G.for_each_in_row(i, [&](int j, double x) { size += std::abs(x * s.vdot[j]); });
    if (std::abs(T.G.row_dot(i, s.vdot) + T.kappa[i]) > across * size) return true;
  }
  return false;
}

}  // namespace

std::string describe_failure(const System& system, const SchemeInfo& info, const StepReport& report, const State& s,
                             double h, const std::string& what, const std::string& advice) {
  std::string cause = what, remedy = advice;
  if (cause.empty()) switch (report.status) {
      case Status::newton_failed:
        // a scheme without an iteration of its own has one in the projection
        cause = report.newton_iterations > 0
                    ? fmt::format("Newton's iteration did not converge ({} iterations)", report.newton_iterations)
                    : "the positions could not be brought back to the constraints";
        remedy = report.newton_iterations > 0
                     ? "take a smaller step or a tolerance, or check the model for forces that jump"
                     : "take a smaller step or a tolerance, or look for drives that ask for more than the mechanism's reach";
        break;
      case Status::ill_conditioned:
        cause = fmt::format(
            "Newton's corrections are lost in rounding, since the step is too small for the chosen scaling ({} "
            "iterations)",
            report.newton_iterations);
        remedy = "take scaling: full or a larger step";
        break;
      case Status::across_constraints:
        if (info.index != 3) {
          cause = "the step meets a dead point: a position in which the constraints lose rank and two motions cross";
          remedy = "take a slightly different step, or a tolerance";
          break;
        }
        cause =
            "the velocity points across the constraints, by ripples that have grown from step to step or by too large "
            "a step";
        remedy = "take a smaller step, level: ggl, or a scheme with numerical damping: hht, or generalized-alpha with a smaller rho_infinity";
        break;
      case Status::singular_matrix:
        cause = "the system matrix is singular";
        remedy = "look for a body or coordinate without mass, or run 'escapement check' on the model";
        break;
      case Status::contradicting_rows:
        if (among_contacts(system, report)) {
          cause = "the contacts contradict each other";
          remedy = "look for walls that close in on a body, or for gaps with a wrong sign";
        } else {
          cause = "the constraints contradict each other";
          remedy = "look for drives that contradict each other or ask for more than the mechanism's reach";
        }
        break;
      case Status::not_finite:
        cause = "the motion is no longer finite";
        remedy = "take a smaller step, or check the forces near this time";
        break;
      case Status::contact_unsolved:
        cause = "the contact problem was not solved";
        remedy = "take a smaller step or another contact_solver";
        break;
      case Status::ok:
        cause = "the step was refused";
        break;
    }
  // Newton's method and projections fail with any residuals where there is nothing to find
  const bool suspicious = what.empty() && system.dim().bilateral > 0 &&
                          (report.status == Status::newton_failed || report.status == Status::contradicting_rows);
  const std::string contradiction = suspicious ? contradicting_rows(system, s) : "";
  if (!contradiction.empty())
    remedy = "look for drives that contradict each other or ask for more than the mechanism's reach";
  if (report.status != Status::across_constraints && contradiction.empty() && ripples(system, info, s)) {
    cause += "; the accelerations point across the constraints, by ripples that have grown from step to step";
    remedy = "take level: ggl, or a scheme with numerical damping: hht, or generalized-alpha with a smaller rho_infinity";
  }
  if (remedy.empty()) remedy = "take a smaller step, another tolerance or another scheme";
  std::string text = fmt::format("{} failed at t = {:.9g} s with step {:.3g} s: {}", info.id, s.t, h, cause);
  if (!contradiction.empty()) {
    text += "; no accelerations meet all constraints, the nearest miss " + contradiction;
  } else if (const std::string rows = residuals(system, report); !rows.empty()) {
    text += "; largest residuals: " + rows;
  } else if (const std::string changes = fastest(system, s); !changes.empty()) {
    text += "; largest accelerations: " + changes;
  }
  return text + "; " + remedy + ".";
}

}  // namespace escapement
