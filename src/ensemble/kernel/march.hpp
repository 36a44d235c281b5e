// Samples, and the way of members through steps and samples.

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
        Scheme::between(k, t, h, part, s, s1, q, v);
        k.sample(at, q, v, s1.lambda);
      }
      reduce_sample(k, at, at - (sample > 0 ? k.sample_time(sample - 1) : k.start()), false);
      ++sample;
    }
    s = s1;
  }
  return sample;
}
