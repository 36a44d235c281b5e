// The terms of the equations of motion at one state, and their derivatives.
//
//   q' = H(q) v,   M v' = f + G^T lambda,   z' = zdot(t, q, v, z)
//   rows of G: bilateral first, then unilateral;  slip rows: T
#pragma once

#include <vector>

#include "math/matrix.hpp"
#include "math/types.hpp"

namespace escapement::inline system {

// a bit set: what evaluate() is asked for
enum class Need : unsigned {
  mass = 1,        // M
  force = 2,       // f, zdot
  gap = 4,         // g
  jacobian = 8,    // G, g_t
  curvature = 16,  // kappa
  slip = 32,       // T, t0
  slip_rate = 64,  // kappa_T
};
constexpr Need operator|(Need a, Need b) { return Need(unsigned(a) | unsigned(b)); }
constexpr bool has(Need set, Need one) { return (unsigned(set) & unsigned(one)) != 0; }

// numbers of contacts and brakes in System::contacts(), ascending: they stay the same throughout a run
using ContactSet = std::vector<int>;

struct Terms {
  Matrix M;        // v x v
  Vec f, zdot;     // v; z
  Vec g;           // rows
  Matrix G;        // rows x v
  Vec g_t, kappa;  // rows: velocity level G v + g_t, acceleration level G v' + kappa, kappa = g_qq(v,v) + 2 g_tq v + g_tt
  Matrix T;        // slip x v: slip = T v + t0, its rate T v' + kappa_T
  Vec t0, kappa_T;
  bool sliding = false;  // true when force directions differ from G (contacts that slide with friction)
  Matrix G_force;        // rows x v, only valid when sliding
  Vec scratch;           // the system's own workspace, so that evaluate() can stay const
  // whose rows are asked for: those of all contacts, or of these alone, and what the others' rows hold does not matter
  const ContactSet* contacts = nullptr;

  // directions in which the multipliers act: the top right block of the saddle-point matrix
  const Matrix& top() const { return sliding ? G_force : G; }
};

// a bit set: what tangent() is asked for
enum class Parts : unsigned {
  mass = 1,        // (M w)_q in K
  force = 2,       // -f_q in K, D
  constraint = 4,  // -(G^T mu)_q and -(T^T mu_T)_q in K
  all = 7,
  velocity_rows = 8,    // V_q
  curvature_rows = 16,  // kappa_q, kappa_v
};
constexpr Parts operator|(Parts a, Parts b) { return Parts(unsigned(a) | unsigned(b)); }
constexpr bool has(Parts set, Parts one) { return (unsigned(set) & unsigned(one)) != 0; }

// derivatives with respect to q are taken along v-sized increments of retract()
struct Tangent {
  Matrix K;                 // v x v: d(M w - f - G^T mu)/dq, of the parts asked for
  Matrix D;                 // v x v: -df/dv
  Matrix V_q;               // multipliers x v: d(G v + g_t)/dq, then d(T v + t0)/dq
  Matrix kappa_q, kappa_v;  // rows x v
  Mat f_z;                  // v x z      (with Parts::force, only when dim.z > 0)
  Mat zdot_q, zdot_v;       // z x v
  Mat zdot_z;               // z x z
  Matrix retraction;        // v x v: for System::retract_tangent(), sized by prepare() where that is not the identity
  Vec scratch;
};

}  // namespace escapement
