#include "nonsmooth/many_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"
#include "nonsmooth/small_problem.hpp"

namespace escapement::inline nonsmooth {

namespace {
using V3 = ManyContacts::V3;
using M3 = ManyContacts::M3;
}  // namespace

void ManyContacts::resize(int bodies, int width) {
  bodies_.assign(static_cast<std::size_t>(bodies) + 1, {});
  width_ = width;
  clear();
}

void ManyContacts::clear() {
  contacts_.clear();
  turnings_.clear();
  wides_ = owns_ = 0;
}

void ManyContacts::clear_own() {
  while (!contacts_.empty() && contacts_.back().own >= 0) contacts_.pop_back();
  owns_ = 0;
}

ManyContacts::OwnRows& ManyContacts::add_own() {
  if (owns_ == own_.size()) own_.emplace_back();
  Contact& c = contacts_.emplace_back();
  c.own = static_cast<int>(owns_);
  c.a = c.b = ground();
  c.wide = -1;
  for (M3* rows : {&c.D, &c.La, &c.Lb, &c.W}) rows->setZero();
  c.bias.setZero();
  c.P.setZero();
  OwnRows& rows = own_[owns_++];
  rows.at.clear();
  rows.J.clear();
  return rows;
}

void ManyContacts::take(const Vec& v) {
  const double* x = v.data();
  for (int b = 0; b < ground(); ++b, x += width_) {
    Body& body = bodies_[static_cast<std::size_t>(b)];
    body.v = width_ == 3 ? V3(x[0], x[1], 0) : V3(x[0], x[1], x[2]);
    body.w = width_ == 3 ? V3(0, 0, x[2]) : V3(x[3], x[4], x[5]);
  }
}

void ManyContacts::give(Vec& v) const {
  double* x = v.data();
  for (int b = 0; b < ground(); ++b)
    for (int i = 0; i < width_; ++i) {
      const int k = place(i);
      *x++ = k < 3 ? bodies_[static_cast<std::size_t>(b)].v[k] : bodies_[static_cast<std::size_t>(b)].w[k - 3];
    }
}

void ManyContacts::add_impulse(const Contact& c, const V3& P, Vec& impulses) const {
  for_each_column(c, [&](int k, const V3& J) { impulses[k] += J.dot(P); });
}

V3 ManyContacts::own_velocity(const Contact& c) const {
  V3 u = V3::Zero();
  for_each_column(c, [&](int at, const V3& J) {
    const Body& body = bodies_[static_cast<std::size_t>(at / width_)];
    const int k = place(at % width_);
    u += (k < 3 ? body.v[k] : body.w[k - 3]) * J;
  });
  return u;
}

void ManyContacts::forget_answers() {
  wides_ = 0;
  for (Contact& c : contacts_) c.wide = -1;
}

ManyContacts::Answer& ManyContacts::add_answer(Contact& c) {
  if (wides_ == answers_.size()) answers_.emplace_back();
  c.wide = static_cast<int>(wides_);
  Answer& answer = answers_[wides_++];
  answer.at.clear();
  answer.values.clear();
  return answer;
}

M3 ManyContacts::frame(const V3& n) {
  // in the plane the first tangent lies in it; else across the axis that the normal is farthest from
  const V3 t1 = n[2] == 0 ? V3(-n[1], n[0], 0) : std::abs(n[0]) < std::abs(n[2]) ? V3(V3(0, n[2], -n[1]).normalized()) : V3(V3(-n[1], n[0], 0).normalized());
  M3 rows;
  rows.row(0) = n;
  rows.row(1) = t1;
  rows.row(2) = n.cross(t1);
  return rows;
}

void ManyContacts::set_response(Contact& c) const {
  const Body &a = bodies_[static_cast<std::size_t>(c.a)], &b = bodies_[static_cast<std::size_t>(c.b)];
  if (c.rows == 1) {
    const V3 n = c.D.row(0), La = c.La.row(0), Lb = c.Lb.row(0);
    c.W.setZero();
    c.W(0, 0) = (a.mass + b.mass) * n.squaredNorm() + La.dot(a.turning * La) + Lb.dot(b.turning * Lb);
  } else {
    const M3 turning_a = c.La * a.turning, turning_b = c.Lb * b.turning;
    c.W = (a.mass + b.mass) * (c.D * c.D.transpose()) + turning_a * c.La.transpose() + turning_b * c.Lb.transpose();
  }
  judge_response(c);
}

void ManyContacts::judge_response(Contact& c) {
  const double size = little::equal_response * c.W.trace();
  c.weight = c.rows == 1 ? c.W(0, 0) : c.rows == 2 ? 0.5 * (c.W(0, 0) + c.W(1, 1)) : c.W.trace() / 3;
  c.round = c.rows == 3 && std::abs(c.W(0, 1)) <= size && std::abs(c.W(0, 2)) <= size && std::abs(c.W(1, 2)) <= size && std::abs(c.W(1, 1) - c.W(2, 2)) <= size;
}

void ManyContacts::push(const Contact& c, const V3& dP) {
  if (c.wide >= 0) {
    const Answer& answer = answers_[static_cast<std::size_t>(c.wide)];
    for (std::size_t k = 0; k < answer.at.size(); ++k) {
      Body& body = bodies_[static_cast<std::size_t>(answer.at[k] / 6)];
      const int i = answer.at[k] % 6;
      (i < 3 ? body.v[i] : body.w[i - 3]) += answer.values[k].dot(dP);
    }
    return;
  }
  Body &a = bodies_[static_cast<std::size_t>(c.a)], &b = bodies_[static_cast<std::size_t>(c.b)];
  const V3 p = c.D.transpose() * dP;
  a.v -= a.mass * p;
  a.w -= a.turning * (c.La.transpose() * dP);
  b.v += b.mass * p;
  b.w += b.turning * (c.Lb.transpose() * dP);
}

void ManyContacts::push_all() {
  for (const Contact& c : contacts_)
    if (c.P != V3::Zero()) push(c, c.P);
  for (const Turning& t : turnings_)
    if (t.M != V3::Zero()) push(t, t.M);
}

void ManyContacts::push(const Turning& t, const V3& dM) {
  const Contact& c = contacts_[static_cast<std::size_t>(t.contact)];
  Body &a = bodies_[static_cast<std::size_t>(c.a)], &b = bodies_[static_cast<std::size_t>(c.b)];
  a.w -= a.turning * (t.La.transpose() * dM);
  b.w += b.turning * (t.Lb.transpose() * dM);
}

void ManyContacts::Turning::keep_within(double normal) {
  M[0] = std::clamp(M[0], -spinning * normal, spinning * normal);
  const double size = std::sqrt(M[1] * M[1] + M[2] * M[2]), limit = rolling * normal;
  if (size > limit) M.tail<2>() *= limit / size;
}

// one contact alone: u = W P + b
V3 ManyContacts::solve(const Contact& c, const V3& b) const {
  if (c.is_brake()) return {c.braking(-b[0] / c.W(0, 0)), 0, 0};
  if (b[0] >= 0 && (c.rows == 1 || c.round)) return V3::Zero();
  if (c.rows == 1) return {-b[0] / c.W(0, 0), 0, 0};
  V3 P;
  if (c.round) {
    P << -b[0] / c.W(0, 0), -b[1] / c.W(1, 1), -b[2] / c.W(2, 2);
    const double size = std::sqrt(P[1] * P[1] + P[2] * P[2]), limit = c.mu * P[0];
    if (size > limit) P.tail<2>() *= limit / size;
    return P;
  }
  P = c.P;
  if (c.rows == 3) {
    if (!solve_disc(Cone::disc(c.mu), c.W.data(), b.data(), P.data())) return c.P;
    return P;
  }
  const double W[4] = {c.W(0, 0), c.W(1, 0), c.W(0, 1), c.W(1, 1)};
  if (!solve_coulomb(Cone::coulomb(c.mu), W, b.data(), P.data())) return c.P;
  P[2] = 0;
  return P;
}

double ManyContacts::sweep() {
  double largest = 0;
  for (Contact& c : contacts_) {
    if (!(c.W(0, 0) > 0)) continue;
    const V3 b = velocity(c) + c.bias - c.W * c.P;
    const V3 P = solve(c, b), dP = P - c.P;
    const double change = dP.squaredNorm();
    if (change == 0) continue;
    largest = std::max(largest, c.weight * c.weight * change);
    c.P = P;
    push(c, dP);
  }
  largest = std::sqrt(largest);
  for (Turning& t : turnings_) largest = std::max(largest, resist(t));
  return largest;
}

// the moments with the normal impulse held: one about the normal, and a disc across it. Velocities of rotation are compared to
// others over the lengths that the resistances are
double ManyContacts::resist(Turning& t) {
  const V3 dM = missing_moment(t);
  if (dM == V3::Zero()) return 0;
  t.M += dM;
  push(t, dM);
  return size_of(t, dM);
}

V3 ManyContacts::missing_moment(const Turning& t) const {
  const V3 u = velocity(t);
  Turning then = t;
  if (t.W(0, 0) > 0) then.M[0] -= u[0] / t.W(0, 0);
  if (t.across() > 0) then.M.tail<2>() -= u.tail<2>() / t.across();
  then.keep_within(contacts_[static_cast<std::size_t>(t.contact)].P[0]);
  return then.M - t.M;
}

double ManyContacts::size_of(const Turning& t, const V3& dM) {
  return std::max(t.W(0, 0) * std::abs(dM[0]) * t.spinning, t.across() * dM.tail<2>().norm() * t.rolling);
}

V3 ManyContacts::project(double mu, const V3& z) {
  const double size = std::sqrt(z[1] * z[1] + z[2] * z[2]);
  if (z[0] >= 0 && size <= mu * z[0]) return z;
  if (mu * size <= -z[0]) return V3::Zero();
  const double normal = (z[0] + mu * size) / (1 + mu * mu);
  const double part = size > 0 ? mu * normal / size : 0;
  return {normal, part * z[1], part * z[2]};
}

V3 ManyContacts::rate(const Contact& c) const {
  V3 u = velocity(c) + c.bias;
  if (c.rows < 3) u.tail(3 - c.rows).setZero();
  return u;
}

double ManyContacts::residual(const Contact& c, V3 u) {
  if (!(c.weight > 0)) return 0;
  if (c.is_brake()) return c.weight * std::abs(c.P[0] - c.braking(c.P[0] - u[0] / c.weight));
  u[0] += c.mu * u.tail<2>().norm();
  return c.weight * (c.P - project(c.mu, c.P - u / c.weight)).norm();
}

double ManyContacts::residual() const {
  double largest = 0;
  for (const Contact& c : contacts_) largest = std::max(largest, residual(c, rate(c)));
  for (const Turning& t : turnings_) largest = std::max(largest, size_of(t, missing_moment(t)));
  return largest;
}

}  // namespace escapement
