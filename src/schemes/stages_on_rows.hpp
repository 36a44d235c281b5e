// Near dead points half-explicit methods go on as explicit ones on the index-1 form, with the same tableau: their stages are brought onto
// the rows at both levels before they are solved (index1.hpp says why). No paper mentions it.
#pragma once

#include <span>

#include "schemes/index1.hpp"
#include "schemes/stage_rates.hpp"

namespace escapement::inline schemes {

// c: times of the stages; weights(i): a_ij of those before stage i; tell(i): stage i stands in `stage`, with its multipliers
template <class Weights, class Tell>
Status stages_on_rows(const System& sys, const State& s, double h, std::span<const double> c, const Weights& weights, Index1& index1, Terms& T,
                      StageRates& Xdot, State& stage, const Tell& tell) {
  for (int i = 0; i < static_cast<int>(c.size()); ++i) {
    Xdot.lead(s, h, c[i], weights(i), stage);
    if (const Status status = index1.solve_on_rows(sys, stage, T); status != Status::ok) return status;
    sys.rate(stage.q, stage.v, Xdot.q[i]);
    Xdot.v[i] = stage.vdot;
    Xdot.z[i] = T.zdot;
    tell(i);
  }
  return Status::ok;
}

}  // namespace escapement
