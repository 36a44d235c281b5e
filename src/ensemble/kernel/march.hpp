// Steps and samples of many members at once: the one source that is compiled for lanes, for graphics processors and, in
// tests, for the host. It includes nothing and knows no library.
//
// Whoever includes this gives ESCAPEMENT_KERNEL (how functions are declared) and ESCAPEMENT_UNROLL (before loops over sizes).
// A machine K has
//   R, B                     numbers and truths: of one member, or of several side by side; select(B, R, R), any(B), all operators
//   most_v, most_rows        room in arrays; nv(), nb(), nu(): velocities, constraints, contacts
//   coupled(i, j), acts(r, j)  may be other than zero: L(i, j) of the factors of M; G(r, j)
//   terms(t, q, v)           then M(i, j) for j <= i, f(i), g(r), G(r, j), g_t(r)
//   tangent(t, q, v, w, mu)  then K_(i, j), D_(i, j), V_q(r, j)
//   restitution(i), scale_q(i), scale_v(i)
//   sample(t, q, v, lambda)  then value(i) of values(), with reduction(i), and best(i), last(i) to keep
//   start(), step(), end(), steps(); samples(), sample_step(k), sample_part(k), sample_time(k)

constexpr double rounding_unit = 2.220446049250313e-16;

// why a member ended early
constexpr int failed_singular = 1, failed_not_finite = 2, failed_contacts = 3, failed_newton = 4;
constexpr int refused_start = 5, refused_restitution = 6;
// what is made of a value over the samples, in the order of Reduction
constexpr int reduce_max = 0, reduce_min = 1, reduce_mean = 2, reduce_final = 3, reduce_initial = 4, reduce_first = 5, reduce_count = 6;

template <class K>
struct MemberState {
  typename K::R q[K::most_v], v[K::most_v];
  typename K::R lambda[K::most_u];   // forces of the contacts, means over the last step
  typename K::B closed[K::most_u];   // in the last step
};

template <class K>
struct MemberTally {
  typename K::R impacts, failure, failed_at;
};

template <class R>
ESCAPEMENT_KERNEL R larger_of(R a, R b) {
  return select(a < b, b, a);
}
template <class R>
ESCAPEMENT_KERNEL R smaller_of(R a, R b) {
  return select(b < a, b, a);
}

// ---------------------------------------------------------------------------------------------------------------------------------
// linear algebra

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

// A = L U without exchange of rows: A is the mass matrix and what a small step adds to it
template <class K>
ESCAPEMENT_KERNEL typename K::B factor_full(int n, typename K::R* A) {
  using R = typename K::R;
  typename K::B regular = R(1.0) > R(0.0);
  ESCAPEMENT_UNROLL
  for (int j = 0; j < n; ++j) {
    const R d = A[j * K::most_v + j];
    regular = regular & ((d > R(0.0)) | (d < R(0.0)));
    const R inverse = R(1.0) / d;
    ESCAPEMENT_UNROLL
    for (int i = j + 1; i < n; ++i) {
      const R factor = A[i * K::most_v + j] * inverse;
      A[i * K::most_v + j] = factor;
      ESCAPEMENT_UNROLL
      for (int m = j + 1; m < n; ++m) A[i * K::most_v + m] = A[i * K::most_v + m] - factor * A[j * K::most_v + m];
    }
  }
  return regular;
}

template <class K>
ESCAPEMENT_KERNEL void solve_full(int n, const typename K::R* A, typename K::R* x) {
  ESCAPEMENT_UNROLL
  for (int i = 0; i < n; ++i) {
    ESCAPEMENT_UNROLL
    for (int m = 0; m < i; ++m) x[i] = x[i] - A[i * K::most_v + m] * x[m];
  }
  ESCAPEMENT_UNROLL
  for (int i = n - 1; i >= 0; --i) {
    ESCAPEMENT_UNROLL
    for (int m = i + 1; m < n; ++m) x[i] = x[i] - A[i * K::most_v + m] * x[m];
    x[i] = x[i] / A[i * K::most_v + i];
  }
}

// ---------------------------------------------------------------------------------------------------------------------------------
// rows: constraints hold, contacts obey 0 <= xi = W P + b  perp  P >= 0

