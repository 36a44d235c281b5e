#include "system/active_view.hpp"

#include <algorithm>
#include <cmath>

#include "system/cone_sharing.hpp"

namespace escapement::inline system {

namespace {

// row `to` of target += factor * row `from` of source; both storages, patterns prepared by the view
void add_row(const Matrix& source, int from, Matrix& target, int to, double factor = 1) {
  if (target.is_sparse()) {
    source.for_each_in_row(from, [&](int j, double value) { target.add(to, j, factor * value); });
  } else {
    target.dense().row(to) += factor * source.dense().row(from);
  }
}

// the same in place of what is there, where row `to` has the places of row `from`
void copy_row(const Matrix& source, int from, Matrix& target, int to) {
  if (target.is_sparse()) {
    std::copy(source.value().begin() + source.row_start()[from], source.value().begin() + source.row_start()[from + 1],
              target.value().begin() + target.row_start()[to]);
  } else {
    target.dense().row(to) = source.dense().row(from);
  }
}

using Places = std::vector<std::pair<int, int>>;

// a slip's row, from rows of T or of what belongs to them behind others
void copy_slip(const Matrix& source, const ActiveSlip& slip, Matrix& target, int to, int behind = 0) {
  if (slip.count == 1) return copy_row(source, behind + slip.first, target, to);
  target.set_row_zero(to);
  slip.for_each([&](int row, double factor) { add_row(source, behind + row, target, to, factor); });
}

void append_row(const Matrix& m, int row, int to, Places& places) {
  m.for_each_in_row(row, [&](int j, double) { places.emplace_back(to, j); });
}

// two matrices that one system has prepared; dense ones cost no more than their pointers
void trade(Matrix& a, Matrix& b) {
  const bool dense = !a.is_sparse() && !b.is_sparse() && a.rows() == b.rows() && a.cols() == b.cols();
  dense ? a.dense().swap(b.dense()) : std::swap(a, b);
}

constexpr Need without(Need set, Need others) { return Need(unsigned(set) & ~unsigned(others)); }

void set_places(const Matrix& like, int rows, int cols, const Places& places, Matrix& m) {
  like.is_sparse() ? m.set_pattern(rows, cols, places) : m.resize(rows, cols);
}

}  // namespace

ActiveView::ActiveView(const System& base) : ForwardingSystem(base) {
  contacts_.assign(base.contacts().size(), {});
  slip_owner_.assign(base.dim().slip, -1);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactLaw& law = base.contacts()[i];
    if (law.is_brake()) contacts_[i].mode = ContactMode::closed;
    for (int k = 0; law.slip >= 0 && k < law.slips; ++k) slip_owner_[law.slip + k] = static_cast<int>(i);
  }
  base.prepare(base_terms_);
  base.prepare(base_tangent_);
  base_terms_.contacts = &rows_.evaluated;  // the view is not copied
  mu_.setZero(base.dim().multipliers());
  scale_.setOnes(base.dim().rows());
}

void ActiveView::find_rows() const {
  const Dim& dim = base_.dim();
  known_ = true;
  ++rows_.version;
  rows_.closed.clear();
  rows_.slips.clear();
  rows_.evaluated.clear();
  rows_.rub = false;
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    if (contacts_[i].mode == ContactMode::open) continue;
    rows_.evaluated.push_back(i);
    rows_.rub = rows_.rub || law(i).slip >= 0;
    if (i < dim.unilateral) rows_.closed.push_back(i);
    if (contacts_[i].mode != ContactMode::closed || contacts_[i].held || !law(i).rubs()) continue;
    if (contacts_[i].guided) {
      rows_.slips.push_back({law(i).slip, law(i).slips, contacts_[i].way});
      continue;
    }
    for (int k = 0; k < law(i).slips; ++k) rows_.slips.push_back({law(i).slip + k});
  }
  std::sort(rows_.slips.begin(), rows_.slips.end(), [](const ActiveSlip& a, const ActiveSlip& b) { return a.first < b.first; });
  rows_.dim = dim;
  rows_.dim.bilateral = dim.bilateral + static_cast<int>(rows_.closed.size() + rows_.slips.size());
  rows_.dim.unilateral = rows_.dim.slip = 0;
}

void ActiveView::take_modes(const ActiveView& other) {
  const auto same = [](const Contact& a, const Contact& b) {
    return a.mode == b.mode && a.held == b.held && a.guided == b.guided && (!a.guided || a.way == b.way);
  };
  known_ = known_ && std::equal(contacts_.begin(), contacts_.end(), other.contacts_.begin(), same);
  contacts_ = other.contacts_;
}

