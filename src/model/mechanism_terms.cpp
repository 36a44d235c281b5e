#include <algorithm>
#include <cmath>
#include <utility>

#include "model/mechanism.hpp"

namespace escapement::inline model {

template <int D>
Motion<D> Mechanism<D>::motion(const State& s, Vec& scratch) const {
  Frame<D>* frames = reinterpret_cast<Frame<D>*>(scratch.data());
  set_frames(s, static_cast<int>(bodies_.size()), frames);
  return {frames, s.t, s.z.data(), scratch.data() + program_at_};
}

template <int D>
void Mechanism<D>::count_turns(State& s) const {
  Vec scratch(static_cast<Eigen::Index>(scratch_size_));
  const Motion<D> m = motion(s, scratch);
  for (std::size_t k = 0; k < turns_.size(); ++k) s.z[turn_at(k)] = turns_[k].angle->value(m);
}

template <int D>
void Mechanism<D>::put_rows(const double* local, int rows, int row, const std::vector<int>& bodies, Matrix& to) const {
  for (int i = 0; i < rows; ++i)
    for (int b : bodies)
      for (int c = 0; c < width<D>; ++c) to.dense()(row + i, width<D> * b + c) = *local++;
}

template <int D>
void Mechanism<D>::evaluate(const State& s, Need need, Terms& T) const {
  const Motion<D> m = motion(s, T.scratch);
  // M is constant: prepare() has set it
  if (has(need, Need::mass) && T.M.version() != M_.version()) T.M = M_;
  if (has(need, Need::force)) evaluate_force(m, T);
  evaluate_rows(m, need, T);
  if (!has(need, Need::slip) && !has(need, Need::slip_rate)) return;
  if (!T.contacts) {
    for (std::size_t k = 0; k < slips_.size(); ++k) evaluate_slip(m, k, need, T);
    return;
  }
  for (const int contact : *T.contacts) {
    const ContactLaw& law = laws_[static_cast<std::size_t>(contact)];
    for (int k = law.slip; law.slip >= 0 && k < law.slip + law.slips; ++k) evaluate_slip(m, static_cast<std::size_t>(k), need, T);
  }
}

template <int D>
void Mechanism<D>::evaluate_slip(const Motion<D>& m, std::size_t k, Need need, Terms& T) const {
  const SlipRow<D>& slip = *slips_[k].slip;
  if (has(need, Need::slip)) {
    double* row = sparse_ ? T.T.value().data() + T.T.row_start()[k] : local(T.scratch);
    slip.row(m, row, T.t0[k]);
    if (!sparse_) put_rows(row, 1, static_cast<int>(k), slip.bodies(), T.T);
  }
  if (has(need, Need::slip_rate)) T.kappa_T[k] = slip.curvature(m);
}

template <int D>
void Mechanism<D>::evaluate_force(const Motion<D>& m, Terms& T) const {
  const int n = static_cast<int>(bodies_.size());
  for (int b = 0; b < n; ++b) {
    double* f = T.f.data() + width<D> * b;
    Eigen::Map<Vector<D>>{f} = inertia_[b].mass * gravity_;
    if constexpr (D == 2) {
      f[2] = 0;
    } else {
      const Vector<3> w = m[b].w;
      Eigen::Map<Vector<3>>{f + 3} = cross(Vector<3>(inertia_[b].turning * w), w);
    }
  }
  double* f = local(T.scratch);
  for (const PlacedForce& one : forces_) {
    std::fill_n(f, one.force->columns(), 0.0);
    one.force->add(m, f);
    const double* from = f;
    for (int b : one.force->bodies())
      for (int c = 0; c < width<D>; ++c) T.f[width<D> * b + c] += *from++;
  }
  if (state_rates_) state_rates_->rates(m, T.zdot.data());
  for (std::size_t k = 0; k < turns_.size(); ++k) T.zdot[turn_at(k)] = turns_[k].angle->rate(m);
}

template <int D>
int Mechanism<D>::find_infinite_force(const State& s) const {
  Vec scratch(static_cast<Eigen::Index>(scratch_size_));
  const Motion<D> m = motion(s, scratch);
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    Vec f = Vec::Zero(forces_[k].force->columns());
    forces_[k].force->add(m, f.data());
    if (!f.allFinite()) return static_cast<int>(k);
  }
  return -1;
}

template <int D>
void Mechanism<D>::evaluate_rows(const Motion<D>& m, Need need, Terms& T) const {
  const bool gap = has(need, Need::gap), jacobian = has(need, Need::jacobian), curvature = has(need, Need::curvature);
  if (!gap && !jacobian && !curvature) return;
  for_each_group(T.contacts, [&](const PlacedRows& one) {
    const RowGroup<D>& group = *one.group;
    if (gap) group.gap(m, T.g.data() + one.row);
    if (jacobian) {
      // a group's rows are consecutive and hold its bodies' columns only: sparse storage is its own array
      double* G = sparse_ ? T.G.value().data() + T.G.row_start()[one.row] : local(T.scratch);
      group.jacobian(m, G, T.g_t.data() + one.row);
      if (!sparse_) put_rows(G, group.count(), one.row, group.bodies(), T.G);
    }
    if (curvature) group.curvature(m, T.kappa.data() + one.row);
  });
}

