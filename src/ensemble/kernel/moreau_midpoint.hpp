// Moreau's midpoint rule, [004] (8)-(13).

template <class K>
struct MoreauMidpoint {
  ESCAPEMENT_KERNEL static void between(K& k, double, double h, double part, const MemberState<K>& s, const MemberState<K>& s1, typename K::R* q, typename K::R* v) {
    interpolate_step(k, h, part, s, s1, q, v);
  }
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
    move_freely(k, F, h, s.v, s1.v);

    RowProblem<K> p;
    const bool some = n > 0 && choose_rows(k, q, p);
    if (some) {
      find_answers(k, F, p);
      find_response<K, true>(k, p);
      find_rates_before(k, s.v, p);
      fill_rates(k, s1.v, p);
      fail_where<K>(solve_rows<K, true>(k, p), failed_contacts, t, tally);
      add_answers(k, p, s1.v);
    }
    note_contacts(k, h, some, p, s, s1, tally);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) s1.q[i] = s.q[i] + R(0.5 * h) * (s.v[i] + s1.v[i]);
  }
};
