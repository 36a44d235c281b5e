// How the errors of q, v and the states in a step become the one number that the tolerance bounds. The default is error_norm() of
// scheme.hpp; the papers' schemes take other norms too, because papers leave theirs unsaid.
#pragma once

#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class ErrorNorm {
 public:
  ErrorNorm() = default;
  explicit ErrorNorm(const Options& options);  // reads the options below
  static std::vector<OptionInfo> options();

  double operator()(const Vec& error_q, const Vec& error_v, const State& s1, const Scale& one = {},
                    std::span<const double> error_states = {}) const;

 private:
  enum class Kind { rms, euclidean, maximum } kind_ = Kind::rms;
  bool absolute_ = false;        // false: each error over 1 + |x|, the 1 as in error_norm()
  bool positions_only_ = false;  // false: q, v and the states
};

}  // namespace escapement