int ActiveView::multiplier(int row) const {
  const Dim& dim = base_.dim();
  const Rows& seen = rows();
  const int contact = row - dim.bilateral, slip = contact - static_cast<int>(seen.closed.size());
  if (contact < 0) return row;
  return slip < 0 ? dim.bilateral + seen.closed[contact] : dim.rows() + seen.slips[slip].first;
}

int ActiveView::row_of(int contact) const {
  const ContactSet& closed = rows().closed;
  return base_.dim().bilateral + static_cast<int>(std::lower_bound(closed.begin(), closed.end(), contact) - closed.begin());
}

void ActiveView::scatter(const Vec& of_rows, Vec& of_system) const {
  of_system.setZero(base_.dim().multipliers());
  replace(of_rows, of_system);
}

void ActiveView::replace(const Vec& of_rows, Vec& of_system) const {
  const int n = dim().rows(), first_slip = position_rows(), behind = base_.dim().rows();
  for (int i = 0; i < first_slip; ++i) of_system[multiplier(i)] = of_rows[i];
  for (int i = first_slip; i < n; ++i)
    rows().slips[i - first_slip].for_each([&](int slip, double factor) { of_system[behind + slip] = factor * of_rows[i]; });
}

void ActiveView::gather(const Vec& of_system, Vec& of_rows) const {
  const int n = dim().rows(), first_slip = position_rows(), behind = base_.dim().rows();
  of_rows.resize(n);
  for (int i = 0; i < first_slip; ++i) of_rows[i] = of_system[multiplier(i)];
  for (int i = first_slip; i < n; ++i) of_rows[i] = rows().slips[i - first_slip].of(of_system, behind);
}

bool ActiveView::any_slides(bool in_space) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    if (slides(int(i)) && (!in_space || law(int(i)).slips > 1)) return true;
  return false;
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
    const double limit = of.limit(of.pressing(lambda, dim.bilateral + i));
    for (int k = 0; k < of.slips; ++k) lambda[dim.rows() + of.slip + k] = d[k] == 0 ? 0 : -limit * d[k];
  }
}

void ActiveView::complete_multipliers(const State& s, Vec& lambda) const {
  if (base_.dim().slip == 0) return;
  // slips of contacts that stick; brakes are alone
  thread_local FrictionSharing sharing;  // room that is kept, of each thread its own
  sharing.clear();
  int contacts = 0, last = -1;
  for (const ActiveSlip& slip : rows().slips) {
    const int contact = slip_owner_[slip.first];
    if (contact >= base_.dim().unilateral) continue;
    contacts += contact != last;
    last = contact;
  }
  const bool share = contacts > 1;
  if (share || any_slides(true)) base_.evaluate(s, Need::slip, base_terms_);
  write_friction(base_terms_, s.v, lambda);
  if (!share) return;
  for (const ActiveSlip& slip : rows().slips)
    if (const int contact = slip_owner_[slip.first]; contact < base_.dim().unilateral)
      sharing.add(slip, law(contact).limit(lambda[base_.dim().bilateral + contact]));
  sharing.share(base_terms_.T, lambda.tail(base_.dim().slip));
  thread_local ConeSharing held;
  held.clear();
  const int behind = base_.dim().rows();
  for (std::size_t k = 0; k < rows().slips.size(); ++k) {
    const ActiveSlip& slip = rows().slips[k];
    const int contact = slip_owner_[slip.first];
    if (contact >= base_.dim().unilateral) continue;
    if (k == 0 || slip_owner_[rows().slips[k - 1].first] != contact) held.add_contact(base_.dim().bilateral + contact, law(contact).friction);
    held.add_slip(slip);
  }
  if (!held.is_outside(lambda, behind)) return;
  base_.evaluate(s, Need::jacobian | Need::slip, base_terms_);
  held.share(base_terms_.G, base_terms_.T, behind, lambda);
}

