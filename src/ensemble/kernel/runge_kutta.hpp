// Explicit Runge-Kutta methods, without constraints and contacts.

struct TableauRk4 {
  static constexpr int stages = 4;
  ESCAPEMENT_KERNEL static constexpr double c(int i) { return i == 0 ? 0.0 : i < 3 ? 0.5 : 1.0; }
  ESCAPEMENT_KERNEL static constexpr double a(int i, int j) {  // the last row holds the weights
    constexpr double table[5][4] = {{0, 0, 0, 0}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {0, 0, 1, 0}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
    return table[i][j];
  }
};

// schemes/hem5_tableau.hpp
struct TableauHem5 {
  static constexpr int stages = 8;
  ESCAPEMENT_KERNEL static constexpr double c(int i) {
    constexpr double table[9] = {0.0, 0.1, 0.15, 0.3614787346573635, 0.08535584335486351, 0.5, 0.8, 1.0, 1.0};
    return table[i];
  }
  ESCAPEMENT_KERNEL static constexpr double a(int i, int j) {
    constexpr double table[9][8] = {
        {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
        {0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
        {0.03749999999999999, 0.1125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
        {0.3222169236216038, -1.188883322987607, 1.228145134023366, 0.0, 0.0, 0.0, 0.0, 0.0},
        {-0.03501123898129943, 0.3725420601086163, -0.2721053535582034, 0.01993037578575077, 0.0, 0.0, 0.0, 0.0},
        {-0.5576547055042005, 1.367307289645883, -1.732236360460725, 0.4587772007467548, 0.963806575572288, 0.0, 0.0, 0.0},
        {0.08654517193566155, -0.08810082847945416, 0.1981275547329404, -0.4645422679331083, 0.1615170091109488, 0.9064533606330119, 0.0, 0.0},
        {0.0, 0.0, 0.0, 3.624477248753816, -0.4617724189181256, -3.198024628164272, 1.03531979832874, 0.0},
        {0.0, 0.0, 0.0, 0.2467760667636791, 0.2106594087489728, 0.1769218149125021, 0.3064446444147922, 0.05919806516005373},
    };
    return table[i][j];
  }
};

template <class K, class Tableau>
struct RungeKutta {
  using R = typename K::R;

  ESCAPEMENT_KERNEL static typename K::B acceleration(K& k, double t, const R* q, const R* v, R* vdot) {
    k.terms(t, q, v);
    MassFactors<K> F;
    const typename K::B regular = factor_mass(k, F);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) vdot[i] = k.f(i);
    solve_mass(k, F, vdot);
    return regular;
  }

  // Y_i = y_n + h sum_j a_ij Ydot_j
  ESCAPEMENT_KERNEL static void lead(const K& k, double h, int row, int count, const MemberState<K>& s, const R* qdot, const R* vdot, R* q, R* v) {
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) {
      q[i] = s.q[i];
      v[i] = s.v[i];
    }
    ESCAPEMENT_UNROLL
    for (int j = 0; j < count; ++j) {
      if (Tableau::a(row, j) == 0) continue;
      const R weight(h * Tableau::a(row, j));
      ESCAPEMENT_UNROLL
      for (int i = 0; i < k.nv(); ++i) {
        q[i] = q[i] + weight * qdot[j * K::most_v + i];
        v[i] = v[i] + weight * vdot[j * K::most_v + i];
      }
    }
  }

  ESCAPEMENT_KERNEL static void step(K& k, double t, double h, const MemberState<K>& s, MemberState<K>& s1, MemberTally<K>& tally) {
    R qdot[Tableau::stages * K::most_v], vdot[Tableau::stages * K::most_v], q[K::most_v], v[K::most_v];
    ESCAPEMENT_UNROLL
    for (int i = 0; i < Tableau::stages; ++i) {
      lead(k, h, i, i, s, qdot, vdot, q, v);
      fail_where<K>(!acceleration(k, t + Tableau::c(i) * h, q, v, vdot + i * K::most_v), failed_singular, t, tally);
      ESCAPEMENT_UNROLL
      for (int j = 0; j < k.nv(); ++j) qdot[i * K::most_v + j] = v[j];
    }
    lead(k, h, Tableau::stages, Tableau::stages, s, qdot, vdot, s1.q, s1.v);
  }

  // quintic Hermite polynomial through q, v and v' of both ends
  ESCAPEMENT_KERNEL static void between(K& k, double t, double h, double x, const MemberState<K>& s, const MemberState<K>& s1, R* q, R* v) {
    R a0[K::most_v], a1[K::most_v];
    acceleration(k, t, s.q, s.v, a0);
    acceleration(k, t + h, s1.q, s1.v, a1);
    const double x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
    const double e1 = 10 * x3 - 15 * x4 + 6 * x5, e0 = 1 - e1, b0 = x - 6 * x3 + 8 * x4 - 3 * x5, b1 = -4 * x3 + 7 * x4 - 3 * x5;
    const double c0 = 0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5, c1 = 0.5 * x3 - x4 + 0.5 * x5;
    const double da = 30 * x2 - 60 * x3 + 30 * x4, db0 = 1 - 18 * x2 + 32 * x3 - 15 * x4, db1 = -12 * x2 + 28 * x3 - 15 * x4;
    const double dc0 = x - 4.5 * x2 + 6 * x3 - 2.5 * x4, dc1 = 1.5 * x2 - 4 * x3 + 2.5 * x4;
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) {
      q[i] = R(e0) * s.q[i] + R(e1) * s1.q[i] + R(h) * (R(b0) * s.v[i] + R(b1) * s1.v[i]) + R(h * h) * (R(c0) * a0[i] + R(c1) * a1[i]);
      v[i] = R(da / h) * (s1.q[i] - s.q[i]) + R(db0) * s.v[i] + R(db1) * s1.v[i] + R(h) * (R(dc0) * a0[i] + R(dc1) * a1[i]);
    }
  }
};
