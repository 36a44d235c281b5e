#include "system/active_view.hpp"

namespace escapement {

namespace {

// row `to` of target = factor * row `from` of source; both storages, patterns prepared by the view
void copy_row(const Matrix& source, int from, Matrix& target, int to, double factor = 1) {
  if (target.is_sparse()) {
    source.for_each_in_row(from, [&](int j, double value) { target.add(to, j, factor * value); });
  } else {
    target.dense().row(to) += factor * source.dense().row(from);
  }
}

void append_places(const Matrix& m, int row_offset, std::vector<std::pair<int, int>>& places) {
  for (int i = 0; i < m.rows(); ++i) m.for_each_in_row(i, [&](int j, double) { places.emplace_back(row_offset + i, j); });
}

}  // namespace

ActiveView::ActiveView(const System& base) : ForwardingSystem(base), dim_(base.dim()) {
  dim_.bilateral = base.dim().multipliers();
  dim_.unilateral = dim_.slip = 0;
  mode_.assign(base.dim().unilateral, ContactMode::open);
  held_.assign(base.dim().unilateral, 0);
  slip_owner_.assign(base.dim().slip, -1);
  for (std::size_t i = 0; i < base.contacts().size(); ++i)
    if (base.contacts()[i].slip >= 0) slip_owner_[base.contacts()[i].slip] = static_cast<int>(i);
  base.prepare(base_terms_);
  base.prepare(base_tangent_);
  mu_.setZero(base.dim().multipliers());
  scale_.setOnes(base.dim().rows());
}

int ActiveView::closed_contacts() const {
  int count = 0;
  for (ContactMode mode : mode_) count += mode != ContactMode::open;
  return count;
}

double ActiveView::friction_factor(int contact) const {
  const double mu = base_.contacts()[contact].friction;
  if (mode_[contact] == ContactMode::slide_forward) return -mu;
  if (mode_[contact] == ContactMode::slide_backward) return mu;
  return 0;
}

bool ActiveView::row_on(int row) const {
  const Dim& dim = base_.dim();
  if (row < dim.bilateral) return true;
  if (row < dim.rows()) return mode_[row - dim.bilateral] != ContactMode::open;
  const int contact = slip_owner_[row - dim.rows()];
  return mode_[contact] == ContactMode::closed && !held_[contact];
}

void ActiveView::complete_multipliers(Vec& lambda) const {
  const Dim& dim = base_.dim();
  for (int i = 0; i < dim.slip; ++i) {
    const int contact = slip_owner_[i];
    if (mode_[contact] != ContactMode::closed) lambda[dim.rows() + i] = friction_factor(contact) * lambda[dim.bilateral + contact];
  }
}

void ActiveView::prepare(Terms& T) const {
  base_.prepare(T);
  const int rows = dim_.rows();
  if (base_terms_.G.is_sparse()) {
    std::vector<std::pair<int, int>> places, force_places;
    append_places(base_terms_.G, 0, places);
    append_places(base_terms_.T, base_.dim().rows(), places);
    force_places = places;
    for (int i = 0; i < base_.dim().slip; ++i)
      base_terms_.T.for_each_in_row(i, [&](int j, double) { force_places.emplace_back(base_.dim().bilateral + slip_owner_[i], j); });
    T.G.set_pattern(rows, dim_.v, places);
    T.G_force.set_pattern(rows, dim_.v, force_places);
    T.T.set_pattern(0, dim_.v, {});
  } else {
    T.G.resize(rows, dim_.v);
    T.G_force.resize(rows, dim_.v);
    T.T.resize(0, dim_.v);
  }
  T.g.setZero(rows);
  T.g_t.setZero(rows);
  T.kappa.setZero(rows);
  T.t0.setZero(0);
  T.kappa_T.setZero(0);
}

void ActiveView::prepare(Tangent& D) const {
  base_.prepare(D);
  for (Matrix* m : {&D.kappa_q, &D.kappa_v}) {
    if (m->is_sparse()) {
      std::vector<std::pair<int, int>> places;
      append_places(*m, 0, places);
      m->set_pattern(dim_.rows(), dim_.v, places);
    } else {
      m->resize(dim_.rows(), dim_.v);
    }
  }
}

void ActiveView::evaluate(const State& s, Need need, Terms& T) const {
  const Dim& dim = base_.dim();
  if (dim.slip > 0) {
    if (has(need, Need::jacobian)) need = need | Need::slip;
    if (has(need, Need::curvature)) need = need | Need::slip_rate;
  }
  // the base writes mass and forces straight into the caller's terms
  std::swap(base_terms_.M, T.M);
  std::swap(base_terms_.f, T.f);
  std::swap(base_terms_.zdot, T.zdot);
  base_.evaluate(s, need, base_terms_);
  std::swap(base_terms_.M, T.M);
  std::swap(base_terms_.f, T.f);
  std::swap(base_terms_.zdot, T.zdot);

  const int rows = dim.rows();
  if (has(need, Need::gap))
    for (int i = 0; i < dim_.rows(); ++i) T.g[i] = i < rows && row_on(i) ? base_terms_.g[i] : 0;
  if (has(need, Need::curvature))
    for (int i = 0; i < dim_.rows(); ++i) T.kappa[i] = row_on(i) ? (i < rows ? base_terms_.kappa[i] : base_terms_.kappa_T[i - rows]) : 0;
  if (!has(need, Need::jacobian)) return;

  T.G.set_zero();
  for (int i = 0; i < dim_.rows(); ++i) {
    const bool on = row_on(i);
    T.g_t[i] = on ? (i < rows ? base_terms_.g_t[i] : base_terms_.t0[i - rows]) : 0;
    if (on) i < rows ? copy_row(base_terms_.G, i, T.G, i) : copy_row(base_terms_.T, i - rows, T.G, i);
  }
  T.sliding = false;
  for (int i = 0; i < dim.slip; ++i) T.sliding = T.sliding || friction_factor(slip_owner_[i]) != 0;
  if (!T.sliding) return;
  T.G_force.set_zero();
  for (int i = 0; i < dim_.rows(); ++i)
    if (row_on(i)) i < rows ? copy_row(base_terms_.G, i, T.G_force, i) : copy_row(base_terms_.T, i - rows, T.G_force, i);
  for (int i = 0; i < dim.slip; ++i)
    copy_row(base_terms_.T, i, T.G_force, dim.bilateral + slip_owner_[i], friction_factor(slip_owner_[i]));
}

void ActiveView::tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const {
  mu_ = mu;
  for (int i = 0; i < dim_.rows(); ++i)
    if (!row_on(i)) mu_[i] = 0;
  complete_multipliers(mu_);
  std::swap(D.kappa_q, base_tangent_.kappa_q);
  std::swap(D.kappa_v, base_tangent_.kappa_v);
  base_.tangent(s, w, mu_, parts, D);
  std::swap(D.kappa_q, base_tangent_.kappa_q);
  std::swap(D.kappa_v, base_tangent_.kappa_v);
  if (has(parts, Parts::velocity_rows))
    for (int i = 0; i < dim_.rows(); ++i)
      if (!row_on(i)) D.V_q.set_row_zero(i);
  if (has(parts, Parts::curvature_rows)) {
    // slip rows have no curvature tangent: Newton at acceleration level converges linearly in them
    D.kappa_q.set_zero();
    D.kappa_v.set_zero();
    for (int i = 0; i < base_.dim().rows(); ++i) {
      if (!row_on(i)) continue;
      copy_row(base_tangent_.kappa_q, i, D.kappa_q, i);
      copy_row(base_tangent_.kappa_v, i, D.kappa_v, i);
    }
  }
}

// slip rows have no position level
void ActiveView::position_terms(const State& s, Vec& largest) const {
  largest.setOnes(dim_.rows());
  base_.position_terms(s, scale_);
  largest.head(base_.dim().rows()) = scale_;
}

void ActiveView::row_scale(const State& s, Vec& one) const {
  one.setOnes(dim_.rows());
  base_.row_scale(s, scale_);
  one.head(base_.dim().rows()) = scale_;
}

int ActiveView::derivatives(const State& s, int count, Mat& d) const {
  return closed_contacts() == 0 ? base_.derivatives(s, count, d) : 0;
}

}  // namespace escapement
