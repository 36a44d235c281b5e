// When an iteration that converges linearly has come to its end, for each member by itself: members side by side do not wait for
// one another, so that their bits do not depend on their neighbours.

constexpr int most_iterations = 60;

template <class K>
struct IterationEnd {
  using R = typename K::R;
  using B = typename K::B;
  R unit, least, last;  // of velocities, counted in what is one in each: the fastest; what rounding leaves of them; the last increment
  B going;

  // rounding: of the positions over the step
  ESCAPEMENT_KERNEL IterationEnd(const K& k, const R* q, const R* v, double h, B where) : unit(1e-3), least(0.0), last(0.0), going(where) {
    R largest(0.0);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) {
      unit = larger_of(unit, k.magnitude(v[i]) * R(1 / k.scale_v(i)));
      largest = larger_of(largest, k.magnitude(q[i]) * R(1 / k.scale_q(i)) + R(1.0));
    }
    least = larger_of(R(30 * rounding_unit / h) * largest, R(16 * rounding_unit) * unit);
  }
  // size: of the present increment, counted so. Where `settled` is false, more has to come
  ESCAPEMENT_KERNEL void look(R size, int i, B settled) {
    const R tiny = R(2 * rounding_unit) * unit;
    const B foretold = size * size <= tiny * last;             // the next increment
    const B stagnant = (!(size < last)) & (size <= least);     // nothing but rounding
    const B done = settled & ((size <= tiny) | ((i > 0 ? foretold | stagnant : size < R(0.0))));
    going = going & (!done);
    last = size;
  }
};

template <class K>
ESCAPEMENT_KERNEL typename K::R increment_size(const K& k, const typename K::R* from, const typename K::R* to) {
  using R = typename K::R;
  R size(0.0);
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nv(); ++i) size = larger_of(size, k.magnitude(to[i] - from[i]) * R(1 / k.scale_v(i)));
  return size;
}

template <class K>
ESCAPEMENT_KERNEL void take_where(const K& k, typename K::B where, const typename K::R* from, typename K::R* to) {
  ESCAPEMENT_UNROLL
  for (int i = 0; i < k.nv(); ++i) to[i] = select(where, from[i], to[i]);
}
