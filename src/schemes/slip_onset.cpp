#include "schemes/slip_onset.hpp"

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

void SlipOnset::reserve(int contacts, int rows) {
  contacts_.reserve(contacts);
  for (Vec* x : {&P_, &P_before_, &u_, &free_, &change_, &tried_, &error_}) x->setZero(rows);
}

void SlipOnset::begin(int rows) {
  contacts_.clear();
  rows_ = rows;
}

void SlipOnset::add(int row, Forces force, double h, double velocity, double error_by_velocity) {
  P_before_[row] = h * force.before;
  P_[row] = h * force.now;
  u_[row] = velocity;
  error_[row] = error_by_velocity;
}

void SlipOnset::watch(int row, bool has_gap, int slips, double friction, double brake) {
  Contact c{row, has_gap ? row + 1 : row, slips, has_gap && P_[row] > 0, false, false};
  const auto within = [&](const Vec& P) { return length(P, c) < (1 - little::friction) * (has_gap ? friction * P[row] : brake); };
  c.sticks = slips > 0 && within(P_);
  c.begins = slips > 0 && within(P_before_) && !c.sticks;
  contacts_.push_back(c);
}

void SlipOnset::free_velocities(const ContactProblem& problem) {
  // rows taken inside a step leave a little of their turning in velocities that the law has made zero
  for (const Contact& c : contacts_) {
    if (c.closed) u_[c.row] = 0;
    if (c.sticks) u_.segment(c.slip, c.slips).setZero();
  }
  for (int i = 0; i < rows_; ++i) {
    free_[i] = u_[i];
    for (int j = 0; j < rows_; ++j) free_[i] -= problem.W(i, j) * P_[j];
  }
}

bool SlipOnset::solve(ContactProblem& problem, ContactSolver& solver) {
  problem.b.head(rows_) = free_.head(rows_) + change_.head(rows_);
  tried_.head(rows_) = P_.head(rows_);
  return solver.solve(problem, tried_).ok;
}

double SlipOnset::velocity(const ContactProblem& problem, int row) const {
  double velocity = problem.b[row];
  for (int j = 0; j < rows_; ++j) velocity += problem.W(row, j) * tried_[j];
  return velocity;
}

double SlipOnset::slip_of(const ContactProblem& problem, const Contact& c) const {
  double size = 0;
  for (int k = c.slip; k < c.slip + c.slips; ++k) size = std::hypot(size, velocity(problem, k));
  return size;
}

double SlipOnset::slip(ContactProblem& problem, ContactSolver& solver) {
  double largest = 0;
  if (!solve(problem, solver)) return largest;
  for (const Contact& c : contacts_)
    if (c.begins) largest = std::max(largest, error_of_slip(c) * slip_of(problem, c));
  return largest;
}

double SlipOnset::loosened(ContactProblem& problem, ContactSolver& solver) {
  double largest = 0;
  if (!solve(problem, solver)) return largest;
  for (const Contact& c : contacts_) {
    if (c.sticks) largest = std::max(largest, error_of_slip(c) * slip_of(problem, c));
    if (c.closed && tried_[c.row] == 0) largest = std::max(largest, error_[c.row] * velocity(problem, c.row));
  }
  return largest;
}

}  // namespace escapement