template <int D>
void Mechanism<D>::tangent(const State& s, const Vec&, const Vec& mu, Parts parts, Tangent& T) const {
  const Motion<D> m = motion(s, T.scratch);
  const bool stiffness = has(parts, Parts::mass) || has(parts, Parts::force) || has(parts, Parts::constraint);
  if (stiffness) {
    T.K.set_zero();
    if (has(parts, Parts::force)) T.D.set_zero();
  }
  if (has(parts, Parts::force)) tangent_force(m, T);
  if (has(parts, Parts::constraint)) {
    double* K = local(T.scratch);
    for (const PlacedRows& one : rows_) {
      const RowGroup<D>& group = *one.group;
      double* minus = K + group.columns() * group.columns();
      std::fill(K, minus, 0.0);
      // the multipliers of rows that are left out are zero
      for (int i = 0; i < group.count(); ++i) minus[i] = -mu[one.row + i];
      group.add_stiffness(m, minus, K);
      stiffness_layout_.add(K, group.bodies(), one.blocks, T.K);
    }
    for (std::size_t k = 0; k < slips_.size(); ++k) {
      const SlipRow<D>& slip = *slips_[k].slip;
      std::fill_n(K, slip.columns() * slip.columns(), 0.0);
      slip.add_stiffness(m, -mu[dim_.rows() + k], K);
      stiffness_layout_.add(K, slip.bodies(), slips_[k].blocks, T.K);
    }
  }
  if (has(parts, Parts::velocity_rows) || has(parts, Parts::curvature_rows)) tangent_rows(m, parts, T);
}

template <int D>
void Mechanism<D>::tangent_force(const Motion<D>& m, Tangent& T) const {
  if constexpr (D == 3) {
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> block;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      // -d(J w x w)/dw
      const Mat3 J = inertia_[b].turning;
      const Vec3 w = m[static_cast<int>(b)].w;
      block = skew(w) * J - skew(J * w);
      damping_layout_.add_angular(block.data(), static_cast<int>(b), T.D);
    }
  }
  T.f_z.setZero();
  for (const PlacedForce& one : forces_) {
    const int size = one.force->columns() * one.force->columns();
    double *K = local(T.scratch), *D_v = K + size;
    const bool damped = one.force->is_damped();
    std::fill_n(K, damped ? 2 * size : size, 0.0);
    one.force->subtract_tangent(m, K, D_v);
    stiffness_layout_.add(K, one.force->bodies(), one.blocks_K, T.K);
    if (damped) damping_layout_.add(D_v, one.force->bodies(), one.blocks_D, T.D);
    if (!one.force->states().empty()) tangent_states(m, *one.force, T);
  }
  T.zdot_q.setZero();
  T.zdot_v.setZero();
  T.zdot_z.setZero();
  if (state_rates_) state_rates_->tangent(m, T);
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const Measure<D>& angle = *turns_[k].angle;
    const Gradient<D> G = angle.gradient(m), V = angle.rate_gradient(m);
    const auto put = [&](int body, const Velocity<D>& g, const Velocity<D>& v) {
      if (body == ground) return;
      T.zdot_v.row(turn_at(k)).template segment<width<D>>(width<D> * body) = g.transpose();
      T.zdot_q.row(turn_at(k)).template segment<width<D>>(width<D> * body) = v.transpose();
    };
    put(angle.a(), G.a, V.a);
    put(angle.b(), G.b, V.b);
  }
}

template <int D>
void Mechanism<D>::tangent_states(const Motion<D>& m, const Force<D>& force, Tangent& T) const {
  const int states = static_cast<int>(force.states().size());
  double* f_z = local(T.scratch);
  std::fill_n(f_z, force.columns() * states, 0.0);
  force.add_state_slopes(m, f_z);
  for (int b : force.bodies())
    for (int c = 0; c < width<D>; ++c)
      for (int j = 0; j < states; ++j) T.f_z(width<D> * b + c, force.states()[static_cast<std::size_t>(j)]) += *f_z++;
}

template <int D>
void Mechanism<D>::tangent_rows(const Motion<D>& m, Parts parts, Tangent& T) const {
  const auto place = [&](Matrix& matrix, int row, double* otherwise) {
    return sparse_ ? matrix.value().data() + matrix.row_start()[row] : otherwise;
  };
  double* first = local(T.scratch);
  for (const PlacedRows& one : rows_) {
    const RowGroup<D>& group = *one.group;
    if (has(parts, Parts::velocity_rows)) {
      double* V_q = place(T.V_q, one.row, first);
      group.rate_rows(m, V_q);
      if (!sparse_) put_rows(V_q, group.count(), one.row, group.bodies(), T.V_q);
    }
    if (has(parts, Parts::curvature_rows)) {
      double* kappa_q = place(T.kappa_q, one.row, first);
      double* kappa_v = place(T.kappa_v, one.row, first + group.count() * group.columns());
      group.curvature_rows(m, kappa_q, kappa_v);
      if (!sparse_) {
        put_rows(kappa_q, group.count(), one.row, group.bodies(), T.kappa_q);
        put_rows(kappa_v, group.count(), one.row, group.bodies(), T.kappa_v);
      }
    }
  }
  if (!has(parts, Parts::velocity_rows)) return;
  for (std::size_t k = 0; k < slips_.size(); ++k) {
    const int row = dim_.rows() + static_cast<int>(k);
    double* V_q = place(T.V_q, row, first);
    slips_[k].slip->rate_row(m, V_q);
    if (!sparse_) put_rows(V_q, 1, row, slips_[k].slip->bodies(), T.V_q);
  }
}

