// The energy of an element is length/2 * strain^T C strain.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/beam.hpp"
#include "model/beam_strain.hpp"

namespace escapement {

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
  Eigen::Matrix<double, D + 2 * a, n> half;  // columns of the nodes
  const Eigen::Matrix<double, D + 2 * a, D> pulled = k.template leftCols<D>() * at.R.transpose();
  half << -pulled, k.template middleCols<a>(D), pulled, k.template rightCols<a>();
  const Eigen::Matrix<double, D, n> pull = at.R * half.template topRows<D>();
  Eigen::Map<Eigen::Matrix<double, n, n, Eigen::RowMajor>> all(K);
  all.template topRows<D>() -= pull;
  all.template middleRows<a>(D) += half.template middleRows<a>(D);
  all.template middleRows<D>(width<D>) += pull;
  all.template bottomRows<a>() += half.template bottomRows<a>();
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
  // 1/GA* = 1/GA + L^2/(12 EI): shear along 2 goes with bending about 3, shear along 3 with bending about 2
  const auto correct = [&](int shear, int bend) {
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

template <int D>
typename BeamElement<D>::Stress BeamElement<D>::stress(const BeamStrain<D>& at, const Frame<D>& a,
                                                       const Frame<D>& b) const {
  Stress out;
  out.strain = at.strain(length_) - rest_;
  out.elastic = stiffness_;
  out.viscous = damping_ * stiffness_;
  out.rate.setZero();
  if (damping_ > 0) out.rate = at.slope() * at.rate(a, b) / length_;
  // a cable never pushes, and its tension comes and goes without a jump
  if (const double lag = damping_ * out.rate[0]; tension_only_ && !(std::abs(lag) < out.strain[0])) {
    out.elastic[0] *= out.strain[0] > 0 && lag > 0 ? 2 : 0;
    out.viscous[0] = 0;
  }
  out.force = out.elastic.cwiseProduct(out.strain) + out.viscous.cwiseProduct(out.rate);
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
  const typename BeamStrain<D>::Strain e = at.slope().transpose() * stress(at, a, b).force;
  add_forces<D>(at, (at.gradient().transpose() * e).eval(), -1, f);
}

// -f = J^T S^T sigma with J = gradient, S = slope, sigma = C strain + C_v rate, rate = S J v/length
template <int D>
void BeamElement<D>::subtract_tangent(const Motion<D>& m, double* K, double* D_v) const {
  using Strains = BeamStrain<D>;
  const Frame<D>&a = m[this->bodies_[0]], &b = m[this->bodies_[1]];
  const Strains at(a, b);
  const Stress section = stress(at, a, b);
  const typename Strains::Strain sigma = section.force, C = section.elastic / length_, C_v = section.viscous / length_;
  const typename Strains::Square S = at.slope();
  const typename Strains::Wide J = at.gradient();
  const typename Strains::Strain e = S.transpose() * sigma;
  typename Strains::Square E = at.bend(sigma) + S.transpose() * C.asDiagonal() * S;
  typename Strains::Tall left = at.turning(e);
  if (damping_ > 0) E += S.transpose() * C_v.asDiagonal() * at.sway(at.rate(a, b));
  left += J.transpose() * E;
  typename Strains::Full k = left * J;
  k.template topRightCorner<D, 2 * angular<D>>() += at.lift(e);
  if (damping_ > 0) {
    const typename Strains::Tall viscous = J.transpose() * (S.transpose() * C_v.asDiagonal() * S);
    k += viscous * at.drift(a, b);
    add_block<D>(at, (viscous * J).eval(), D_v);
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
