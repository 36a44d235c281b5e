// The energy of an element is length/2 * strain^T C strain.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/beam.hpp"
#include "model/plane_beam_strain.hpp"

namespace escapement::inline model {

namespace {

template <int D>
Frame<D> frame_of(const Pose<D>& pose) {
  Frame<D> frame;
  frame.x = pose.x;
  frame.R = pose.R;
  if constexpr (D == 2) {
    frame.orientation[0] = pose.angle;
  } else {
    frame.orientation = quaternion(Mat3(pose.R));
  }
  return frame;
}

// columns of both nodes: x_a, theta_a, x_b, theta_b
template <int D, class Reduced>
void add_forces(const BeamStrain<D>& at, const Reduced& r, double sign, double* f) {
  const Vector<D> pull = sign * (at.R * r.template head<D>());
  Eigen::Map<Vector<D>>{f} -= pull;
  Eigen::Map<Vector<D>>{f + width<D>} += pull;
  Eigen::Map<Angular<D>>{f + D} += sign * r.template segment<angular<D>>(D);
  Eigen::Map<Angular<D>>{f + width<D> + D} += sign * r.template tail<angular<D>>();
}

// the same for a matrix over the increments of BeamStrain, from both sides
template <int D, class Reduced>
void add_block(const BeamStrain<D>& at, const Reduced& k, double* K) {
  constexpr int n = 2 * width<D>, a = angular<D>;
  const Eigen::Matrix<double, D, D> pulled = at.R * k.template topLeftCorner<D, D>() * at.R.transpose();
  const Eigen::Matrix<double, D, 2 * a> turned = at.R * k.template topRightCorner<D, 2 * a>();
  const Eigen::Matrix<double, 2 * a, D> bent = k.template bottomLeftCorner<2 * a, D>() * at.R.transpose();
  Eigen::Map<Eigen::Matrix<double, n, n, Eigen::RowMajor>> all(K);
  // u grows with x_b and falls with x_a
  const auto put = [&](int row, int col, double row_sign, double col_sign) {
    auto block = all.template block<width<D>, width<D>>(width<D> * row, width<D> * col);
    block.template topLeftCorner<D, D>() += row_sign * col_sign * pulled;
    block.template topRightCorner<D, a>() += row_sign * turned.template middleCols<a>(a * col);
    block.template bottomLeftCorner<a, D>() += col_sign * bent.template middleRows<a>(a * row);
    block.template bottomRightCorner<a, a>() += k.template block<a, a>(D + a * row, D + a * col);
  };
  put(0, 0, -1, -1);
  put(0, 1, -1, 1);
  put(1, 0, 1, -1);
  put(1, 1, 1, 1);
}

}  // namespace

template <int D>
const double BeamElement<D>::largest_turn = (D == 2 ? 1 : 0.95) * std::numbers::pi;

template <int D>
BeamElement<D>::BeamElement(int a, int b, const Pose<D>& pose_a, const Pose<D>& pose_b, double length,
                            const BeamSection<D>& section)
    : length_(length), damping_(section.damping), tension_only_(section.tension_only) {
  this->bodies_ = {a, b};
  stiffness_ << section.stretching, section.bending;
  // 1/GA* = 1/GA + L^2/(12 EI): shear along 2 goes with bending about 3, shear along 3 with bending about 2. Not of cables: they
  // hardly resist bending, and would turn their sections across and give way wherever the tension is more than 12 EI/L^2
  const auto correct = [&](int shear, int bend) {
    if (tension_only_) return;
    stiffness_[shear] = 1 / (1 / stiffness_[shear] + length * length / (12 * stiffness_[bend]));
  };
  if constexpr (D == 2) {
    correct(1, 2);
  } else {
    correct(1, 5);
    correct(2, 4);
  }
  rest_ = BeamStrain<D>(frame_of(pose_a), frame_of(pose_b)).strain(length);
}

// viscous and rate mean nothing without damping
template <int D>
[[gnu::always_inline]] inline typename BeamElement<D>::Stress BeamElement<D>::stress(const BeamStrain<D>& at, const Frame<D>& a,
                                                       const Frame<D>& b) const {
  Stress out;
  out.strain = at.strain(length_) - rest_;
  out.elastic = stiffness_;
  if (damping_ > 0 || tension_only_) {
    if (damping_ > 0) {
      out.viscous = damping_ * stiffness_;
      out.rate = at.slope() * at.rate(a, b) / length_;
    }
    // a cable never pushes, and its tension comes and goes without a jump
    if (const double lag = damping_ > 0 ? damping_ * out.rate[0] : 0; tension_only_ && !(std::abs(lag) < out.strain[0])) {
      out.elastic[0] *= out.strain[0] > 0 && lag > 0 ? 2 : 0;
      out.viscous[0] = 0;
    }
  }
  out.force = out.elastic.cwiseProduct(out.strain);
  if (damping_ > 0) out.force += out.viscous.cwiseProduct(out.rate);
  if (at.turn() > largest_turn) out.force.setConstant(std::numeric_limits<double>::quiet_NaN());
  return out;
}

template <int D>
double BeamElement<D>::turn(const Motion<D>& m) const {
  return BeamStrain<D>(m[this->bodies_[0]], m[this->bodies_[1]]).turn();
}

template <int D>
SectionForce<D> BeamElement<D>::section_force(const Motion<D>& m) const {
  const Frame<D>&a = m[this->bodies_[0]], &b = m[this->bodies_[1]];
  const Stress section = stress(BeamStrain<D>(a, b), a, b);
  return {section.force, section.strain};
}

template <int D>
void BeamElement<D>::add(const Motion<D>& m, double* f) const {
  const Frame<D>&a = m[this->bodies_[0]], &b = m[this->bodies_[1]];
  const BeamStrain<D> at(a, b);
  add_forces<D>(at, at.pull(stress(at, a, b).force), -1, f);
}

// -f = J^T S^T sigma with J = gradient, S = slope, sigma = C strain + C_v rate, rate = S J v/length
template <int D>
void BeamElement<D>::subtract_tangent(const Motion<D>& m, double* K, double* D_v) const {
  using Strains = BeamStrain<D>;
  const Frame<D>&a = m[this->bodies_[0]], &b = m[this->bodies_[1]];
  const Strains at(a, b);
  const Stress section = stress(at, a, b);
  if constexpr (D == 2)
    if (damping_ == 0) return at.put_stiffness(section.force, section.elastic / length_, K);
  typename Strains::Full k = at.stiffness(section.force, section.elastic / length_);
  if (damping_ > 0) {
    const typename Strains::Square S = at.slope();
    const typename Strains::Wide J = at.gradient();
    const typename Strains::Strain C_v = section.viscous / length_;
    const typename Strains::Tall viscous = J.transpose() * (S.transpose() * C_v.asDiagonal());
    k += viscous * (at.sway(at.rate(a, b)) * J + S * at.drift(a, b));
    add_block<D>(at, (viscous * (S * J)).eval(), D_v);
  }
  add_block<D>(at, k, K);
}

template <int D>
double BeamElement<D>::potential(const Motion<D>& m) const {
  Velocity<D> strain = section_force(m).strain;
  if (tension_only_) strain[0] = std::max(0.0, strain[0]);
  return 0.5 * length_ * strain.dot(stiffness_.cwiseProduct(strain));
}

template <int D>
double BeamElement<D>::power(const Motion<D>& m) const {
  if (damping_ == 0) return 0;
  const Frame<D>&a = m[this->bodies_[0]], &b = m[this->bodies_[1]];
  const Stress section = stress(BeamStrain<D>(a, b), a, b);
  Velocity<D> viscous = section.force - stiffness_.cwiseProduct(section.strain);
  if (tension_only_ && !(section.strain[0] > 0)) viscous[0] = 0;
  return -length_ * section.rate.dot(viscous);
}

template class BeamElement<2>;
template class BeamElement<3>;

}  // namespace escapement