void ActiveView::prepare(Terms& T) const {
  base_.prepare(T);
  const Matrix &G = base_terms_.G, &slips = base_terms_.T;
  const int n = dim().rows(), first_slip = position_rows();
  Places places;
  if (G.is_sparse())
    for (int i = 0; i < first_slip; ++i) append_row(G, multiplier(i), i, places);
  if (G.is_sparse())
    for (int i = first_slip; i < n; ++i) rows().slips[i - first_slip].for_each([&](int slip, double) { append_row(slips, slip, i, places); });
  set_places(G, n, dim().v, places, T.G);
  if (G.is_sparse())
    for (int contact : rows().closed)
      for (int k = 0; law(contact).slip >= 0 && k < law(contact).slips; ++k) append_row(slips, law(contact).slip + k, row_of(contact), places);
  if (G.is_sparse())
    for (const ContactLaw& of : base_.contacts())
      for (int k = 0; k < of.joint_rows; ++k) append_row(slips, of.slip, of.joint_row + k, places);
  set_places(G, n, dim().v, places, T.G_force);
  set_places(G, 0, dim().v, {}, T.T);
  T.g.setZero(n);
  T.g_t.setZero(n);
  T.kappa.setZero(n);
  T.t0.setZero(0);
  T.kappa_T.setZero(0);
  T.sliding = false;
}

void ActiveView::prepare(Tangent& D) const {
  base_.prepare(D);
  for (const int contact : rows().evaluated) {
    // friction that turns with the slip: rows of T among each other
    const ContactLaw& of = law(contact);
    if (of.slip_rows() < 2 || !D.K.is_sparse()) continue;
    for (Matrix* m : {&D.K, &D.D}) {
      Places places;
      for (int i = 0; i < m->rows(); ++i) append_row(*m, i, i, places);
      for (int k : {of.slip, of.slip + 1})
        base_terms_.T.for_each_in_row(k, [&](int i, double) {
          for (int l : {of.slip, of.slip + 1}) base_terms_.T.for_each_in_row(l, [&](int j, double) { places.emplace_back(i, j); });
        });
      m->set_pattern(dim().v, dim().v, places);
    }
  }
  const int n = dim().rows();
  const auto take_rows = [&](const Matrix& of_base, int count, Matrix& m) {
    Places places;
    const int before_slips = std::min(count, position_rows());
    for (int i = 0; of_base.is_sparse() && i < before_slips; ++i) append_row(of_base, multiplier(i), i, places);
    for (int i = before_slips; of_base.is_sparse() && i < count; ++i)
      rows().slips[i - before_slips].for_each([&](int slip, double) { append_row(of_base, base_.dim().rows() + slip, i, places); });
    set_places(of_base, n, dim().v, places, m);
  };
  take_rows(base_tangent_.V_q, n, D.V_q);
  take_rows(base_tangent_.kappa_q, position_rows(), D.kappa_q);
  take_rows(base_tangent_.kappa_v, position_rows(), D.kappa_v);
}

void ActiveView::evaluate(const State& s, Need need, Terms& T) const {
  const Dim& dim = base_.dim();
  const Rows& seen = rows();
  bool turns = false;  // the direction of a row's force follows the velocity
  const bool follows = !pulling_ && seen.rub && follower_slides();
  if (follows && (has(need, Need::jacobian) || has(need, Need::force))) find_pulls(s);
  if (seen.rub) {
    turns = has(need, Need::force) && T.sliding && (follows || any_slides(true));
    if (has(need, Need::jacobian) || turns) need = need | Need::slip;
    if (has(need, Need::curvature)) need = need | Need::slip_rate;
    if (has(need, Need::force) && brakes_slide()) need = need | Need::slip;
  }
  // where there are no rows, none are asked for; mass and forces do not know of them
  const Need motion = Need::mass | Need::force;
  if (seen.dim.rows() == 0) {
    T.sliding = false;
    need = without(need, Need::gap | Need::jacobian | Need::curvature);
  }
  if (without(need, motion) == Need(0)) {
    if (need != Need(0)) base_.evaluate(s, need, T);
    return;
  }
  // the base writes mass and forces straight into the caller's terms
  const auto lend = [&] {
    trade(base_terms_.M, T.M);
    base_terms_.f.swap(T.f);
    base_terms_.zdot.swap(T.zdot);
  };
  const bool lent = has(need, motion);
  if (lent) lend();
  base_.evaluate(s, need, base_terms_);
  if (lent) lend();

  double speed;
  for (int i = dim.unilateral; i < static_cast<int>(contacts_.size()) && has(need, Need::force); ++i) {
    if (!slides(i) || law(i).follows()) continue;
    const Direction d = direction(i, base_terms_, s.v, speed);
    for (int k = 0; k < law(i).slips; ++k) base_terms_.T.add_row(law(i).slip + k, -law(i).brake * d[k], T.f);
  }

  // of the rows here, those with a position level; then slips
  const int n = seen.dim.rows(), joints = dim.bilateral, first_slip = position_rows();
  const auto take = [&](const Vec& of_rows, const Vec* of_slips, Vec& to) {
    to.head(joints) = of_rows.head(joints);
    for (int i = joints; i < first_slip; ++i) to[i] = of_rows[joints + seen.closed[i - joints]];
    for (int i = first_slip; i < n; ++i) to[i] = of_slips ? seen.slips[i - first_slip].of(*of_slips) : 0;
  };
  if (has(need, Need::gap)) take(base_terms_.g, nullptr, T.g);
  if (has(need, Need::curvature)) take(base_terms_.kappa, &base_terms_.kappa_T, T.kappa);
  if (!has(need, Need::jacobian)) {
    if (turns) direct_friction(s, T);
    return;
  }

  take(base_terms_.g_t, &base_terms_.t0, T.g_t);
  take_jacobian(T.G);
  T.sliding = follows;
  for (const int i : seen.closed) T.sliding = T.sliding || slides(i);
  if (!T.sliding) return;
  T.G_force.set_zero();
  for (int i = 0; i < n; ++i) add_row(T.G, i, T.G_force, i);
  for (const int i : seen.closed) add_friction(i, s, T);
  if (follows) follow_joints(T);
}

