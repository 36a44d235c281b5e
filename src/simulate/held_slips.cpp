#include "simulate/held_slips.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"
#include "simulate/contact_dynamics.hpp"

namespace escapement::inline simulate {

// Sticking contacts whose slip joints and closed gaps do not let change, or along one direction alone. Their rows would repeat
// others at another level, velocity beside position: what schemes of index 3 leave between the two, however little, has no answer
// but multipliers without bound. What friction does there is not determined, and they do without: a wall carries what presses a
// body against it, and friction is left for what no wall holds. Slip rows do not count among those that hold: feet share the
// friction, each up to its own limit
void hold_slips(ActiveView& view, const State& s) {
  const System& system = view.base();
  bool any = false;
  const int laws = static_cast<int>(system.contacts().size());
  for (int i = 0; i < laws; ++i) {
    const bool sticks = view.mode(i) == ContactMode::closed && system.contacts()[i].rubs();
    view.hold(i, sticks);
    any = any || sticks;
  }
  if (!any) return;
  const Dim& dim = view.dim();
  Terms rows, slips;
  SaddleSolver kkt;
  view.prepare(rows);
  system.prepare(slips);
  kkt.resize(dim.v, dim.rows());
  view.evaluate(s, Need::mass | Need::jacobian, rows);
  system.evaluate(s, Need::slip, slips);
  const bool solvable = kkt.factor(rows.M, rows.G);
  Vec row = Vec::Zero(dim.v), none = Vec::Zero(dim.rows()), mu = none;
  std::array<Vec, 2> answers{row, row};
  for (int i = 0; i < laws; ++i) {
    if (!view.held(i)) continue;
    const ContactLaw& law = system.contacts()[i];
    double alone = 0;  // what a unit force along the slip would do without joints and gaps, at least
    for (int k = 0; k < law.slips; ++k) {
      double sum = 0;
      row.setZero();
      slips.T.for_each_in_row(law.slip + k, [&](int j, double x) {
        row[j] = x;
        sum += x * x / rows.M(j, j);
      });
      alone = std::max(alone, sum);
      if (solvable) kkt.solve(row, none, answers[std::size_t(k)], mu);
    }
    // what slips answer to forces along them: a symmetric matrix
    const auto answer = [&](int k, int l) { return slips.T.row_dot(law.slip + k, answers[std::size_t(l)]); };
    const double a = answer(0, 0), b = law.slips > 1 ? answer(0, 1) : 0, c = law.slips > 1 ? answer(1, 1) : a;
    const double half = 0.5 * std::hypot(a - c, 2 * b), middle = 0.5 * (a + c), least = little::row_left * alone;
    view.hold(i, solvable && middle + half < least);
    if (!solvable || middle + half < least || middle - half >= least) continue;
    const double turn = 0.5 * std::atan2(2 * b, a - c);  // to the direction that answers most
    view.guide(i, {std::cos(turn), std::sin(turn)});
  }
}

double idle_friction(const ActiveView& view, int contact, const ActiveView::Direction& friction) {
  if (view.held(contact)) return ContactDynamics::length(friction);
  if (!view.guided(contact)) return 0;
  const ActiveView::Direction& way = view.way(contact);
  return std::abs(way[0] * friction[1] - way[1] * friction[0]);
}

}  // namespace escapement
