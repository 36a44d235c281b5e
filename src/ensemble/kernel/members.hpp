// Steps and samples of many members at once: the one source that is compiled for lanes, for graphics processors and, in
// tests, for the host. It includes nothing and knows no library.
//
// Whoever includes this gives ESCAPEMENT_KERNEL (how functions are declared) and ESCAPEMENT_UNROLL (before loops over sizes).
// A machine K has
//   R, B                     numbers and truths: of one member, or of several side by side; select(B, R, R), any(B), all operators
//   most_v, most_rows        room in arrays; nv(), nb(), nu(): velocities, constraints, contacts
//   coupled(i, j), acts(r, j)  may be other than zero: L(i, j) of the factors of M; G(r, j)
//   terms(t, q, v)           then M(i, j) for j <= i, f(i), g(r), G(r, j), g_t(r)
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
  typename K::R work;  // of the contacts' impulses
};

template <class R>
ESCAPEMENT_KERNEL R larger_of(R a, R b) {
  return select(a < b, b, a);
}
template <class R>
ESCAPEMENT_KERNEL R smaller_of(R a, R b) {
  return select(b < a, b, a);
}

template <class K>
ESCAPEMENT_KERNEL void fail_where(typename K::B where, int why, double t, MemberTally<K>& tally) {
  using R = typename K::R;
  if (!any(where)) return;
  const typename K::B now = where & (tally.failure == R(0.0));
  tally.failure = select(now, R(double(why)), tally.failure);
  tally.failed_at = select(now, R(t), tally.failed_at);
}