template <int D>
Energy Mechanism<D>::energy(const State& s, Terms& work) const {
  const Motion<D> m = motion(s, work.scratch);
  Energy e;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Frame<D>& frame = m[static_cast<int>(b)];
    e.kinetic += 0.5 * (bodies_[b].mass * frame.v.squaredNorm() + frame.w.dot(bodies_[b].inertia * frame.w));
    e.potential -= bodies_[b].mass * gravity_.dot(frame.x);
  }
  for (const PlacedForce& one : forces_) {
    e.potential += one.force->potential(m);
    e.power += one.force->power(m);
  }
  // driven joints: lambda . (G v) with G v = -g_t
  if (driven_) {
    const ContactSet none;
    const ContactSet* const before = std::exchange(work.contacts, &none);
    evaluate_rows(m, Need::jacobian, work);
    work.contacts = before;
    e.power -= s.lambda.head(dim_.bilateral).dot(work.g_t.head(dim_.bilateral));
  }
  return e;
}

template <int D>
bool Mechanism<D>::has_features() const {
  return std::any_of(unilateral_.begin(), unilateral_.end(), [](const auto& one) { return one->has_features(); });
}

template <int D>
void Mechanism<D>::features(const State& s, const std::vector<int>& contacts, std::vector<int>& features) const {
  thread_local Vec scratch;
  scratch.resize(static_cast<Eigen::Index>(scratch_size_));
  const Motion<D> m = motion(s, scratch);
  features.clear();
  for (const int contact : contacts) features.push_back(contact < dim_.unilateral ? unilateral_[static_cast<std::size_t>(contact)]->feature(m) : 0);
}

template <int D>
void Mechanism<D>::position_terms(const State& s, const ContactSet* contacts, Vec& largest) const {
  thread_local Vec scratch;
  scratch.resize(static_cast<Eigen::Index>(scratch_size_));
  const Motion<D> m = motion(s, scratch);
  largest.resize(dim_.rows());
  for_each_group(contacts, [&](const PlacedRows& one) { one.group->largest_terms(m, largest.data() + one.row); });
}

template <int D>
void Mechanism<D>::row_scale(const State& s, const ContactSet* contacts, Vec& one) const {
  if (!one_.given()) return System::row_scale(s, contacts, one);
  thread_local Vec scratch;
  scratch.resize(static_cast<Eigen::Index>(scratch_size_) + dim_.rows());
  const Motion<D> m = motion(s, scratch);
  double* g_t = scratch.data() + scratch_size_;
  one.setConstant(dim_.rows(), one_.unit());  // a row that is off
  for_each_group(contacts, [&](const PlacedRows& placed) {
    double* G = local(scratch);
    placed.group->jacobian(m, G, g_t + placed.row);
    for (int i = 0; i < placed.group->count(); ++i) {
      double sum = 0;
      for (int b : placed.group->bodies())
        for (int c = 0; c < width<D>; ++c) sum += std::abs(*G++) * one_.v(width<D> * b + c);
      if (sum > 0) one[placed.row + i] = sum;
    }
  });
}

template void Mechanism<2>::count_turns(State&) const;
template void Mechanism<3>::count_turns(State&) const;
template void Mechanism<2>::evaluate(const State&, Need, Terms&) const;
template void Mechanism<3>::evaluate(const State&, Need, Terms&) const;
template int Mechanism<2>::find_infinite_force(const State&) const;
template int Mechanism<3>::find_infinite_force(const State&) const;
template void Mechanism<2>::tangent(const State&, const Vec&, const Vec&, Parts, Tangent&) const;
template void Mechanism<3>::tangent(const State&, const Vec&, const Vec&, Parts, Tangent&) const;
template Energy Mechanism<2>::energy(const State&, Terms&) const;
template Energy Mechanism<3>::energy(const State&, Terms&) const;
template bool Mechanism<2>::has_features() const;
template bool Mechanism<3>::has_features() const;
template void Mechanism<2>::features(const State&, const std::vector<int>&, std::vector<int>&) const;
template void Mechanism<3>::features(const State&, const std::vector<int>&, std::vector<int>&) const;
template void Mechanism<2>::position_terms(const State&, const ContactSet*, Vec&) const;
template void Mechanism<3>::position_terms(const State&, const ContactSet*, Vec&) const;
template void Mechanism<2>::row_scale(const State&, const ContactSet*, Vec&) const;
template void Mechanism<3>::row_scale(const State&, const ContactSet*, Vec&) const;

}  // namespace escapement
