#include "system/system.hpp"

#include <cmath>

#include "math/rows.hpp"
#include "system/row_selection.hpp"

namespace escapement::inline system {

const Scale& System::scale() const {
  static const Scale ones;
  return ones;
}

RowSelection System::first_rows() const { return {}; }

RowSelection ForwardingSystem::first_rows() const { return base_.first_rows(); }

void System::position_scale(const State& s, Vec& out) const {
  position_terms(s, nullptr, out);
  if (!scale().given()) {
    out = out.cwiseMax(1.0);
    return;
  }
  thread_local Vec one;
  row_scale(s, nullptr, one);
  out = out.cwiseMax(one);
  for (double& x : out)
    if (x == 0) x = scale().unit();  // a row that is off
}

void System::rate(const Vec&, const Vec& v, Vec& qdot) const { qdot = v; }

void System::rate2(const Vec&, const Vec&, const Vec& vdot, Vec& qddot) const { qddot = vdot; }

void System::normalize(Vec&) const {}

namespace {
[[gnu::cold, gnu::noinline]] void size_like(const Vec& q, Vec& q1) { q1.resize(q.size()); }
}  // namespace

// number by number: the vectors of small systems cost more than what is done with them
void System::retract(const Vec& q, const Vec& dx, Vec& q1) const {
  if (q1.size() != q.size()) {
    size_like(q, q1);
    return retract(q, dx, q1);
  }
  const double *a = q.data(), *b = dx.data(), *const end = a + q.size();
  for (double* sum = q1.data(); a != end; ++a, ++b, ++sum) *sum = *a + *b;
}

void System::difference(const Vec& q, const Vec& q1, Vec& dx) const { dx = q1 - q; }

bool System::retract_tangent(const Vec&, Matrix&) const { return false; }

void size_vectors(const Dim& dim, Terms& T) {
  T.f.setZero(dim.v);
  T.zdot.setZero(dim.z);
  for (Vec* row : {&T.g, &T.g_t, &T.kappa}) row->setZero(dim.rows());
  for (Vec* slip : {&T.t0, &T.kappa_T}) slip->setZero(dim.slip);
}

void size_dense(const Dim& dim, Terms& T) {
  T.M.resize(dim.v, dim.v);
  T.G.resize(dim.rows(), dim.v);
  T.T.resize(dim.slip, dim.v);
  size_vectors(dim, T);
}

void size_dense(const Dim& dim, Tangent& D) {
  for (Matrix* square : {&D.K, &D.D}) square->resize(dim.v, dim.v);
  D.V_q.resize(dim.multipliers(), dim.v);
  for (Matrix* rows : {&D.kappa_q, &D.kappa_v}) rows->resize(dim.rows(), dim.v);
  D.f_z.setZero(dim.v, dim.z);
  for (Mat* slope : {&D.zdot_q, &D.zdot_v}) slope->setZero(dim.z, dim.v);
  D.zdot_z.setZero(dim.z, dim.z);
}

State make_state(const Dim& dim) {
  State s;
  s.q = Vec::Zero(dim.q);
  s.v = Vec::Zero(dim.v);
  s.vdot = Vec::Zero(dim.v);
  s.lambda = Vec::Zero(dim.multipliers());
  s.z = Vec::Zero(dim.z);
  return s;
}

void add_slip_names(const ContactLaw& law, Names& names) {
  const std::string name = law.is_brake() ? law.name : law.name + ".slip";
  for (int k = 1; law.slip >= 0 && k <= law.slips; ++k) names.multipliers.push_back(law.slips == 1 ? name : name + "." + std::to_string(k));
}

void velocity_rows(const Terms& terms, const Vec& v, Vec& out) {
  out = terms.g_t;
  terms.G.is_sparse() ? terms.G.add_product(1, v, out) : add_product(terms.G, v, out);
}

double row_scale(const Scale& scale, const Matrix& rows, int row) {
  if (!scale.given()) return 1;
  double sum = 0;
  rows.for_each_in_row(row, [&](int j, double value) { sum += std::abs(value) * scale.v(j); });
  return sum > 0 ? sum : scale.unit();  // a row that is off
}

double velocity_scale(const Scale& scale, const Terms& T, int row, const Vec& v) {
  double size = row_scale(scale, T.G, row) + std::abs(T.g_t[row]);
  T.G.for_each_in_row(row, [&](int j, double value) { size += std::abs(value * v[j]); });
  return size;
}

}  // namespace escapement
