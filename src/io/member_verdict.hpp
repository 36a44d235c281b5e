// The verdict of members that are advanced together, from a few more numbers of their samples: contacts that sink in, and, of
// systems that nothing drives, energy that the contacts do not account for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ensemble/ensemble.hpp"

namespace escapement::inline io {

class MemberVerdict {
 public:
  MemberVerdict() = default;
  // adds what it looks at to what is sampled
  MemberVerdict(ExpressionGraph&, EnsembleFormulas&, const EnsembleSettings&);

  std::size_t values() const { return 2 * contacts_.size() + (conservative_ ? 5 : 0); }
  // what speaks against a member, by its values; empty: nothing
  std::string against(std::span<const double> values, double contact_work) const;

 private:
  std::vector<std::string> contacts_;
  double penetration_ = 0;
  bool conservative_ = false;
};

}  // namespace escapement
