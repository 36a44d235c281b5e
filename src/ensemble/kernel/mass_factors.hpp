// A = L D L^T of a symmetric positive definite matrix, with the columns C = L D and the inverses of D
template <class K>
struct MassFactors {
  typename K::R L[K::most_v * (K::most_v + 1) / 2], inverse[K::most_v];
};

ESCAPEMENT_KERNEL constexpr int packed(int i, int j) { return i * (i + 1) / 2 + j; }

template <class K>
ESCAPEMENT_KERNEL typename K::B factor_mass(const K& k, MassFactors<K>& F) {
  using R = typename K::R;
  R C[K::most_v * (K::most_v + 1) / 2];
  const int n = k.nv();
  typename K::B regular = R(1.0) > R(0.0);
  ESCAPEMENT_UNROLL
  for (int j = 0; j < n; ++j) {
    R d = k.M(j, j);
    ESCAPEMENT_UNROLL
    for (int m = 0; m < j; ++m)
      if (k.coupled(j, m)) d = d - F.L[packed(j, m)] * C[packed(j, m)];
    regular = regular & (d > R(0.0));
    F.inverse[j] = R(1.0) / d;
    ESCAPEMENT_UNROLL
    for (int i = j + 1; i < n; ++i) {
      if (!k.coupled(i, j)) continue;
      R c = k.M(i, j);
      ESCAPEMENT_UNROLL
      for (int m = 0; m < j; ++m)
        if (k.coupled(i, m) && k.coupled(j, m)) c = c - F.L[packed(i, m)] * C[packed(j, m)];
      C[packed(i, j)] = c;
      F.L[packed(i, j)] = c * F.inverse[j];
    }
  }
  return regular;
}

template <class K>
ESCAPEMENT_KERNEL void solve_mass(const K& k, const MassFactors<K>& F, typename K::R* x) {
  const int n = k.nv();
  ESCAPEMENT_UNROLL
  for (int i = 0; i < n; ++i) {
    ESCAPEMENT_UNROLL
    for (int m = 0; m < i; ++m)
      if (k.coupled(i, m)) x[i] = x[i] - F.L[packed(i, m)] * x[m];
  }
  ESCAPEMENT_UNROLL
  for (int i = 0; i < n; ++i) x[i] = x[i] * F.inverse[i];
  ESCAPEMENT_UNROLL
  for (int i = n - 1; i >= 0; --i) {
    ESCAPEMENT_UNROLL
    for (int m = i + 1; m < n; ++m)
      if (k.coupled(m, i)) x[i] = x[i] - F.L[packed(m, i)] * x[m];
  }
}
