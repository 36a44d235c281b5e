// The averages behind the scaling factor s = k_ave + m_ave/h^2 of [003] (28): the model's own, or given numbers.
#pragma once

#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

struct ScalingAverages {
  double k = -1, m = -1;  // below 0: the model's

  ScalingAverages() = default;
  explicit ScalingAverages(const Options& options) : k(options.number("k_ave")), m(options.number("m_ave")) {}
  static std::vector<OptionInfo> options() {
    return {{.name = "k_ave",
             .value = -1.0,
             .description = "stiffness in the scaling factor k_ave + m_ave/h^2; -1: the average of the model's",
             .min = -1,
             .max = 1e300},
            {.name = "m_ave",
             .value = -1.0,
             .description = "mass in the scaling factor k_ave + m_ave/h^2; -1: the average of the model's",
             .min = -1,
             .max = 1e300}};
  }
  double factor(double k_model, double m_model, double h) const {
    return (k < 0 ? k_model : k) + (m < 0 ? m_model : m) / (h * h);
  }
};

}  // namespace escapement
