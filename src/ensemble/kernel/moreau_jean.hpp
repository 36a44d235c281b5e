// The Moreau-Jean scheme with theta = 1/2: contacts with g(q_n + h/2 v_n) <= 0; M, f and G at the mean of both ends, where they are
// taken from the last iterate until nothing changes: they differ by h times its increment.

template <class K>
struct MoreauJean {
  ESCAPEMENT_KERNEL static void between(K& k, double, double h, double part, const MemberState<K>& s, const MemberState<K>& s1, typename K::R* q, typename K::R* v) {
    interpolate_step(k, h, part, s, s1, q, v);
  }
  ESCAPEMENT_KERNEL static void step(K& k, double t, double h, const MemberState<K>& s, MemberState<K>& s1, MemberTally<K>& tally) {
    using R = typename K::R;
    using B = typename K::B;
    const int nv = k.nv();
    const R zero(0.0);
    const B all = zero <= zero;
    R q[K::most_v], v[K::most_v];
    RowProblem<K> p;
    R P[K::most_rows], before[K::most_rows];
    bool some = false;
    B singular = !all, unsolved = !all;
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) s1.v[i] = s.v[i];
    IterationEnd<K> end(k, s.q, s.v, h, all);
    for (int i = 0; i < most_iterations; ++i) {
      // at first the explicit midpoint, which decides on contacts too
      ESCAPEMENT_UNROLL
      for (int j = 0; j < nv; ++j) {
        v[j] = R(0.5) * (s.v[j] + s1.v[j]);
        q[j] = s.q[j] + R(0.5 * h) * v[j];
      }
      k.terms(t + 0.5 * h, q, v);
      if (i == 0) some = k.nb() + k.nu() > 0 && choose_rows(k, q, p);
      MassFactors<K> F;
      singular = singular | (end.going & (!factor_mass(k, F)));
      move_freely(k, F, h, s.v, v);
      B wrong = !all;
      if (some) {
        find_answers(k, F, p);
        find_response<K, true>(k, p);
        find_rates_before(k, s.v, p);
        fill_rates(k, v, p);
        wrong = solve_rows<K, true>(k, p);
        add_answers(k, p, v);
        ESCAPEMENT_UNROLL
        for (int r = 0; r < k.nb() + k.nu(); ++r) {
          if (!p.used[r]) continue;
          P[r] = i == 0 ? p.P[r] : select(end.going, p.P[r], P[r]);
          before[r] = i == 0 ? p.before[r] : select(end.going, p.before[r], before[r]);
        }
        unsolved = (end.going & wrong) | ((!end.going) & unsolved);
      }
      const R size = increment_size(k, s1.v, v);
      take_where(k, end.going, v, s1.v);
      end.look(size, i, !wrong);
      if (!any(end.going)) break;
    }
    fail_where<K>(singular, failed_singular, t, tally);
    fail_where<K>(end.going & unsolved, failed_contacts, t, tally);
    fail_where<K>(end.going, failed_newton, t, tally);
    if (some) {
      ESCAPEMENT_UNROLL
      for (int r = 0; r < k.nb() + k.nu(); ++r) {
        if (!p.used[r]) continue;
        p.P[r] = P[r];
        p.before[r] = before[r];
      }
    }
    note_contacts(k, h, some, p, s, s1, tally);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) s1.q[i] = s.q[i] + R(0.5 * h) * (s.v[i] + s1.v[i]);
  }
};
