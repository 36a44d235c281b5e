#include "schemes/error_norm.hpp"

#include <cmath>

namespace escapement::inline schemes {

ErrorNorm::ErrorNorm(const Options& options) {
  const std::string& kind = options.text("error_norm");
  kind_ = kind == "maximum" ? Kind::maximum : kind == "euclidean" ? Kind::euclidean : Kind::rms;
  absolute_ = options.text("error_scale") == "absolute";
  positions_only_ = options.text("error_of") == "positions";
}

std::vector<OptionInfo> ErrorNorm::options() {
  return {{.name = "error_norm",
           .value = std::string("rms"),
           .description = "norm of a step's errors that the tolerance bounds: root mean square, Euclidean, maximum",
           .choices = {"rms", "euclidean", "maximum"}},
          {.name = "error_scale",
           .value = std::string("mixed"),
           .description = "what each error is divided by: 1 + |x|, or nothing",
           .choices = {"mixed", "absolute"}},
          {.name = "error_of",
           .value = std::string("state"),
           .description = "whose errors count: of positions, velocities and states, or of positions alone",
           .choices = {"state", "positions"}}};
}

double ErrorNorm::operator()(const Vec& error_q, const Vec& error_v, const State& s1, const Scale& one,
                             std::span<const double> error_states) const {
  double sum = 0, largest = 0;
  auto count = [&](const auto& error, const Vec& x, auto scale) {
    for (int i = 0; i < static_cast<int>(error.size()); ++i) {
      const double e = std::abs(error[i]) / (absolute_ ? 1 : scale(i) + std::abs(x[i]));
      sum += e * e;
      largest = e > largest || std::isnan(e) ? e : largest;
    }
  };
  count(error_q, s1.q, [&](int i) { return one.q(i); });
  if (!positions_only_) {
    count(error_v, s1.v, [&](int i) { return one.v(i); });
    count(error_states, s1.z, [](int) { return 1.0; });
  }
  if (kind_ == Kind::maximum) return largest;
  if (kind_ == Kind::euclidean) return std::sqrt(sum);
  double size = static_cast<double>(error_q.size());
  if (!positions_only_) size += static_cast<double>(error_v.size()) + static_cast<double>(error_states.size());
  return size > 0 ? std::sqrt(sum / size) : 0;
}

}  // namespace escapement