bool ActiveView::follower_slides() const {
  for (int i = base_.dim().unilateral; i < static_cast<int>(contacts_.size()); ++i)
    if (slides(i) && law(i).follows()) return true;
  return false;
}

// the terms without this friction say what the joints carry, and how friction changes it
void ActiveView::find_pulls(const State& s) const {
  if (pull_.begin(version())) {
    prepare(pull_.terms());
    pull_.resize(dim().v, dim().rows(), static_cast<int>(contacts_.size()));
  }
  pulling_ = true;
  evaluate(s, Need::mass | Need::force | Need::jacobian | Need::curvature, pull_.terms());
  pulling_ = false;
  pull_.clear();
  for (int i = base_.dim().unilateral; i < static_cast<int>(contacts_.size()); ++i)
    if (slides(i) && law(i).follows()) pull_.add(i, law(i), contacts_[i].along[0]);
  pull_.solve(base_terms_.T);
}

void ActiveView::follow_joints(Terms& T) const {
  for (const JointPull::Follower& f : pull_.followers())
    for (int k = 0; k < law(f.brake).joint_rows; ++k) add_row(base_terms_.T, law(f.brake).slip, T.G_force, law(f.brake).joint_row + k, pull_.ride(f, k));
}

void ActiveView::take_jacobian(Matrix& G) const {
  const int joints = base_.dim().bilateral, first_slip = position_rows(), n = dim().rows();
  if (G.is_sparse()) {
    const Matrix& from = base_terms_.G;
    std::copy(from.value().begin(), from.value().begin() + from.row_start()[joints], G.value().begin());
  } else if (joints > 0) {
    G.dense().topRows(joints) = base_terms_.G.dense().topRows(joints);
  }
  for (int i = joints; i < n; ++i)
    i < first_slip ? copy_row(base_terms_.G, multiplier(i), G, i) : copy_slip(base_terms_.T, rows().slips[i - first_slip], G, i);
}

bool ActiveView::brakes_slide() const {
  for (int i = base_.dim().unilateral; i < static_cast<int>(contacts_.size()); ++i)
    if (slides(i)) return true;
  return false;
}

void ActiveView::add_friction(int contact, const State& s, Terms& T) const {
  if (!slides(contact)) return;
  double speed;
  const Direction d = direction(contact, base_terms_, s.v, speed);
  const ContactLaw& of = law(contact);
  for (int k = 0; k < of.slips; ++k) add_row(base_terms_.T, of.slip + k, T.G_force, row_of(contact), -of.friction * d[k]);
}

// half-explicit schemes know the velocity of a stage after the rows of its position
void ActiveView::direct_friction(const State& s, Terms& T) const {
  for (const int i : rows().closed) {
    if (!slides(i) || law(i).slips == 1) continue;
    const int row = row_of(i);
    T.G_force.set_row_zero(row);
    add_row(T.G, row, T.G_force, row);
    add_friction(i, s, T);
  }
  if (!follower_slides()) return;
  for (int row = 0; row < base_.dim().bilateral; ++row) {
    T.G_force.set_row_zero(row);
    add_row(T.G, row, T.G_force, row);
  }
  follow_joints(T);
}

