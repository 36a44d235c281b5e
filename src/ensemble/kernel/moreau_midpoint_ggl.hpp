// The unified midpoint rule with Gear-Gupta-Leimkuhler stabilisation, [004] (36)-(52), corrected as docs/schemes/moreau-midpoint-ggl.md
// says. With M_M, which a step factors once, the motion is solved for:
//   v  = v_n + M_M^-1 (h f + W^T Lam)        (37)
//   y1 = (v_n + v)/2 + M_M^-1 W^T y4         (36), y1 = (q_{n+1} - q_n)/h
// f and W at the midpoint, and the rows G at the end, are taken from the last iterate until nothing changes: they differ by h times
// its increment. The impact law in v and the gaps in y1 are two problems of one matrix, G M_M^-1 W^T, the second after the first.

template <class K>
struct MoreauMidpointGgl {
  using R = typename K::R;
  using B = typename K::B;

  struct Iterate {
    R v[K::most_v], y[K::most_v], Lam[K::most_rows];
  };

  ESCAPEMENT_KERNEL static void between(K& k, double, double h, double part, const MemberState<K>& s, const MemberState<K>& s1, R* q, R* v) {
    interpolate_step(k, h, part, s, s1, q, v);
  }

  ESCAPEMENT_KERNEL static void evaluate_middle(K& k, double t, double h, const MemberState<K>& s, const Iterate& x) {
    R q[K::most_v], v[K::most_v];
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) {
      q[i] = s.q[i] + R(0.5 * h) * x.y[i];
      v[i] = R(0.5) * (s.v[i] + x.v[i]);
    }
    k.terms(t + 0.5 * h, q, v);
  }
  ESCAPEMENT_KERNEL static void evaluate_end(K& k, double t, double h, const MemberState<K>& s, const Iterate& x) {
    R q[K::most_v];
    ESCAPEMENT_UNROLL
    for (int i = 0; i < k.nv(); ++i) q[i] = s.q[i] + R(h) * x.y[i];
    k.terms(t + h, q, x.v);
  }

  // what counts as one in a row
  ESCAPEMENT_KERNEL static R one_of_row(const K& k, int r) {
    R one(0.0);
    ESCAPEMENT_UNROLL
    for (int j = 0; j < k.nv(); ++j)
      if (k.acts(r, j)) one = one + k.magnitude(k.G(r, j)) * R(k.scale_v(j));
    return one;
  }

  // The position level: gaps of acting contacts are zero while an impulse acts, else not negative. g/h at the present end, to first
  // order in what y changes by
  ESCAPEMENT_KERNEL static B hold_positions(const K& k, double h, const Iterate& x, const R* Lam, RowProblem<K>& p, R* y) {
    p.noise = R(0.0);  // a limit here would be one that iterates can jump over for ever
    ESCAPEMENT_UNROLL
    for (int r = 0; r < k.nb() + k.nu(); ++r) {
      if (!p.used[r]) continue;
      R b = k.g(r) * R(1 / h);
      ESCAPEMENT_UNROLL
      for (int j = 0; j < k.nv(); ++j)
        if (k.acts(r, j)) b = b + k.G(r, j) * (y[j] - x.y[j]);
      p.b[r] = b;
      if (r >= k.nb()) p.held[r] = p.closed[r] & (Lam[r] > R(0.0));
    }
    const B wrong = solve_rows<K, false>(k, p);
    add_answers(k, p, y);
    return wrong;
  }

  // Constraints and acting contacts (p.closed), where `where` says so. The terms at the midpoint are known at first if `known`. Returns
  // the members that did not come to an end
  ESCAPEMENT_KERNEL static B solve(K& k, double t, double h, const MemberState<K>& s, const MassFactors<K>& F, bool some, bool known, B where, RowProblem<K>& p, Iterate& x) {
    const int nv = k.nv(), n = k.nb() + k.nu();
    IterationEnd<K> end(k, s.q, s.v, h, where);
    for (int i = 0; i < most_iterations; ++i) {
      if (i > 0 || !known) evaluate_middle(k, t, h, s, x);
      R v[K::most_v], y[K::most_v];
      move_freely(k, F, h, s.v, v);
      B wrong = R(0.0) > R(0.0);
      if (some) {
        find_answers(k, F, p);
        evaluate_end(k, t, h, s, x);
        find_response<K, false>(k, p);
        fill_rates(k, v, p);
        ESCAPEMENT_UNROLL
        for (int r = k.nb(); r < n; ++r) p.held[r] = R(0.0) > R(0.0);
        wrong = solve_rows<K, false>(k, p);
        add_answers(k, p, v);
        R Lam[K::most_rows];
        ESCAPEMENT_UNROLL
        for (int r = 0; r < n; ++r) {
          if (!p.used[r]) continue;
          Lam[r] = p.P[r];
          x.Lam[r] = select(end.going, Lam[r], x.Lam[r]);
        }
        ESCAPEMENT_UNROLL
        for (int j = 0; j < nv; ++j) y[j] = R(0.5) * (s.v[j] + v[j]);
        wrong = wrong | hold_positions(k, h, x, Lam, p, y);
      } else {
        ESCAPEMENT_UNROLL
        for (int j = 0; j < nv; ++j) y[j] = R(0.5) * (s.v[j] + v[j]);
      }
      const R size = larger_of(increment_size(k, x.v, v), increment_size(k, x.y, y));
      take_where(k, end.going, v, x.v);
      take_where(k, end.going, y, x.y);
      end.look(size, i, !wrong);
      if (!any(end.going)) break;
    }
    return end.going;
  }

  ESCAPEMENT_KERNEL static void step(K& k, double t, double h, const MemberState<K>& s, MemberState<K>& s1, MemberTally<K>& tally) {
    const int nv = k.nv(), nb = k.nb(), n = nb + k.nu();
    const R zero(0.0);
    const B all = zero <= zero;
    Iterate x;
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) x.v[i] = x.y[i] = s.v[i];
    evaluate_middle(k, t, h, s, x);  // the explicit midpoint, (10)
    MassFactors<K> F;
    fail_where<K>(!factor_mass(k, F), failed_singular, t, tally);

    // a contact-free trial, which is the step where every gap stays open
    RowProblem<K> p;
    ESCAPEMENT_UNROLL
    for (int r = 0; r < n; ++r) {
      p.closed[r] = p.held[r] = r < nb ? all : !all;
      p.used[r] = r < nb;
      x.Lam[r] = p.before[r] = zero;
    }
    B stuck = solve(k, t, h, s, F, nb > 0, true, all, p, x);
    bool some = false;
    if (n > nb) {
      evaluate_end(k, t, h, s, x);
      B where = !all;
      ESCAPEMENT_UNROLL
      for (int r = nb; r < n; ++r) {
        p.closed[r] = k.g(r) <= zero;
        where = where | p.closed[r];
        p.used[r] = any(p.closed[r]);
        some = some || p.used[r];
      }
      if (some) stuck = stuck | act(k, t, h, s, F, where, p, x, tally);
    }
    fail_where<K>(stuck, failed_newton, t, tally);
    ESCAPEMENT_UNROLL
    for (int r = 0; r < n; ++r) p.P[r] = x.Lam[r];
    note_contacts(k, h, some, p, s, s1, tally);
    ESCAPEMENT_UNROLL
    for (int i = 0; i < nv; ++i) {
      s1.v[i] = x.v[i];
      s1.q[i] = s.q[i] + R(h) * x.y[i];
    }
  }

  // Contacts whose gap the trial closes act; others that close nevertheless join them. Returns the members without an end
  ESCAPEMENT_KERNEL static B act(K& k, double t, double h, const MemberState<K>& s, const MassFactors<K>& F, B where, RowProblem<K>& p, Iterate& x, MemberTally<K>& tally) {
    const int nb = k.nb(), n = nb + k.nu();
    B stuck = R(0.0) > R(0.0);
    const IterationEnd<K> size(k, s.q, s.v, h, where);
    k.terms(t, s.q, s.v);
    ESCAPEMENT_UNROLL
    for (int r = nb; r < n; ++r) p.before[r] = row_times(k, r, s.v);
    for (int joined = 0; joined <= k.nu(); ++joined) {
      stuck = stuck | solve(k, t, h, s, F, true, false, where, p, x);
      evaluate_end(k, t, h, s, x);
      B again = R(0.0) > R(0.0);
      ESCAPEMENT_UNROLL
      for (int r = nb; r < n; ++r) {
        const B joins = where & (!p.closed[r]) & (k.g(r) < -(R(h) * size.least * one_of_row(k, r)));
        p.closed[r] = p.closed[r] | joins;
        p.used[r] = any(p.closed[r]);
        again = again | joins;
      }
      if (!any(again)) break;
      where = again;
    }
    // rows that cannot hold together are no solution
    B apart = R(0.0) > R(0.0);
    ESCAPEMENT_UNROLL
    for (int r = nb; r < n; ++r) {
      const R limit = R(h) * larger_of(R(1e-6) * size.unit, R(1e3) * size.least) * one_of_row(k, r);
      apart = apart | (p.closed[r] & (x.Lam[r] > R(0.0)) & (k.magnitude(k.g(r)) > limit));
    }
    fail_where<K>(apart, failed_contacts, t, tally);
    return stuck;
  }
};
