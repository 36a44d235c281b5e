#include <algorithm>

#include "model/mechanism.hpp"

namespace escapement::inline model {

namespace {
// unknowns of the saddle-point matrix from which block elimination beats dense LU
constexpr int sparse_from = 40;
}  // namespace

template <int D>
void Mechanism<D>::set_names() {
  names_ = {};
  for (const Body<D>& body : bodies_) {
    const auto add = [&](std::vector<std::string>& list, std::initializer_list<const char*> suffixes) {
      for (const char* suffix : suffixes) list.push_back(body.name + "." + suffix);
    };
    if constexpr (D == 2) {
      add(names_.q, {"x", "y", "angle"});
      add(names_.v, {"x", "y", "angle"});
    } else {
      add(names_.q, {"x", "y", "z", "qw", "qx", "qy", "qz"});
      add(names_.v, {"vx", "vy", "vz", "wx", "wy", "wz"});
    }
  }
  names_.z = state_names_;
  for (const Turns& turns : turns_) names_.z.push_back(joints_[turns.joint].name + ".angle");
  for (const Joint<D>& joint : joints_) {
    if (joint.point)
      for (int i = 0; i < D; ++i) names_.multipliers.push_back(joint.name + "." + "xyz"[i]);
    for (const JointRow<D>& r : joint.rows)
      names_.multipliers.push_back(r.suffix.empty() ? joint.name : joint.name + "." + r.suffix);
  }
  for (int i = 0; i < dim_.unilateral; ++i) names_.multipliers.push_back(laws_[i].name);
  std::vector<const ContactLaw*> by_slip;
  for (const ContactLaw& law : laws_)
    if (law.slip >= 0) by_slip.push_back(&law);
  std::sort(by_slip.begin(), by_slip.end(), [](const ContactLaw* a, const ContactLaw* b) { return a->slip < b->slip; });
  for (const ContactLaw* law : by_slip) add_slip_names(*law, names_);
}

template <int D>
void Mechanism<D>::set_layouts(Storage storage) {
  sparse_ = storage == Storage::sparse || (storage == Storage::automatic && dim_.v + dim_.bilateral >= sparse_from);
  set_tangents();
  set_rows();
  set_mass();
  set_workspace();
}

// which bodies feel each other, in K and D
template <int D>
void Mechanism<D>::set_tangents() {
  const int n = static_cast<int>(bodies_.size());
  std::vector<BlockLayout::Clique> stiff, damped;
  for (const PlacedRows& one : rows_) stiff.push_back({one.group->bodies(), one.group->turns_only()});
  for (const PlacedSlip& one : slips_) stiff.push_back({one.slip->bodies()});
  for (const PlacedForce& one : forces_) {
    stiff.push_back({one.force->bodies()});
    if (one.force->is_damped()) damped.push_back({one.force->bodies()});
  }
  if constexpr (D == 3)  // gyroscopic terms
    for (int b = 0; b < n; ++b) damped.push_back({{b}, true});
  stiffness_layout_.build(n, D, width<D>, stiff, sparse_);
  damping_layout_.build(n, D, width<D>, damped, sparse_);

  for (PlacedRows& one : rows_) one.blocks = stiffness_layout_.blocks(one.group->bodies());
  for (PlacedSlip& one : slips_) one.blocks = stiffness_layout_.blocks(one.slip->bodies());
  for (PlacedForce& one : forces_) {
    one.blocks_K = stiffness_layout_.blocks(one.force->bodies());
    if (one.force->is_damped()) one.blocks_D = damping_layout_.blocks(one.force->bodies());
  }
}

// the places of G, T and of the tangents of both
template <int D>
void Mechanism<D>::set_rows() {
  std::vector<std::pair<int, int>> places_G, places_T, places_V;
  const auto place = [&](const std::vector<int>& bodies, int row, std::vector<std::pair<int, int>>& to) {
    for (int b : bodies)
      for (int c = 0; c < width<D>; ++c) to.emplace_back(row, width<D> * b + c);
  };
  for (const PlacedRows& one : rows_)
    for (int i = 0; i < one.group->count(); ++i) place(one.group->bodies(), one.row + i, places_G);
  places_V = places_G;
  for (int k = 0; k < dim_.slip; ++k) {
    place(slips_[k].slip->bodies(), k, places_T);
    place(slips_[k].slip->bodies(), dim_.rows() + k, places_V);
  }
  set_places(G_, dim_.rows(), places_G);
  set_places(T_, dim_.slip, places_T);
  set_places(V_, dim_.multipliers(), places_V);
}

template <int D>
void Mechanism<D>::set_places(Matrix& matrix, int rows, const std::vector<std::pair<int, int>>& places) const {
  if (sparse_) {
    matrix.set_pattern(rows, dim_.v, places);
  } else {
    matrix.resize(rows, dim_.v);
  }
}

// linear velocities alone on the diagonal, angular ones in blocks: the places of M and of the tangent of retract()
template <int D>
void Mechanism<D>::set_mass() {
  inertia_.clear();
  std::vector<std::pair<int, int>> places;
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    inertia_.push_back({bodies_[b].mass, bodies_[b].inertia});
    const int first = width<D> * b;
    for (int i = 0; i < D; ++i) places.emplace_back(first + i, first + i);
    for (int i = D; i < width<D>; ++i)
      for (int j = D; j < width<D>; ++j) places.emplace_back(first + i, first + j);
  }
  set_places(M_, dim_.v, places);
  if constexpr (D == 3) {
    retraction_ = M_;
    for (int i = 0; i < dim_.v; ++i) retraction_.add(i, i, 1);
  }
  for (auto [i, j] : places) {
    const Body<D>& body = bodies_[i / width<D>];
    const int r = i % width<D> - D, c = j % width<D> - D;
    M_.add(i, j, r < 0 ? body.mass : body.inertia(r, c));
  }
}