void ActiveView::tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const {
  const Dim& dim = base_.dim();
  scatter(mu, mu_);
  const bool sliding = dim.slip > 0 && any_slides(false), turning = sliding && any_slides(true);
  if (turning) base_.evaluate(s, Need::slip, base_terms_);
  write_friction(base_terms_, s.v, mu_);
  Parts asked = parts;
  if (turning) asked = asked | Parts::velocity_rows;
  if (sliding && has(parts, Parts::force) != has(parts, Parts::constraint)) {
    // friction of a brake with a given limit is a force, and its direction changes as those of rows do
    if (has(parts, Parts::force)) mu_.head(dim.rows()).setZero();
    for (int i = 0; i < dim.slip; ++i)
      if (const ContactLaw& of = law(slip_owner_[i]); (of.is_brake() && !of.follows()) != has(parts, Parts::force)) mu_[dim.rows() + i] = 0;
    asked = asked | Parts::constraint;
  }
  std::array<std::pair<Matrix*, Matrix*>, 3> of_rows{{{&D.V_q, &base_tangent_.V_q}, {&D.kappa_q, &base_tangent_.kappa_q}, {&D.kappa_v, &base_tangent_.kappa_v}}};
  for (auto [here, there] : of_rows) std::swap(*here, *there);
  base_.tangent(s, w, mu_, asked, D);
  for (auto [here, there] : of_rows) std::swap(*here, *there);
  if (turning) add_turning(s, mu, parts, D);
  if (has(parts, Parts::velocity_rows)) {
    const int first_slip = position_rows();
    for (int i = 0; i < this->dim().rows(); ++i)
      i < first_slip ? copy_row(base_tangent_.V_q, multiplier(i), D.V_q, i) : copy_slip(base_tangent_.V_q, rows().slips[i - first_slip], D.V_q, i, dim.rows());
  }
  if (has(parts, Parts::curvature_rows)) {
    // slip rows have no curvature tangent: Newton at acceleration level converges linearly in them
    for (int i = 0; i < position_rows(); ++i) {
      copy_row(base_tangent_.kappa_q, multiplier(i), D.kappa_q, i);
      copy_row(base_tangent_.kappa_v, multiplier(i), D.kappa_v, i);
    }
  }
}

// Friction -L d of a slip u along d = u/|u| with T^T: its derivatives are L T^T (1 - d d^T)/|u| times those of u, with their sign
// turned
void ActiveView::add_turning(const State& s, const Vec& mu, Parts parts, Tangent& D) const {
  const Dim& dim = base_.dim();
  for (const int i : rows().evaluated) {
    const ContactLaw& of = law(i);
    if (!slides(i) || of.slips < 2) continue;
    double speed;
    const Direction d = direction(i, base_terms_, s.v, speed);
    if (speed == 0) continue;
    const double limit = of.limit(of.is_brake() ? 0 : mu[row_of(i)]);
    for (int k = 0; k < 2; ++k)
      for (int l = 0; l < 2; ++l) {
        const double turn = limit / speed * ((k == l ? 1 : 0) - d[k] * d[l]);
        base_terms_.T.for_each_in_row(of.slip + k, [&](int row, double t) {
          if (has(parts, Parts::force))
            base_terms_.T.for_each_in_row(of.slip + l, [&](int j, double x) { D.D.add(row, j, turn * t * x); });
          if (has(parts, of.is_brake() ? Parts::force : Parts::constraint))
            base_tangent_.V_q.for_each_in_row(dim.rows() + of.slip + l, [&](int j, double x) { if (x != 0) D.K.add(row, j, turn * t * x); });
        });
      }
  }
}

// slip rows have no position level
void ActiveView::position_terms(const State& s, const ContactSet*, Vec& largest) const {
  base_.position_terms(s, &rows().evaluated, scale_);
  take_positions(scale_, largest);
}

void ActiveView::row_scale(const State& s, const ContactSet*, Vec& one) const {
  base_.row_scale(s, &rows().evaluated, scale_);
  take_positions(scale_, one);
}

void ActiveView::take_positions(const Vec& of_system, Vec& of_rows) const {
  of_rows.setOnes(dim().rows());
  for (int i = 0; i < position_rows(); ++i) of_rows[i] = of_system[multiplier(i)];
}

// multipliers of the system and its own workspace
Energy ActiveView::energy(const State& s, Terms&) const {
  State whole = s;
  scatter(s.lambda, whole.lambda);
  return base_.energy(whole, base_terms_);
}

int ActiveView::derivatives(const State& s, int count, Mat& d) const {
  for (const Contact& c : contacts_)
    if (c.mode != ContactMode::open) return 0;
  return base_.derivatives(s, count, d);
}

}  // namespace escapement
