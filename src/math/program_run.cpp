#include <cmath>
#include <cstring>

#include "math/program.hpp"
#include "math/table.hpp"

namespace escapement {

void Program::run(const double* in, double* out, double* scratch) const {
  double* const r = scratch;
  for (std::size_t i = 0; i < inputs_; ++i) r[i] = in[i];
  for (std::size_t i = 0; i < constants_.size(); ++i) r[inputs_ + i] = constants_[i];
  for (const Instruction& i : code_) {
    switch (i.code) {
      case Code::copy:
        r[i.target] = r[i.a];
        break;
      case Code::add:
        r[i.target] = r[i.a] + r[i.b];
        break;
      case Code::subtract:
        r[i.target] = r[i.a] - r[i.b];
        break;
      case Code::multiply:
        r[i.target] = r[i.a] * r[i.b];
        break;
      case Code::divide:
        r[i.target] = r[i.a] / r[i.b];
        break;
      case Code::negate:
        r[i.target] = -r[i.a];
        break;
      case Code::square_root:
        r[i.target] = std::sqrt(r[i.a]);
        break;
      case Code::sine_cosine: {
        const double angle = r[i.a];
        r[i.target] = std::sin(angle);
        r[i.second] = std::cos(angle);
        break;
      }
      case Code::sine:
        r[i.target] = std::sin(r[i.a]);
        break;
      case Code::cosine:
        r[i.target] = std::cos(r[i.a]);
        break;
      case Code::tangent:
        r[i.target] = std::tan(r[i.a]);
        break;
      case Code::arc_sine:
        r[i.target] = std::asin(r[i.a]);
        break;
      case Code::arc_cosine:
        r[i.target] = std::acos(r[i.a]);
        break;
      case Code::arc_tangent:
        r[i.target] = std::atan(r[i.a]);
        break;
      case Code::hyperbolic_sine:
        r[i.target] = std::sinh(r[i.a]);
        break;
      case Code::hyperbolic_cosine:
        r[i.target] = std::cosh(r[i.a]);
        break;
      case Code::hyperbolic_tangent:
        r[i.target] = std::tanh(r[i.a]);
        break;
      case Code::exponential:
        r[i.target] = std::exp(r[i.a]);
        break;
      case Code::logarithm:
        r[i.target] = std::log(r[i.a]);
        break;
      case Code::absolute:
        r[i.target] = std::abs(r[i.a]);
        break;
      case Code::sign:
        r[i.target] = double(r[i.a] > 0) - double(r[i.a] < 0);
        break;
      case Code::table:
        r[i.target] = calls_[i.c].table->evaluate(r[i.a], calls_[i.c].order);
        break;
      case Code::arc_tangent2:
        r[i.target] = std::atan2(r[i.a], r[i.b]);
        break;
      case Code::power:
        r[i.target] = std::pow(r[i.a], r[i.b]);
        break;
      case Code::minimum:
        r[i.target] = r[i.b] < r[i.a] ? r[i.b] : r[i.a];
        break;
      case Code::maximum:
        r[i.target] = r[i.a] < r[i.b] ? r[i.b] : r[i.a];
        break;
      case Code::less:
        r[i.target] = r[i.a] < r[i.b];
        break;
      case Code::less_equal:
        r[i.target] = r[i.a] <= r[i.b];
        break;
      case Code::equal:
        r[i.target] = r[i.a] == r[i.b];
        break;
      case Code::not_equal:
        r[i.target] = r[i.a] != r[i.b];
        break;
      case Code::select:
        r[i.target] = r[i.a] != 0 ? r[i.b] : r[i.c];
        break;
    }
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) out[i] = r[outputs_[i]];
}

}  // namespace escapement
