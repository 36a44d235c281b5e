#include "model/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace escapement {

namespace {
// unknowns of the saddle-point matrix from which block elimination beats dense LU
constexpr int sparse_from = 40;
}  // namespace

template <int D>
int Mechanism<D>::add(Body<D> body) {
  bodies_.push_back(std::move(body));
  return static_cast<int>(bodies_.size()) - 1;
}

template <int D>
int Mechanism<D>::add(Joint<D> joint) {
  joints_.push_back(std::move(joint));
  return static_cast<int>(joints_.size()) - 1;
}

template <int D>
void Mechanism<D>::add_contact(std::unique_ptr<RowGroup<D>> gap, ContactLaw law, std::unique_ptr<SlipRow<D>> slip) {
  law.slip = slip ? static_cast<int>(slips_.size()) : -1;
  unilateral_.push_back(std::move(gap));
  laws_.push_back(std::move(law));
  if (slip) slips_.push_back({std::move(slip), {}});
}

template <int D>
void Mechanism<D>::drive_angle(int joint, SignalPtr target) {
  Joint<D>& j = joints_[joint];
  if (!j.has_angle) throw std::invalid_argument("joint '" + j.name + "' has no angle");
  if constexpr (D == 2) {
    j.rows.push_back({"angle", {{1, relative_angle(j.a, j.b)}}, 0, std::move(target), false});
  } else {
    MeasurePtr<3> angle = angle_about(j.a, j.markers.zero, j.markers.quarter, j.b, j.markers.pointer, -1);
    j.rows.push_back({"angle", {{1, std::move(angle)}}, 0, std::move(target), true});
  }
}

template <int D>
void Mechanism<D>::drive_length(int joint, SignalPtr target) {
  Joint<D>& j = joints_[joint];
  if (!j.length) throw std::invalid_argument("joint '" + j.name + "' has no length");
  // a distance joint holds its length already: the drive takes that row's place
  if (j.rows.size() == 1 && j.rows[0].terms.size() == 1 && j.rows[0].terms[0].second == j.length) {
    j.rows[0].offset = 0;
    j.rows[0].target = std::move(target);
  } else {
    j.rows.push_back({"length", {{1, j.length}}, 0, std::move(target), false});
  }
}

template <int D>
void Mechanism<D>::set_pitch(int screw, double pitch) requires(D == 3) {
  if constexpr (D == 3) joints_[screw].rows.push_back(pitch_row(joints_[screw], angle(screw), pitch));
}

template <int D>
void Mechanism<D>::limit_angle(int joint, double least, double greatest, double restitution) {
  limit(joint, angle(joint), ".angle", least, greatest, restitution);
}

template <int D>
void Mechanism<D>::limit_length(int joint, double least, double greatest, double restitution) {
  if (!joints_[joint].length) throw std::invalid_argument("joint '" + joints_[joint].name + "' has no length");
  limit(joint, joints_[joint].length, ".length", least, greatest, restitution);
}

template <int D>
void Mechanism<D>::limit(int joint, const MeasurePtr<D>& coordinate, const std::string& what, double least,
                         double greatest, double restitution) {
  for (double sign : {1.0, -1.0}) {
    Joint<D> row;
    row.a = joints_[joint].a;
    row.b = joints_[joint].b;
    row.rows.push_back({"", {{sign, coordinate}}, sign > 0 ? least : -greatest});
    const std::string name = joints_[joint].name + what + (sign > 0 ? "_min" : "_max");
    add_contact(make_joint_rows(row), {name, restitution, 0, -1}, nullptr);
  }
}

template <int D>
void Mechanism<D>::rub(const std::string& name, MeasurePtr<D> coordinate, double size) {
  const Vector<D> zero = Vector<D>::Zero(), along = Vector<D>::Unit(0);
  Body<D> pad;
  pad.name = name + ".pad";
  pad.mass = std::exp2(std::round(std::log2(size)));  // a power of 2: nothing is lost in dividing by it, and it rests to the last bit
  pad.inertia *= pad.mass;
  const int body = add(pad);
  add(prismatic(pad.name, between(ground, body), zero, along));
  const MeasurePtr<D> lift = offset_along<D>(ground, along, zero, body, zero);
  add(make_measure_force<D>(lift, constant_force(-size - pad.mass * gravity_[0])));
  Joint<D> stop;
  stop.b = body;
  stop.rows.push_back({"", {{1, lift}}, 0});
  add_contact(make_joint_rows(stop), {name, 0, 1, -1}, make_measure_slip<D>(std::move(coordinate)));
}

template <int D>
Between<D> Mechanism<D>::between(int a, int b) const {
  Between<D> result;
  result.a = a;
  result.b = b;
  if (a != ground) result.pose_a = bodies_[a].pose;
  if (b != ground) result.pose_b = bodies_[b].pose;
  return result;
}

