// Moreau's midpoint rule written by hand for the slider-crank with clearance of [004]: what schemes and ensembles are compared with.
#pragma once

#include <algorithm>
#include <cmath>

namespace escapement {

// [004] (8)-(13) with the numbers of Table 1; the two corners at one wall make the largest contact problem
class ByHand {
 public:
  static constexpr double h = 1e-5;
  double q[3] = {0, 0, 0}, v[3] = {150, -75, 0};

  void step() {
    const double q1 = q[0] + 0.5 * h * v[0], q2 = q[1] + 0.5 * h * v[1], q3 = q[2] + 0.5 * h * v[2];
    const double s1 = std::sin(q1), c1 = std::cos(q1), s2 = std::sin(q2), c2 = std::cos(q2), s3 = std::sin(q3), c3 = std::cos(q3);
    const double s12 = std::sin(q1 - q2), c12 = std::cos(q1 - q2);

    // free motion
    const double M12 = coupling * c12, det = 1 / (M11 * M22 - M12 * M12);
    const double f1 = -coupling * s12 * v[1] * v[1] - weight1 * c1, f2 = coupling * s12 * v[0] * v[0] - weight2 * c2;
    double w1 = v[0] + h * det * (M22 * f1 - M12 * f2), w2 = v[1] + h * det * (M11 * f2 - M12 * f1), w3 = v[2];

    // corners at the upper wall (side 1) or at the lower one (side -1): gap = d/2 - side (y -+ a s3) - b c3
    const double y = l1 * s1 + l2 * s2, lift = 0.5 * d - b * c3;
    const double side = y > 0 ? 1 : -1, g1 = lift - side * (y - a * s3), g2 = lift - side * (y + a * s3);
    if (g1 <= 0 || g2 <= 0) {
      const double G1 = -side * l1 * c1, G2 = -side * l2 * c2;
      const double x1 = det * (M22 * G1 - M12 * G2), x2 = det * (M11 * G2 - M12 * G1);  // M^-1 G^T
      const double Ga = side * a * c3 + b * s3, Gb = -side * a * c3 + b * s3;
      const double common = G1 * x1 + G2 * x2, before = G1 * v[0] + G2 * v[1], after = G1 * w1 + G2 * w2;
      const double Waa = common + Ga * Ga / J3, Wbb = common + Gb * Gb / J3, Wab = common + Ga * Gb / J3;
      const double ra = after + Ga * w3 + e * (before + Ga * v[2]), rb = after + Gb * w3 + e * (before + Gb * v[2]);
      double Pa = 0, Pb = 0;
      if (g1 <= 0 && g2 <= 0) {
        const double D = Waa * Wbb - Wab * Wab;
        Pa = (Wab * rb - Wbb * ra) / D;
        Pb = (Wab * ra - Waa * rb) / D;
        if (Pa < 0 || Pb < 0) {
          Pa = std::max(0.0, -ra / Waa);
          Pb = 0;
          if (rb + Wab * Pa < 0) Pa = 0, Pb = std::max(0.0, -rb / Wbb);
        }
      } else if (g1 <= 0) {
        Pa = std::max(0.0, -ra / Waa);
      } else {
        Pb = std::max(0.0, -rb / Wbb);
      }
      w1 += x1 * (Pa + Pb);
      w2 += x2 * (Pa + Pb);
      w3 += (Ga * Pa + Gb * Pb) / J3;
    }
    q[0] += 0.5 * h * (v[0] + w1);
    q[1] += 0.5 * h * (v[1] + w2);
    q[2] += 0.5 * h * (v[2] + w3);
    v[0] = w1;
    v[1] = w2;
    v[2] = w3;
  }

 private:
  static constexpr double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, d = 0.051, m1 = 0.038, m2 = 0.038, m3 = 0.076;
  static constexpr double J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81, e = 0.1;
  static constexpr double M11 = J1 + l1 * l1 * (m1 / 4 + m2 + m3), M22 = J2 + l2 * l2 * (m2 / 4 + m3);
  static constexpr double coupling = l1 * l2 * (m2 / 2 + m3), weight1 = g * l1 * (m1 / 2 + m2 + m3), weight2 = g * l2 * (m2 / 2 + m3);
};

}  // namespace escapement
