#include "system/system.hpp"

namespace escapement {

const Scale& System::scale() const {
  static const Scale ones;
  return ones;
}

void System::rate(const Vec&, const Vec& v, Vec& qdot) const { qdot = v; }

void System::rate2(const Vec&, const Vec&, const Vec& vdot, Vec& qddot) const { qddot = vdot; }

void System::normalize(Vec&) const {}

void System::retract(const Vec& q, const Vec& dx, Vec& q1) const { q1 = q + dx; }

void System::difference(const Vec& q, const Vec& q1, Vec& dx) const { dx = q1 - q; }

bool System::retract_tangent(const Vec&, Matrix&) const { return false; }

State make_state(const Dim& dim) {
  State s;
  s.q = Vec::Zero(dim.q);
  s.v = Vec::Zero(dim.v);
  s.vdot = Vec::Zero(dim.v);
  s.lambda = Vec::Zero(dim.multipliers());
  s.z = Vec::Zero(dim.z);
  return s;
}

void velocity_rows(const Terms& terms, const Vec& v, Vec& out) {
  out = terms.g_t;
  terms.G.add_product(1, v, out);
}

}  // namespace escapement