template <int D>
MeasurePtr<D> Mechanism<D>::angle(int joint) {
  const Joint<D>& j = joints_[joint];
  if (!j.has_angle) throw std::invalid_argument("joint '" + j.name + "' has no angle");
  if constexpr (D == 2) {
    return relative_angle(j.a, j.b);
  } else {
    for (const Turns& known : turns_)
      if (known.joint == joint) return known.angle;
    const int z = static_cast<int>(turns_.size());
    MeasurePtr<3> angle = angle_about(j.a, j.markers.zero, j.markers.quarter, j.b, j.markers.pointer, z);
    turns_.push_back({joint, angle});
    return angle;
  }
}

template <int D>
double Mechanism<D>::at_start(const Measure<D>& measure) const {
  std::vector<Frame<D>> frames(bodies_.size() + 1);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    frames[b + 1].x = bodies_[b].pose.x;
    frames[b + 1].R = bodies_[b].pose.R;
    if constexpr (D == 2) frames[b + 1].orientation[0] = bodies_[b].pose.angle;
  }
  const std::vector<double> z(turns_.size(), 0.0);  // spatial angles are 0 at the start
  return measure.value({frames.data(), 0, z.data(), nullptr});
}

template <int D>
State Mechanism<D>::start() const {
  State s = make_state(dim_);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Body<D>& body = bodies_[b];
    auto q = s.q.segment<places<D>>(places<D> * b);
    q.template head<D>() = body.pose.x;
    if constexpr (D == 2) {
      q[2] = body.pose.angle;
    } else {
      q.template tail<4>() = quaternion(Mat3(body.pose.R));
    }
    s.v.segment<width<D>>(width<D> * b) << body.velocity, body.angular_velocity;
  }
  return s;
}

template <int D>
std::vector<typename Mechanism<D>::DrivenTurn> Mechanism<D>::driven_turns() const {
  std::vector<DrivenTurn> list;
  int row = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    row += joints_[j].point ? D : 0;
    for (const JointRow<D>& one : joints_[j].rows) {
      if (one.periodic && one.target) {
        const auto counted = std::find_if(turns_.begin(), turns_.end(),
                                          [&](const Turns& turns) { return turns.joint == static_cast<int>(j); });
        std::vector<double> scratch(one.target->scratch_size());
        list.push_back({row, counted == turns_.end() ? -1 : static_cast<int>(counted - turns_.begin()),
                        one.offset + one.target->at(0, scratch.data())[0]});
      }
      ++row;
    }
  }
  return list;
}

template <int D>
void Mechanism<D>::finish(Storage storage) {
  const int n = static_cast<int>(bodies_.size());
  rows_.clear();
  joint_of_.clear();
  choice_ = {};
  driven_ = false;
  int row = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    rows_.push_back({make_joint_rows(joints_[j]), row, {}});
    row += rows_.back().group->count();
    joint_of_.resize(row, static_cast<int>(j));
    for (const JointRow<D>& r : joints_[j].rows) driven_ = driven_ || r.target;
  }
  dim_.q = n * places<D>;
  dim_.v = n * width<D>;
  dim_.z = static_cast<int>(turns_.size());
  dim_.bilateral = row;
  dim_.unilateral = static_cast<int>(unilateral_.size());
  dim_.slip = static_cast<int>(slips_.size());
  for (const auto& group : unilateral_) rows_.push_back({group, row++, {}});
  joint_of_.resize(dim_.multipliers(), -1);
  set_names();
  set_layouts(storage);
}

// a large mechanism may turn as far between two choices as a small one: lengths count over the longest arm of a body, to
// a joint or to a neighbour
template <int D>
void Mechanism<D>::set_weights() {
  double size = 1;
  for (const Joint<D>& joint : joints_) {
    if (joint.a != ground) size = std::max(size, joint.point_a.norm());
    if (joint.b != ground) size = std::max(size, joint.point_b.norm());
    if (joint.a != ground && joint.b != ground)
      size = std::max(size, (bodies_[joint.a].pose.x - bodies_[joint.b].pose.x).norm());
  }
  weight_.setOnes(dim_.v);
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) weight_.segment(width<D> * b, D).setConstant(1 / size);
}

template <int D>
void Mechanism<D>::leave_out_redundant_rows() {
  std::vector<char> driven(dim_.bilateral, 0);
  int row = 0;
  for (const Joint<D>& joint : joints_) {
    row += joint.point ? D : 0;
    for (const JointRow<D>& one : joint.rows) driven[row++] = one.target != nullptr;
  }
  choice_ = {};
  set_weights();
  choice_ = RowChoice(*this, start(), weight_, driven);
  if (!choice_.follows()) return;
  prepare(choice_terms_);
  place_ = start();
  chosen_at_ = place_.q;
  moved_.setZero(dim_.v);
}

template <int D>
bool Mechanism<D>::choose_rows(const State& s) const {
  if (!choice_.follows()) return false;
  evaluate_every_row(s, Need::jacobian, choice_terms_);
  const bool changed = choice_.choose(choice_terms_.G);
  const bool far = distance(chosen_at_, s.q) > 1;
  chosen_at_ = s.q;
  return changed || far;
}

template <int D>
double Mechanism<D>::distance(const Vec& q, const Vec& q1) const {
  difference(q, q1, moved_);
  return moved_.cwiseProduct(weight_).lpNorm<Eigen::Infinity>() / RowChoice::reach;
}

