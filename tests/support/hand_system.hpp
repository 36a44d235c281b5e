// What the hand-written test systems share: sizes, names, and the sizing of terms.
#pragma once

#include <fmt/format.h>

#include "system/system.hpp"

namespace escapement::testing {

class HandSystem : public System {
 public:
  HandSystem(int q, int v, int bilateral, int z = 0) {
    dim_.q = q;
    dim_.v = v;
    dim_.z = z;
    dim_.bilateral = bilateral;
    for (int i = 0; i < q; ++i) names_.q.push_back(fmt::format("q{}", i));
    for (int i = 0; i < v; ++i) names_.v.push_back(fmt::format("v{}", i));
    for (int i = 0; i < z; ++i) names_.z.push_back(fmt::format("z{}", i));
    for (int i = 0; i < bilateral; ++i) names_.multipliers.push_back(fmt::format("g{}", i));
  }
  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }

  void prepare(Terms& T) const override { size_dense(dim_, T); }
  void prepare(Tangent& D) const override { size_dense(dim_, D); }
  Energy energy(const State&, Terms&) const override { return {}; }

 protected:
  Dim dim_;
  Names names_;
};

}  // namespace escapement::testing
