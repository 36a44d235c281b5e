// Which bilateral rows a system is integrated without, since the others hold them too: a value that belongs to whoever
// integrates. The system that selects stays as it is.
#pragma once

#include <vector>

#include "system/forwarding_system.hpp"
#include "system/null_rows.hpp"

namespace escapement::inline system {

struct RowSelection {
  std::vector<int> left_out;  // ascending
  bool others = false;        // than in the selection before
  // of what the selection before does for, above 1: it is far away, or the rows that it keeps hardly hold the system here
  double strain = 0;

  // where it was made, and room for making it, so that a selection allocates nothing
  struct Group {
    std::vector<int> left_out, best;  // counted within the group
    NullRows null;
    Dispensable dispensable;
  };
  std::vector<Group> groups;
  Vec q, moved;
  Terms terms;
};

// a system without the rows that a selection leaves out: they are zero
class SelectedRows : public ForwardingSystem {
 public:
  SelectedRows(const System& base, const RowSelection& rows) : ForwardingSystem(base), rows_(rows) {}

  void evaluate(const State& s, Need need, Terms& T) const override {
    base_.evaluate(s, need, T);
    for (int i : rows_.left_out) {
      if (has(need, Need::gap)) T.g[i] = 0;
      if (has(need, Need::jacobian)) {
        T.G.set_row_zero(i);
        T.g_t[i] = 0;
      }
      if (has(need, Need::curvature)) T.kappa[i] = 0;
    }
  }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    base_.tangent(s, w, mu, parts, D);
    for (int i : rows_.left_out) {
      if (has(parts, Parts::velocity_rows)) D.V_q.set_row_zero(i);
      if (has(parts, Parts::curvature_rows)) {
        D.kappa_q.set_row_zero(i);
        D.kappa_v.set_row_zero(i);
      }
    }
  }

 private:
  const RowSelection& rows_;
};

}  // namespace escapement