template <int D>
double Mechanism<D>::row_distance(const Vec& q, const Vec& q1) const {
  if (!choice_.follows()) return 0;
  place_.q = q1;
  evaluate_every_row(place_, Need::jacobian, choice_terms_);
  return std::max(distance(q, q1), choice_.strain(choice_terms_.G));
}

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
  for (const Turns& turns : turns_) names_.z.push_back(joints_[turns.joint].name + ".angle");
  for (const Joint<D>& joint : joints_) {
    if (joint.point)
      for (int i = 0; i < D; ++i) names_.multipliers.push_back(joint.name + "." + "xyz"[i]);
    for (const JointRow<D>& r : joint.rows)
      names_.multipliers.push_back(r.suffix.empty() ? joint.name : joint.name + "." + r.suffix);
  }
  for (const ContactLaw& law : laws_) names_.multipliers.push_back(law.name);
  for (const ContactLaw& law : laws_)
    if (law.slip >= 0) names_.multipliers.push_back(law.name + ".slip");
}

template <int D>
void Mechanism<D>::set_layouts(Storage storage) {
  const int n = static_cast<int>(bodies_.size());
  sparse_ = storage == Storage::sparse || (storage == Storage::automatic && dim_.v + dim_.rows() >= sparse_from);

  std::vector<BlockLayout::Clique> stiff, damped;
  for (const PlacedRows& one : rows_) stiff.push_back({one.group->bodies(), one.group->turns_only()});
  for (const PlacedSlip& one : slips_) stiff.push_back({one.slip->bodies()});
  for (const PlacedForce& one : forces_) {
    stiff.push_back({one.force->bodies()});
    damped.push_back({one.force->bodies()});
  }
  if constexpr (D == 3)  // gyroscopic terms
    for (int b = 0; b < n; ++b) damped.push_back({{b}, true});
  stiffness_layout_.build(n, D, width<D>, stiff, sparse_);
  damping_layout_.build(n, D, width<D>, damped, sparse_);

  std::size_t columns = width<D>, rows = 1, program = 0;
  std::vector<std::pair<int, int>> places_G, places_T, places_V;
  const auto place = [&](const std::vector<int>& bodies, int row, std::vector<std::pair<int, int>>& to) {
    for (int b : bodies)
      for (int c = 0; c < width<D>; ++c) to.emplace_back(row, width<D> * b + c);
  };
  for (PlacedRows& one : rows_) {
    one.blocks = stiffness_layout_.blocks(one.group->bodies());
    columns = std::max<std::size_t>(columns, one.group->columns());
    rows = std::max<std::size_t>(rows, one.group->count());
    program = std::max(program, one.group->scratch_size());
    for (int i = 0; i < one.group->count(); ++i) place(one.group->bodies(), one.row + i, places_G);
  }
  places_V = places_G;
  for (std::size_t k = 0; k < slips_.size(); ++k) {
    PlacedSlip& one = slips_[k];
    one.blocks = stiffness_layout_.blocks(one.slip->bodies());
    columns = std::max<std::size_t>(columns, one.slip->columns());
    program = std::max(program, one.slip->scratch_size());
    place(one.slip->bodies(), static_cast<int>(k), places_T);
    place(one.slip->bodies(), dim_.rows() + static_cast<int>(k), places_V);
  }
  for (PlacedForce& one : forces_) {
    one.blocks_K = stiffness_layout_.blocks(one.force->bodies());
    one.blocks_D = damping_layout_.blocks(one.force->bodies());
    columns = std::max<std::size_t>(columns, one.force->columns());
    program = std::max(program, one.force->scratch_size());
  }
  const auto make = [&](Matrix& matrix, int count, const std::vector<std::pair<int, int>>& places) {
    if (sparse_) {
      matrix.set_pattern(count, dim_.v, places);
    } else {
      matrix.resize(count, dim_.v);
    }
  };
  make(G_, dim_.rows(), places_G);
  make(T_, dim_.slip, places_T);
  make(V_, dim_.multipliers(), places_V);

  set_mass();
  local_at_ = (sizeof(Frame<D>) / sizeof(double)) * (bodies_.size() + 1);
  program_at_ = local_at_ + 2 * std::max(columns * columns, rows * columns);
  scratch_size_ = program_at_ + program;
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
  if (sparse_) {
    M_.set_pattern(dim_.v, dim_.v, places);
  } else {
    M_.resize(dim_.v, dim_.v);
  }
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

template <int D>
void Mechanism<D>::prepare(Terms& T) const {
  T.M = M_;
  T.G = G_;
  T.T = T_;
  T.f.setZero(dim_.v);
  T.zdot.setZero(dim_.z);
  T.g.setZero(dim_.rows());
  T.g_t.setZero(dim_.rows());
  T.kappa.setZero(dim_.rows());
  T.t0.setZero(dim_.slip);
  T.kappa_T.setZero(dim_.slip);
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

template class Mechanism<2>;
template class Mechanism<3>;

}  // namespace escapement