template <class K>
struct RowProblem {
  typename K::R x[K::most_rows * K::most_v];        // answers of the velocities to unit impulses
  typename K::R W[K::most_rows * K::most_rows];     // of a symmetric problem the lower half alone
  typename K::R b[K::most_rows], P[K::most_rows], xi[K::most_rows], before[K::most_rows];
  typename K::B closed[K::most_rows];  // the row takes part
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
  for (int r = 0; r < n; ++r) in[r] = r < k.nb() ? p.closed[r] : p.closed[r] & (p.b[r] < -p.noise);
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
      const B wanted = p.closed[r] & ((in[r] & (!(p.P[r] < zero))) | ((!in[r]) & (xi < -(R(16 * rounding_unit) * terms + p.noise))));
      const B change = wanted != in[r];
      in[r] = in[r] != (change & (pass < all_at_once ? change : !wrong));
      wrong = wrong | change;
    }
    if (!any(wrong)) break;
  }
  return wrong;
}

// ---------------------------------------------------------------------------------------------------------------------------------
// contacts of a step at velocity level

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
    p.used[r] = any(p.closed[r]);
    some = some || p.used[r];
  }
  return some;
}

// rates of the rows before the step and without impulses, and what rounding may have made of them
template <class K>
ESCAPEMENT_KERNEL void fill_rates(const K& k, const typename K::R* v, const typename K::R* v_free, RowProblem<K>& p) {
  using R = typename K::R;
  const int nb = k.nb(), n = nb + k.nu();
  R largest(0.0);
  ESCAPEMENT_UNROLL
  for (int r = 0; r < n; ++r) {
    if (!p.used[r]) continue;
    p.b[r] = row_times(k, r, v_free);
    if (r < nb) continue;
    p.before[r] = row_times(k, r, v);
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
  }
  tally.impacts = tally.impacts + select(hit, R(1.0), zero);
}

template <class K>
ESCAPEMENT_KERNEL void fail_where(typename K::B where, int why, double t, MemberTally<K>& tally) {
  using R = typename K::R;
  if (!any(where)) return;
  const typename K::B now = where & (tally.failure == R(0.0));
  tally.failure = select(now, R(double(why)), tally.failure);
  tally.failed_at = select(now, R(t), tally.failed_at);
}

// ---------------------------------------------------------------------------------------------------------------------------------
// Moreau's midpoint rule, [004] (8)-(13)

template <class K>
struct MoreauMidpoint {
  ESCAPEMENT_KERNEL static void step(K& k, double t, double h, const MemberState<K>& s, MemberState<K>& s1, MemberTally<K>& tally) {
    using R = typename K::R;
    const int nv = k.nv(), n = k.nb() + k.nu();
    R q[K::most_v];
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) q[i] = s.q[i] + R(0.5 * h) * s.v[i];
    k.terms(t + 0.5 * h, q, s.v);
    MassFactors<K> F;
    const typename K::B regular = factor_mass(k, F);
    fail_where<K>(!regular, failed_singular, t, tally);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) s1.v[i] = k.f(i);
    solve_mass(k, F, s1.v);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) s1.v[i] = s.v[i] + R(h) * s1.v[i];

    RowProblem<K> p;
    const bool some = n > 0 && choose_rows(k, q, p);
    if (some) {
      ESCAPEMENT_UNROLL
      for (int r = 0; r < n; ++r) {
        if (!p.used[r]) continue;
        R* x = p.x + r * K::most_v;
        ESCAPEMENT_UNROLL
        for (int j = 0; j < nv; ++j) x[j] = k.acts(r, j) ? k.G(r, j) : R(0.0);
        solve_mass(k, F, x);
        ESCAPEMENT_UNROLL
        for (int c = 0; c <= r; ++c) {
          if (!p.used[c]) continue;
          R sum(0.0);
          ESCAPEMENT_UNROLL
          for (int j = 0; j < nv; ++j)
            if (k.acts(c, j)) sum = sum + k.G(c, j) * x[j];
          p.W[r * K::most_rows + c] = sum;
        }
      }
      fill_rates(k, s.v, s1.v, p);
      fail_where<K>(solve_rows<K, true>(k, p), failed_contacts, t, tally);
      ESCAPEMENT_UNROLL
      for (int r = 0; r < n; ++r) {
        if (!p.used[r]) continue;
        ESCAPEMENT_UNROLL
        for (int j = 0; j < nv; ++j) s1.v[j] = s1.v[j] + p.P[r] * p.x[r * K::most_v + j];
      }
    }
    note_contacts(k, h, some, p, s, s1, tally);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) s1.q[i] = s.q[i] + R(0.5 * h) * (s.v[i] + s1.v[i]);
  }
};

