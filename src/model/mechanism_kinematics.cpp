// Coordinates and velocities of bodies: only these functions know that a spatial body has 7 of the one and 6 of the
// other.
#include "model/mechanism.hpp"

namespace escapement::inline model {

template <int D>
void Mechanism<D>::rate(const Vec& q, const Vec& v, Vec& qdot) const {
  if constexpr (D == 2) {
    qdot = v;
  } else {
    qdot.resize(dim_.q);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      qdot.segment<3>(7 * b) = v.segment<3>(6 * b);
      qdot.segment<4>(7 * b + 3) = quaternion_rate(q.segment<4>(7 * b + 3), v.segment<3>(6 * b + 3));
    }
  }
}

template <int D>
void Mechanism<D>::rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const {
  if constexpr (D == 2) {
    qddot = vdot;
  } else {
    qddot.resize(dim_.q);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Vec4 p = q.segment<4>(7 * b + 3);
      const Vec3 w = v.segment<3>(6 * b + 3);
      qddot.segment<3>(7 * b) = vdot.segment<3>(6 * b);
      qddot.segment<4>(7 * b + 3) =
          quaternion_rate(p, vdot.segment<3>(6 * b + 3)) + quaternion_rate(quaternion_rate(p, w), w);
    }
  }
}

template <int D>
void Mechanism<D>::normalize(Vec& q) const {
  if constexpr (D == 3)
    for (std::size_t b = 0; b < bodies_.size(); ++b) q.segment<4>(7 * b + 3).normalize();
}

template <int D>
void Mechanism<D>::retract(const Vec& q, const Vec& dx, Vec& q1) const {
  if constexpr (D == 2) {
    q1 = q + dx;
  } else {
    q1.resize(dim_.q);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      q1.segment<3>(7 * b) = q.segment<3>(7 * b) + dx.segment<3>(6 * b);
      q1.segment<4>(7 * b + 3) = product(q.segment<4>(7 * b + 3), rotation_exp(dx.segment<3>(6 * b + 3))).normalized();
    }
  }
}

template <int D>
void Mechanism<D>::difference(const Vec& q, const Vec& q1, Vec& dx) const {
  if constexpr (D == 2) {
    dx = q1 - q;
  } else {
    dx.resize(dim_.v);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      dx.segment<3>(6 * b) = q1.segment<3>(7 * b) - q.segment<3>(7 * b);
      dx.segment<3>(6 * b + 3) = rotation_log(product(conjugate(q.segment<4>(7 * b + 3)), q1.segment<4>(7 * b + 3)));
    }
  }
}

template <int D>
bool Mechanism<D>::retract_tangent(const Vec& dx, Matrix& T) const {
  if constexpr (D == 2) {
    return false;
  } else {
    if (T.version() != retraction_.version()) T = retraction_;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Mat3 turned = rotation_tangent(dx.segment<3>(6 * b + 3));
      if (sparse_) {
        // stored per body: 3 diagonal entries of the position, then 9 of the rotation
        double* to = T.value().data() + 12 * b + 3;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) *to++ = turned(i, j);
      } else {
        T.dense().block<3, 3>(6 * b + 3, 6 * b + 3) = turned;
      }
    }
    return true;
  }
}

template void Mechanism<2>::rate(const Vec&, const Vec&, Vec&) const;
template void Mechanism<3>::rate(const Vec&, const Vec&, Vec&) const;
template void Mechanism<2>::rate2(const Vec&, const Vec&, const Vec&, Vec&) const;
template void Mechanism<3>::rate2(const Vec&, const Vec&, const Vec&, Vec&) const;
template void Mechanism<2>::normalize(Vec&) const;
template void Mechanism<3>::normalize(Vec&) const;
template void Mechanism<2>::retract(const Vec&, const Vec&, Vec&) const;
template void Mechanism<3>::retract(const Vec&, const Vec&, Vec&) const;
template void Mechanism<2>::difference(const Vec&, const Vec&, Vec&) const;
template void Mechanism<3>::difference(const Vec&, const Vec&, Vec&) const;
template bool Mechanism<2>::retract_tangent(const Vec&, Matrix&) const;
template bool Mechanism<3>::retract_tangent(const Vec&, Matrix&) const;

}  // namespace escapement
