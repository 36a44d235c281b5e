#include "nonsmooth/gap_sweeps.hpp"

#include <algorithm>
#include <cmath>

namespace escapement::inline nonsmooth {

void GapSweeps::start(ManyContacts& problem) {
  problem_ = &problem;
  rows_.clear();
  for (std::size_t k = 0; k < problem.contacts().size(); ++k) {
    const ManyContacts::Contact& c = problem.contacts()[k];
    if (!(c.W(0, 0) > 0)) continue;
    const ManyContacts::Body &a = problem.bodies()[static_cast<std::size_t>(c.a)], &b = problem.bodies()[static_cast<std::size_t>(c.b)];
    Row& row = rows_.emplace_back();
    row.n = c.D.row(0);
    row.gap = c.bias[0];
    row.response = c.W(0, 0);
    row.a_mass = a.mass;
    row.b_mass = b.mass;
    row.a = c.a;
    row.b = c.b;
    row.wide = c.wide >= 0;
    row.own = c.own >= 0;
    row.contact = static_cast<int>(k);
    row.La = c.La.row(0);
    row.Lb = c.Lb.row(0);
    row.turns = row.wide || row.La != V3::Zero() || row.Lb != V3::Zero();
    row.a_turning = a.turning * row.La;
    row.b_turning = b.turning * row.Lb;
  }
}

double GapSweeps::sweep() {
  double largest = 0;
  ManyContacts::Body* const bodies = problem_->bodies().data();
  for (Row& row : rows_) {
    ManyContacts::Body &a = bodies[row.a], &b = bodies[row.b];
    double g = row.gap;
    if (row.own) g += problem_->velocity(problem_->contacts()[static_cast<std::size_t>(row.contact)])[0];
    else g += row.n.dot(b.v - a.v);
    if (row.turns) g += row.Lb.dot(b.w) - row.La.dot(a.w);
    const double P = std::max(0.0, row.P - g / row.response), dP = P - row.P;
    if (dP == 0) continue;
    largest = std::max(largest, row.response * std::abs(dP));
    row.P = P;
    if (row.wide) {
      problem_->push(problem_->contacts()[static_cast<std::size_t>(row.contact)], {dP, 0, 0});
      continue;
    }
    a.v -= row.a_mass * dP * row.n;
    b.v += row.b_mass * dP * row.n;
    if (!row.turns) continue;
    a.w -= dP * row.a_turning;
    b.w += dP * row.b_turning;
  }
  return largest;
}

}  // namespace escapement