// ---------------------------------------------------------------------------------------------------------------------------------
// samples

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

template <class K>
ESCAPEMENT_KERNEL void reduce_sample(K& k, double t, double since, bool first) {
  using R = typename K::R;
  const R zero(0.0), never(k.no_number());
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.values(); ++i) {
    const R x = k.value(i);
    R& best = k.best(i);
    R& last = k.last(i);
    const int kind = k.reduction(i);
    if (kind == reduce_first) {
      if (first) best = never;
      best = select((best != best) & (x != zero), R(t), best);
    } else if (kind == reduce_count) {  // how often it becomes true
      if (first) best = last = zero;
      best = best + select((x != zero) & (last == zero), R(1.0), zero);
      last = x;
    } else if (first) {
      best = kind == reduce_mean ? zero : x;
      last = x;
    } else if (kind == reduce_max) {
      best = select(x > best, x, best);
    } else if (kind == reduce_min) {
      best = select(x < best, x, best);
    } else if (kind == reduce_mean) {  // the integral, by the trapezoidal rule
      best = best + R(0.5 * since) * (x + last);
      last = x;
    } else if (kind == reduce_final) {
      best = x;
    }
  }
}

// gaps and constraints hold at the start, up to 1e-9 of what counts as one
template <class K>
ESCAPEMENT_KERNEL void check_start(K& k, const MemberState<K>& s, MemberTally<K>& tally) {
  using R = typename K::R;
  const R zero(0.0), tolerance(1e-9);
  const int n = k.nb() + k.nu();
  if (n == 0) return;
  k.terms(k.start(), s.q, s.v);
  typename K::B off = zero > zero, restitution = off;
  ESCAPEMENT_UNROLL
  for (int r = 0; r < n; ++r) {
    R one(0.0), rate = k.magnitude(row_times(k, r, s.v)), terms = k.magnitude(k.g_t(r));
    ESCAPEMENT_UNROLL
    for (int j = 0; j < k.nv(); ++j) {
      if (!k.acts(r, j)) continue;
      one = one + k.magnitude(k.G(r, j)) * R(k.scale_v(j));
      terms = terms + k.magnitude(k.G(r, j) * s.v[j]);
    }
    if (r < k.nb()) {
      off = off | (k.magnitude(k.g(r)) > tolerance * larger_of(one, R(1.0))) | (rate > tolerance * (one + terms));
    } else {
      off = off | (-k.g(r) > tolerance * one);
      restitution = restitution | (k.restitution(r - k.nb()) < zero) | (k.restitution(r - k.nb()) > R(1.0));
    }
  }
  fail_where<K>(restitution, refused_restitution, k.start(), tally);
  fail_where<K>(off, refused_start, k.start(), tally);
}

template <class K>
ESCAPEMENT_KERNEL void begin_samples(K& k, const MemberState<K>& s) {
  k.sample(k.start(), s.q, s.v, s.lambda);
  reduce_sample(k, k.start(), 0, true);
}

// steps from, from + 1, ... to - 1 with the samples that are due in them, of which the first is number `sample`; returns that
// of the next. finite: are the numbers of each member?
template <class K, class Scheme>
ESCAPEMENT_KERNEL int march(K& k, int from, int to, int sample, MemberState<K>& s, MemberTally<K>& tally) {
  using R = typename K::R;
  MemberState<K> s1;
  for (int n = from; n < to; ++n) {
    const bool last = n + 1 == k.steps();
    const double t = k.start() + n * k.step(), h = last ? k.end() - t : k.step();
    Scheme::step(k, t, h, s, s1, tally);
    R sum(0.0);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) sum = sum + (s1.q[i] - s1.q[i]) + (s1.v[i] - s1.v[i]);
    fail_where<K>(sum != R(0.0), failed_not_finite, t, tally);
    while (sample < k.samples() && k.sample_step(sample) == n) {
      const double part = k.sample_part(sample), at = k.sample_time(sample);
      if (part >= 1) {
        k.sample(at, s1.q, s1.v, s1.lambda);
      } else {
        R q[K::most_v], v[K::most_v];
        interpolate_step(k, h, part, s, s1, q, v);
        k.sample(at, q, v, s1.lambda);
      }
      reduce_sample(k, at, at - (sample > 0 ? k.sample_time(sample - 1) : k.start()), false);
      ++sample;
    }
    s = s1;
  }
  return sample;
}
