#include "system/active_view.hpp"

#include <cmath>

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
  contacts_.assign(base.contacts().size(), {});
  slip_owner_.assign(base.dim().slip, -1);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactLaw& law = base.contacts()[i];
    if (law.is_brake()) contacts_[i].mode = ContactMode::closed;
    for (int k = 0; law.slip >= 0 && k < law.slips; ++k) slip_owner_[law.slip + k] = static_cast<int>(i);
  }
  base.prepare(base_terms_);
  base.prepare(base_tangent_);
  mu_.setZero(base.dim().multipliers());
  scale_.setOnes(base.dim().rows());
}

int ActiveView::closed_contacts() const {
  int count = 0;
  for (int i = 0; i < base_.dim().unilateral; ++i) count += contacts_[i].mode != ContactMode::open;
  return count;
}

bool ActiveView::any_slides(bool in_space) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    if (slides(int(i)) && (!in_space || law(int(i)).slips > 1)) return true;
  return false;
}

bool ActiveView::row_on(int row) const {
  const Dim& dim = base_.dim();
  if (row < dim.bilateral) return true;
  if (row < dim.rows()) return contacts_[row - dim.bilateral].mode != ContactMode::open;
  const int owner = slip_owner_[row - dim.rows()];
  return contacts_[owner].mode == ContactMode::closed && !contacts_[owner].held && law(owner).rubs();
}

void ActiveView::begin_step(int contact, const double* slip, double too_slow) {
  Contact& c = contacts_[contact];
  c.too_slow = too_slow;
  if (c.mode != ContactMode::slide || law(contact).slips == 1) return;
  const double speed = std::hypot(slip[0], slip[1]);
  if (speed > too_slow) c.along = {slip[0] / speed, slip[1] / speed};
}

ActiveView::Direction ActiveView::direction(int contact, const Terms& T, const Vec& v, double& speed) const {
  const ContactLaw& of = law(contact);
  const Contact& c = contacts_[contact];
  speed = 0;
  if (of.slips == 1) return c.along;
  const double slip[2] = {T.T.row_dot(of.slip, v) + T.t0[of.slip], T.T.row_dot(of.slip + 1, v) + T.t0[of.slip + 1]};
  const double size = std::hypot(slip[0], slip[1]);
  if (!(size > c.too_slow)) return c.along;
  speed = slip[0] * c.along[0] + slip[1] * c.along[1] < 0 ? -size : size;
  return {slip[0] / speed, slip[1] / speed};
}

void ActiveView::write_friction(const Terms& T, const Vec& v, Vec& lambda) const {
  const Dim& dim = base_.dim();
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const ContactLaw& of = law(i);
    if (of.slip < 0 || contacts_[i].mode == ContactMode::closed) continue;
    double speed;
    const Direction d = slides(i) ? direction(i, T, v, speed) : Direction{0, 0};
    const double limit = of.limit(of.is_brake() ? 0 : lambda[dim.bilateral + i]);
    for (int k = 0; k < of.slips; ++k) lambda[dim.rows() + of.slip + k] = d[k] == 0 ? 0 : -limit * d[k];
  }
}

void ActiveView::complete_multipliers(const State& s, Vec& lambda) const {
  if (base_.dim().slip == 0) return;
  if (any_slides(true)) base_.evaluate(s, Need::slip, base_terms_);
  write_friction(base_terms_, s.v, lambda);
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
      if (!law(slip_owner_[i]).is_brake())
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
  for (const ContactLaw& of : base_.contacts()) {
    // friction that turns with the slip: rows of T among each other
    if (of.slip_rows() < 2 || !D.K.is_sparse()) continue;
    for (Matrix* m : {&D.K, &D.D}) {
      std::vector<std::pair<int, int>> places;
      append_places(*m, 0, places);
      for (int k : {of.slip, of.slip + 1})
        base_terms_.T.for_each_in_row(k, [&](int i, double) {
          for (int l : {of.slip, of.slip + 1}) base_terms_.T.for_each_in_row(l, [&](int j, double) { places.emplace_back(i, j); });
        });
      m->set_pattern(dim_.v, dim_.v, places);
    }
  }
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
  bool turns = false;  // the direction of a row's force follows the velocity
  if (dim.slip > 0) {
    turns = has(need, Need::force) && T.sliding && any_slides(true);
    if (has(need, Need::jacobian) || turns) need = need | Need::slip;
    if (has(need, Need::curvature)) need = need | Need::slip_rate;
    for (int i = dim.unilateral; i < static_cast<int>(contacts_.size()) && has(need, Need::force); ++i)
      if (slides(i)) need = need | Need::slip;
  }
  // the base writes mass and forces straight into the caller's terms
  std::swap(base_terms_.M, T.M);
  std::swap(base_terms_.f, T.f);
  std::swap(base_terms_.zdot, T.zdot);
  base_.evaluate(s, need, base_terms_);
  std::swap(base_terms_.M, T.M);
  std::swap(base_terms_.f, T.f);
  std::swap(base_terms_.zdot, T.zdot);

  double speed;
  for (int i = dim.unilateral; i < static_cast<int>(contacts_.size()) && has(need, Need::force); ++i) {
    if (!slides(i)) continue;
    const Direction d = direction(i, base_terms_, s.v, speed);
    for (int k = 0; k < law(i).slips; ++k) base_terms_.T.add_row(law(i).slip + k, -law(i).brake * d[k], T.f);
  }

  const int rows = dim.rows();
  if (has(need, Need::gap))
    for (int i = 0; i < dim_.rows(); ++i) T.g[i] = i < rows && row_on(i) ? base_terms_.g[i] : 0;
  if (has(need, Need::curvature))
    for (int i = 0; i < dim_.rows(); ++i) T.kappa[i] = row_on(i) ? (i < rows ? base_terms_.kappa[i] : base_terms_.kappa_T[i - rows]) : 0;
  if (!has(need, Need::jacobian)) {
    if (turns) direct_friction(s, T);
    return;
  }

  T.G.set_zero();
  for (int i = 0; i < dim_.rows(); ++i) {
    const bool on = row_on(i);
    T.g_t[i] = on ? (i < rows ? base_terms_.g_t[i] : base_terms_.t0[i - rows]) : 0;
    if (on) i < rows ? copy_row(base_terms_.G, i, T.G, i) : copy_row(base_terms_.T, i - rows, T.G, i);
  }
  T.sliding = false;
  for (int i = 0; i < dim.unilateral; ++i) T.sliding = T.sliding || slides(i);
  if (!T.sliding) return;
  T.G_force.set_zero();
  for (int i = 0; i < dim_.rows(); ++i)
    if (row_on(i)) i < rows ? copy_row(base_terms_.G, i, T.G_force, i) : copy_row(base_terms_.T, i - rows, T.G_force, i);
  for (int i = 0; i < dim.unilateral; ++i) add_friction(i, s, T);
}