// frames of all bodies, two local matrices of the largest part, registers of the longest program
template <int D>
void Mechanism<D>::set_workspace() {
  std::size_t columns = width<D>, rows = 1, program = 0;
  const auto hold = [&](const auto& part) {
    columns = std::max<std::size_t>(columns, part.columns());
    program = std::max(program, part.scratch_size());
  };
  for (const PlacedRows& one : rows_) {
    hold(*one.group);
    rows = std::max<std::size_t>(rows, one.group->count());
  }
  for (const PlacedSlip& one : slips_) hold(*one.slip);
  for (const PlacedForce& one : forces_) {
    hold(*one.force);
    rows = std::max(rows, one.force->states().size());
  }
  if (state_rates_) program = std::max(program, state_rates_->scratch_size());
  local_at_ = (sizeof(Frame<D>) / sizeof(double)) * (bodies_.size() + 1);
  program_at_ = local_at_ + 2 * std::max(columns * columns, rows * columns);
  scratch_size_ = program_at_ + program;
}

template <int D>
void Mechanism<D>::prepare(Terms& T) const {
  T.M = M_;
  T.G = G_;
  T.T = T_;
  size_vectors(dim_, T);
  T.scratch.setZero(static_cast<Eigen::Index>(scratch_size_));
}

template <int D>
void Mechanism<D>::prepare(Tangent& T) const {
  T.K = stiffness_layout_.zero();
  T.D = damping_layout_.zero();
  T.V_q = V_;
  T.kappa_q = G_;
  T.kappa_v = G_;
  if constexpr (D == 3) T.retraction = retraction_;
  T.f_z.setZero(dim_.v, dim_.z);
  T.zdot_q.setZero(dim_.z, dim_.v);
  T.zdot_v.setZero(dim_.z, dim_.v);
  T.zdot_z.setZero(dim_.z, dim_.z);
  T.scratch.setZero(static_cast<Eigen::Index>(scratch_size_));
}

template void Mechanism<2>::set_names();
template void Mechanism<3>::set_names();
template void Mechanism<2>::set_layouts(Storage);
template void Mechanism<3>::set_layouts(Storage);
template void Mechanism<2>::prepare(Terms&) const;
template void Mechanism<3>::prepare(Terms&) const;
template void Mechanism<2>::prepare(Tangent&) const;
template void Mechanism<3>::prepare(Tangent&) const;

}  // namespace escapement
