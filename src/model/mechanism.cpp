#include "model/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/collision/touch_search.hpp"

namespace escapement::inline model {

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
void Mechanism<D>::add_contact(std::unique_ptr<RowGroup<D>> gap, ContactLaw law, std::vector<std::unique_ptr<SlipRow<D>>> slips) {
  unilateral_.push_back(std::move(gap));
  add_slips(law, std::move(slips));
  laws_.push_back(std::move(law));
}

template <int D>
void Mechanism<D>::add_slips(ContactLaw& law, std::vector<std::unique_ptr<SlipRow<D>>> slips) {
  law.slip = slips.empty() ? -1 : static_cast<int>(slips_.size());
  law.slips = std::max(1, static_cast<int>(slips.size()));
  for (auto& slip : slips) slips_.push_back({std::move(slip), {}});
}

template <int D>
void Mechanism<D>::set_states(std::unique_ptr<const StateRates<D>> rates, std::vector<double> start) {
  state_rates_ = std::move(rates);
  state_start_ = std::move(start);
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
    add_contact(make_joint_rows(row), {name, restitution}, nullptr);
  }
}

template <int D>
void Mechanism<D>::add_brake(const std::string& name, MeasurePtr<D> coordinate, double size) {
  ContactLaw law{name};
  law.brake = size;
  add_brake(std::move(law), std::move(coordinate));
}

template <int D>
void Mechanism<D>::add_brake(const std::string& name, MeasurePtr<D> coordinate, int joint, double friction) {
  ContactLaw law{name};
  law.friction = friction;
  law.joint_row = joint;
  law.joint_rows = joints_[static_cast<std::size_t>(joint)].force_rows;
  add_brake(std::move(law), std::move(coordinate));
}

template <int D>
void Mechanism<D>::add_brake(ContactLaw law, MeasurePtr<D> coordinate) {
  std::vector<std::unique_ptr<SlipRow<D>>> slips;
  slips.push_back(make_measure_slip<D>(std::move(coordinate)));
  add_slips(law, std::move(slips));
  brakes_.push_back(std::move(law));
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
    const int z = turn_at(turns_.size());
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
  const std::vector<double> z(state_names_.size() + turns_.size(), 0.0);  // spatial angles are within half a turn at the start
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
  for (std::size_t k = 0; k < state_start_.size(); ++k) s.z[static_cast<int>(k)] = state_start_[k];
  for (std::size_t i = 0; i < turns_.size(); ++i) s.z[static_cast<Eigen::Index>(i)] = at_start(*turns_[i].angle);
  return s;
}

template <int D>
std::vector<typename Mechanism<D>::DrivenTurn> Mechanism<D>::driven_turns(double start_time) const {
  std::vector<DrivenTurn> list;
  int row = 0;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    row += joints_[j].point ? D : 0;
    for (const JointRow<D>& one : joints_[j].rows) {
      if (one.periodic && one.target) {
        const auto counted = std::find_if(turns_.begin(), turns_.end(),
                                          [&](const Turns& turns) { return turns.joint == static_cast<int>(j); });
        std::vector<double> scratch(one.target->scratch_size());
        list.push_back({row, counted == turns_.end() ? -1 : turn_at(static_cast<std::size_t>(counted - turns_.begin())),
                        one.offset + one.target->at(start_time, scratch.data())[0] - at_start(*one.terms[0].second)});
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
  dim_.z = turn_at(turns_.size());
  dim_.states = turn_at(0);
  dim_.bilateral = row;
  dim_.unilateral = static_cast<int>(unilateral_.size());
  dim_.slip = static_cast<int>(slips_.size());
  for (const auto& group : unilateral_) rows_.push_back({group, row++, {}});
  for (ContactLaw& law : brakes_)
    if (law.follows()) law.joint_row = rows_[static_cast<std::size_t>(law.joint_row)].row;
  laws_.insert(laws_.end(), brakes_.begin(), brakes_.end());
  brakes_.clear();
  joint_of_.resize(dim_.multipliers(), -1);
  set_names();
  set_layouts(storage);
  set_scale();
}

// angles and quaternions count as they are
template <int D>
void Mechanism<D>::set_scale() {
  one_ = {};
  if (length_scale_ == 0) return;
  one_.of_q.assign(dim_.q, 1);
  one_.of_v.assign(dim_.v, 1);
  for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
    std::fill_n(one_.of_q.begin() + places<D> * b, D, length_scale_);
    std::fill_n(one_.of_v.begin() + width<D> * b, D, length_scale_);
  }
}

// a large mechanism may turn as far between two choices as a small one: lengths count over the longest arm of a body, to
// a joint or to a neighbour
template <int D>
void Mechanism<D>::set_weights() {
  double size = length_scale_ > 0 ? length_scale_ : 1;
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
void Mechanism<D>::find_redundant_rows() {
  std::vector<char> driven(dim_.bilateral, 0);
  int row = 0;
  for (const Joint<D>& joint : joints_) {
    row += joint.point ? D : 0;
    for (const JointRow<D>& one : joint.rows) driven[row++] = one.target != nullptr;
  }
  set_weights();
  choice_ = RowChoice(*this, start(), weight_, driven);
}

template <int D>
RowSelection Mechanism<D>::first_rows() const {
  RowSelection rows = choice_.at_start();
  if (!choice_.follows()) return rows;
  prepare(rows.terms);
  rows.q = start().q;
  rows.moved.setZero(dim_.v);
  return rows;
}

template <int D>
void Mechanism<D>::select_rows(const State& s, const RowSelection& before, RowSelection& now) const {
  if (!choice_.follows()) return;
  evaluate(s, Need::jacobian, now.terms);
  choice_.select(now.terms.G, before, now);
  difference(before.q, s.q, now.moved);
  now.strain = std::max(now.strain, now.moved.cwiseProduct(weight_).template lpNorm<Eigen::Infinity>() / RowChoice::reach);
  now.q = s.q;
}

template <int D>
std::unique_ptr<ContactSearch> Mechanism<D>::make_search() const {
  if (touching_.empty()) return nullptr;
  return std::make_unique<TouchSearch<D>>(touching_);
}

template class Mechanism<2>;
template class Mechanism<3>;

}  // namespace escapement