void ActiveView::add_friction(int contact, const State& s, Terms& T) const {
  if (!slides(contact)) return;
  double speed;
  const Direction d = direction(contact, base_terms_, s.v, speed);
  const ContactLaw& of = law(contact);
  for (int k = 0; k < of.slips; ++k) copy_row(base_terms_.T, of.slip + k, T.G_force, base_.dim().bilateral + contact, -of.friction * d[k]);
}

// half-explicit schemes know the velocity of a stage after the rows of its position
void ActiveView::direct_friction(const State& s, Terms& T) const {
  for (int i = 0; i < base_.dim().unilateral; ++i) {
    if (!slides(i) || law(i).slips == 1) continue;
    const int row = base_.dim().bilateral + i;
    T.G_force.set_row_zero(row);
    copy_row(T.G, row, T.G_force, row);
    add_friction(i, s, T);
  }
}

void ActiveView::tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const {
  const Dim& dim = base_.dim();
  mu_ = mu;
  for (int i = 0; i < dim_.rows(); ++i)
    if (!row_on(i)) mu_[i] = 0;
  const bool sliding = dim.slip > 0 && any_slides(false), turning = sliding && any_slides(true);
  if (turning) base_.evaluate(s, Need::slip, base_terms_);
  write_friction(base_terms_, s.v, mu_);
  Parts asked = parts;
  if (turning) asked = asked | Parts::velocity_rows;
  if (sliding && has(parts, Parts::force) != has(parts, Parts::constraint)) {
    // a brake's friction is a force, and its direction changes as those of rows do
    if (has(parts, Parts::force)) mu_.head(dim.rows()).setZero();
    for (int i = 0; i < dim.slip; ++i)
      if (law(slip_owner_[i]).is_brake() != has(parts, Parts::force)) mu_[dim.rows() + i] = 0;
    asked = asked | Parts::constraint;
  }
  std::swap(D.kappa_q, base_tangent_.kappa_q);
  std::swap(D.kappa_v, base_tangent_.kappa_v);
  base_.tangent(s, w, mu_, asked, D);
  std::swap(D.kappa_q, base_tangent_.kappa_q);
  std::swap(D.kappa_v, base_tangent_.kappa_v);
  if (turning) add_turning(s, mu, parts, D);
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

// Friction -L d of a slip u along d = u/|u| with T^T: its derivatives are L T^T (1 - d d^T)/|u| times those of u, with their sign
// turned
void ActiveView::add_turning(const State& s, const Vec& mu, Parts parts, Tangent& D) const {
  const Dim& dim = base_.dim();
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const ContactLaw& of = law(i);
    if (!slides(i) || of.slips < 2) continue;
    double speed;
    const Direction d = direction(i, base_terms_, s.v, speed);
    if (speed == 0) continue;
    const double limit = of.limit(of.is_brake() ? 0 : mu[dim.bilateral + i]);
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l) {
        const double turn = limit / speed * ((k == l ? 1 : 0) - d[k] * d[l]);
        base_terms_.T.for_each_in_row(of.slip + k, [&](int row, double t) {
          if (has(parts, Parts::force))
            base_terms_.T.for_each_in_row(of.slip + l, [&](int j, double x) { D.D.add(row, j, turn * t * x); });
          if (has(parts, of.is_brake() ? Parts::force : Parts::constraint))
            D.V_q.for_each_in_row(dim.rows() + of.slip + l, [&](int j, double x) { if (x != 0) D.K.add(row, j, turn * t * x); });
        });
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
  for (const Contact& c : contacts_)
    if (c.mode != ContactMode::open) return 0;
  return base_.derivatives(s, count, d);
}

}  // namespace escapement
