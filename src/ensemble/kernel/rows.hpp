// Rows of a step: constraints hold, contacts obey 0 <= xi = W P + b  perp  P >= 0.

template <class K>
struct RowProblem {
  typename K::R x[K::most_rows * K::most_v];        // answers of the velocities to unit impulses
  typename K::R W[K::most_rows * K::most_rows];     // of a symmetric problem the lower half alone
  typename K::R b[K::most_rows], P[K::most_rows], xi[K::most_rows], before[K::most_rows];
  typename K::B closed[K::most_rows];  // the row takes part
  typename K::B held[K::most_rows];    // with xi = 0, whatever the sign of its impulse
  bool used[K::most_rows];             // for some member that is computed here
  typename K::R noise;                 // rounding that b carries
};

template <class K, bool symmetric>
ESCAPEMENT_KERNEL typename K::R response(const RowProblem<K>& p, int i, int j) {
  return p.W[symmetric && j > i ? j * K::most_rows + i : i * K::most_rows + j];
}

// Exchange all wrong rows at once until none is wrong; where that does not end, the first wrong one alone (Murty's least index).
// The linear systems are solved without exchange of rows: those outside the set, and those that depend on rows before them,
// have pivots of infinity, so to say. Returns the members without a solution
template <class K, bool symmetric>
ESCAPEMENT_KERNEL typename K::B solve_rows(const K& k, RowProblem<K>& p) {
  using R = typename K::R;
  using B = typename K::B;
  const int n = k.nb() + k.nu();
  const R dependent(64 * rounding_unit), zero(0.0);
  B in[K::most_rows];
  ESCAPEMENT_UNROLL
  for (int r = 0; r < n; ++r) in[r] = p.closed[r] & (p.held[r] | (p.b[r] < -p.noise));
  const int most = 8 + 4 * k.nu(), all_at_once = 6;
  B wrong = zero > zero;
  for (int pass = 0; pass < most; ++pass) {
    R C[K::most_rows * K::most_rows], inverse[K::most_rows];
    ESCAPEMENT_UNROLL
    for (int j = 0; j < n; ++j) {
      if (!p.used[j]) continue;
      R d = response<K, symmetric>(p, j, j), y = -p.b[j];
      ESCAPEMENT_UNROLL
      for (int m = 0; m < j; ++m) {
        if (!p.used[m]) continue;
        const R L = C[j * K::most_rows + m] * inverse[m];
        d = d - L * C[m * K::most_rows + j];
        y = y - L * p.P[m];
      }
      const B regular = in[j] & (d > dependent * response<K, symmetric>(p, j, j));
      inverse[j] = select(regular, R(1.0) / d, zero);
      p.P[j] = y;
      ESCAPEMENT_UNROLL
      for (int i = j + 1; i < n; ++i) {
        if (!p.used[i]) continue;
        R below = response<K, symmetric>(p, i, j), beside = response<K, symmetric>(p, j, i);
        ESCAPEMENT_UNROLL
        for (int m = 0; m < j; ++m) {
          if (!p.used[m]) continue;
          const R part = C[i * K::most_rows + m] * inverse[m];
          below = below - part * C[m * K::most_rows + j];
          if (!symmetric) beside = beside - C[j * K::most_rows + m] * inverse[m] * C[m * K::most_rows + i];
        }
        C[i * K::most_rows + j] = below;
        C[j * K::most_rows + i] = symmetric ? below : beside;
      }
    }
    ESCAPEMENT_UNROLL
    for (int j = n - 1; j >= 0; --j) {
      if (!p.used[j]) continue;
      R y = p.P[j];
      ESCAPEMENT_UNROLL
      for (int i = j + 1; i < n; ++i)
        if (p.used[i]) y = y - C[j * K::most_rows + i] * p.P[i];
      p.P[j] = y * inverse[j];
    }
    wrong = zero > zero;
    ESCAPEMENT_UNROLL
    for (int r = 0; r < n; ++r) {
      if (!p.used[r]) continue;
      R xi = p.b[r], terms = k.magnitude(p.b[r]);
      ESCAPEMENT_UNROLL
      for (int j = 0; j < n; ++j) {
        if (!p.used[j]) continue;
        const R term = response<K, symmetric>(p, r, j) * p.P[j];
        xi = xi + term;
        terms = terms + k.magnitude(term);
      }
      p.xi[r] = xi;
      if (r < k.nb()) continue;
      const B wanted = p.closed[r] & (p.held[r] | (in[r] & (!(p.P[r] < zero))) | ((!in[r]) & (xi < -(R(16 * rounding_unit) * terms + p.noise))));
      const B change = wanted != in[r];
      in[r] = in[r] != (change & (pass < all_at_once ? change : !wrong));
      wrong = wrong | change;
    }
    if (!any(wrong)) break;
  }
  return wrong;
}
