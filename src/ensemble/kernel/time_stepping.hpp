// What time-stepping schemes share: contacts of a step at velocity level, and what lies between the ends of a step.

// v1 = v + h M^-1 f with the present forces
template <class K>
ESCAPEMENT_KERNEL void move_freely(const K& k, const MassFactors<K>& F, double h, const typename K::R* v, typename K::R* v1) {
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nv(); ++i) v1[i] = k.f(i);
  solve_mass(k, F, v1);
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nv(); ++i) v1[i] = v[i] + typename K::R(h) * v1[i];
}

template <class K>
ESCAPEMENT_KERNEL typename K::R row_times(const K& k, int r, const typename K::R* v) {
  typename K::R sum = k.g_t(r);
  ESCAPEMENT_UNROLL
  for (int j = 0; j < k.nv(); ++j)
    if (k.acts(r, j)) sum = sum + k.G(r, j) * v[j];
  return sum;
}

// contacts with gap <= 0, up to the rounding of gaps at q; false: no row takes part anywhere
template <class K>
ESCAPEMENT_KERNEL bool choose_rows(const K& k, const typename K::R* q, RowProblem<K>& p) {
  using R = typename K::R;
  R largest(0.0);
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nv(); ++i) largest = larger_of(largest, k.magnitude(q[i]) + R(k.scale_q(i)));
  const R rounding = R(30 * rounding_unit) * largest;
  bool some = k.nb() > 0;
  ESCAPEMENT_UNROLL
  for (int r = 0; r < k.nb() + k.nu(); ++r) {
    p.closed[r] = r < k.nb() ? rounding > R(0.0) : k.g(r) <= rounding;
    p.held[r] = r < k.nb() ? p.closed[r] : rounding < R(0.0);
    p.used[r] = any(p.closed[r]);
    some = some || p.used[r];
  }
  return some;
}

// answers of the velocities to unit impulses in the directions of the present rows
template <class K>
ESCAPEMENT_KERNEL void find_answers(const K& k, const MassFactors<K>& F, RowProblem<K>& p) {
  using R = typename K::R;
  ESCAPEMENT_UNROLL
  for (int r = 0; r < k.nb() + k.nu(); ++r) {
    if (!p.used[r]) continue;
    R* x = p.x + r * K::most_v;
    ESCAPEMENT_UNROLL
    for (int j = 0; j < k.nv(); ++j) x[j] = k.acts(r, j) ? k.G(r, j) : R(0.0);
    solve_mass(k, F, x);
  }
}

// W: what the present rows see of these answers; of a symmetric problem the lower half
template <class K, bool symmetric>
ESCAPEMENT_KERNEL void find_response(const K& k, RowProblem<K>& p) {
  using R = typename K::R;
  const int n = k.nb() + k.nu();
  ESCAPEMENT_UNROLL
  for (int r = 0; r < n; ++r) {
    if (!p.used[r]) continue;
    ESCAPEMENT_UNROLL
    for (int c = 0; c < n; ++c) {
      if (!p.used[c] || (symmetric && r > c)) continue;
      R sum(0.0);
      ESCAPEMENT_UNROLL
      for (int j = 0; j < k.nv(); ++j)
        if (k.acts(r, j)) sum = sum + k.G(r, j) * p.x[c * K::most_v + j];
      p.W[symmetric ? c * K::most_rows + r : r * K::most_rows + c] = sum;
    }
  }
}

template <class K>
ESCAPEMENT_KERNEL void add_answers(const K& k, const RowProblem<K>& p, typename K::R* v) {
  ESCAPEMENT_UNROLL
  for (int r = 0; r < k.nb() + k.nu(); ++r) {
    if (!p.used[r]) continue;
    ESCAPEMENT_UNROLL
    for (int j = 0; j < k.nv(); ++j) v[j] = v[j] + p.P[r] * p.x[r * K::most_v + j];
  }
}

// rates of the present contacts at the velocities before the step
template <class K>
ESCAPEMENT_KERNEL void find_rates_before(const K& k, const typename K::R* v, RowProblem<K>& p) {
  ESCAPEMENT_UNROLL
  for (int r = k.nb(); r < k.nb() + k.nu(); ++r)
    if (p.used[r]) p.before[r] = row_times(k, r, v);
}

// b: rates of the present rows without impulses, with the impact law, and what rounding may have made of them
template <class K>
ESCAPEMENT_KERNEL void fill_rates(const K& k, const typename K::R* v_free, RowProblem<K>& p) {
  using R = typename K::R;
  const int nb = k.nb(), n = nb + k.nu();
  R largest(0.0);
  ESCAPEMENT_UNROLL
  for (int r = 0; r < n; ++r) {
    if (!p.used[r]) continue;
    p.b[r] = row_times(k, r, v_free);
    if (r < nb) continue;
    p.b[r] = p.b[r] + k.restitution(r - nb) * p.before[r];
    R size = k.magnitude(k.g_t(r)), one(0.0);
    ESCAPEMENT_UNROLL
    for (int j = 0; j < k.nv(); ++j) {
      if (!k.acts(r, j)) continue;
      size = size + k.magnitude(k.G(r, j) * v_free[j]);
      one = one + k.magnitude(k.G(r, j)) * R(k.scale_v(j));
    }
    largest = larger_of(largest, select(p.closed[r], larger_of(size, one), R(0.0)));
  }
  p.noise = R(4 * rounding_unit) * largest;
}

// lambda, closed contacts and impacts from the impulses
template <class K>
ESCAPEMENT_KERNEL void note_contacts(const K& k, double h, bool some, const RowProblem<K>& p, const MemberState<K>& s, MemberState<K>& s1, MemberTally<K>& tally) {
  using R = typename K::R;
  const R zero(0.0);
  typename K::B hit = zero > zero;
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nu(); ++i) {
    const int r = k.nb() + i;
    s1.lambda[i] = zero;
    s1.closed[i] = zero > zero;
    if (!some || !p.used[r]) continue;
    const typename K::B pushes = p.closed[r] & (p.P[r] > zero);
    s1.lambda[i] = select(p.closed[r], p.P[r] * R(1 / h), zero);
    s1.closed[i] = pushes;
    hit = hit | (pushes & (!s.closed[i]) & (p.before[r] < zero));
    // by the impact law rates are -e of what they were where an impulse acts
    tally.work = tally.work + select(pushes, p.P[r] * p.before[r] * (R(0.5) - R(0.5) * k.restitution(i)), zero);
  }
  tally.impacts = tally.impacts + select(hit, R(1.0), zero);
}

// v changes evenly and q by its integral; where a contact closed in the step, q moves along the mean velocity and v holds its
// value after the step
template <class K>
ESCAPEMENT_KERNEL void interpolate_step(const K& k, double h, double part, const MemberState<K>& s, const MemberState<K>& s1, typename K::R* q, typename K::R* v) {
  using R = typename K::R;
  const R zero(0.0);
  typename K::B struck = zero > zero;
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nu(); ++i) struck = struck | ((s.lambda[i] == zero) & (s1.lambda[i] != zero));
  const R flat(part * part * (3 - 2 * part));
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nv(); ++i) {
    const R dx = s1.q[i] - s.q[i], even = R(1 - part) * s.v[i] + R(part) * s1.v[i];
    const R smooth = flat * (dx - R(0.5 * h) * (s.v[i] + s1.v[i])) + R(0.5 * h * part) * (s.v[i] + even);
    q[i] = s.q[i] + select(struck, R(part) * dx, smooth);
    v[i] = select(struck, s1.v[i], even);
  }
}
