// What a failed step says to a person: what failed, when, where, the largest residual rows by name, what to try.
#pragma once

#include <string>

#include "schemes/scheme.hpp"

namespace escapement::inline simulate {

// what and advice: empty where the report's status says enough
std::string describe_failure(const System&, const SchemeInfo&, const StepReport&, const State&, double h,
                             const std::string& what, const std::string& advice);

}  // namespace escapement
