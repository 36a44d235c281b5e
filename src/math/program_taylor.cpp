// A program run in truncated Taylor arithmetic.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/program.hpp"
#include "math/table.hpp"
#include "math/taylor.hpp"

namespace escapement::inline math {
namespace {

constexpr std::size_t spare_polynomials = 6;  // two results, two operands moved out of the way, two to work with

}  // namespace

std::size_t Program::taylor_scratch_size(int order) const {
  return (code_->registers + spare_polynomials) * (std::size_t(order) + 1);
}

void Program::run_taylor(int order, const double* in, double* out, double* scratch) const {
  if (order < 0) throw std::invalid_argument("the order of a Taylor polynomial is at least 0");
  const int n = order + 1;
  const std::size_t registers = code_->registers;
  const auto at = [&](std::size_t r) { return scratch + r * std::size_t(n); };
  const auto put = [&](std::size_t r, const double* polynomial) { std::copy(polynomial, polynomial + n, at(r)); };
  const auto put_number = [&](double* y, double value) { std::fill(y, y + n, 0.0), y[0] = value; };
  double *const y = at(registers), *const y2 = at(registers + 1), *const w = at(registers + 2),
                *const w2 = at(registers + 3), *const w3 = at(registers + 4);
  for (std::size_t i = 0; i < constants_.size(); ++i) put_number(at(i), constants_[i]);
  for (std::size_t i = 0; i < inputs_; ++i) put(constants_.size() + i, in + i * std::size_t(n));

  for (const Instruction& i : code_->basic) {
    const double* a = at(i.operands[0]);
    const double* b = at(i.operands[1]);  // meaningless where there is none
    switch (i.code) {
      case Code::copy:
        std::copy(a, a + n, y);
        break;
      case Code::add:
        for (int k = 0; k < n; ++k) y[k] = a[k] + b[k];
        break;
      case Code::subtract:
        for (int k = 0; k < n; ++k) y[k] = a[k] - b[k];
        break;
      case Code::multiply:
        taylor::multiply(n, a, b, y);
        break;
      case Code::divide:
        taylor::divide(n, a, b, y);
        break;
      case Code::negate:
        for (int k = 0; k < n; ++k) y[k] = -a[k];
        break;
      case Code::square_root:
        taylor::square_root(n, a, y);
        break;
      case Code::sine_cosine:
      case Code::sine:
        taylor::sine_cosine(n, a, y, y2);
        break;
      case Code::cosine:
        taylor::sine_cosine(n, a, y2, y);
        break;
      case Code::tangent:
        taylor::tangent(n, a, y, w, 1);
        break;
      case Code::hyperbolic_tangent:
        taylor::tangent(n, a, y, w, -1);
        break;
      case Code::hyperbolic_sine:
        taylor::hyperbolic_sine_cosine(n, a, y, y2);
        break;
      case Code::hyperbolic_cosine:
        taylor::hyperbolic_sine_cosine(n, a, y2, y);
        break;
      case Code::arc_sine:
        taylor::arc_sine(n, a, y, w, w2);
        break;
      case Code::arc_cosine:
        taylor::arc_sine(n, a, y, w, w2);
        for (int k = 1; k < n; ++k) y[k] = -y[k];
        y[0] = std::acos(a[0]);
        break;
      case Code::arc_tangent:
        taylor::arc_tangent(n, a, y, w);
        break;
      case Code::exponential:
        taylor::exponential(n, a, y);
        break;
      case Code::logarithm:
        taylor::logarithm(n, a, y);
        break;
      case Code::absolute: {
        const double sign = double(a[0] > 0) - double(a[0] < 0);
        for (int k = 0; k < n; ++k) y[k] = sign * a[k];
        break;
      }
      case Code::sign:
        put_number(y, double(a[0] > 0) - double(a[0] < 0));
        break;
      case Code::table: {
        const auto derivatives = calls_[i.call].table->derivatives(a[0]);
        taylor::compose(n, std::span(derivatives).subspan(std::size_t(calls_[i.call].order)), a, y, w, w2);
        break;
      }
      case Code::arc_tangent2:
        taylor::arc_tangent2(n, a, b, y, w);
        break;
      case Code::power:
        if (std::all_of(b + 1, b + n, [](double x) { return x == 0; })) {
          taylor::power(n, a, b[0], y);
        } else {
          taylor::logarithm(n, a, w);
          taylor::multiply(n, b, w, w3);
          taylor::exponential(n, w3, y);
          y[0] = std::pow(a[0], b[0]);
        }
        break;
      case Code::minimum:
        std::copy_n(b[0] < a[0] ? b : a, n, y);
        break;
      case Code::maximum:
        std::copy_n(a[0] < b[0] ? b : a, n, y);
        break;
      case Code::less:
        put_number(y, a[0] < b[0]);
        break;
      case Code::less_equal:
        put_number(y, a[0] <= b[0]);
        break;
      case Code::equal:
        put_number(y, a[0] == b[0]);
        break;
      case Code::not_equal:
        put_number(y, a[0] != b[0]);
        break;
      case Code::select:
        std::copy_n(a[0] != 0 ? b : at(i.operands[2]), n, y);
        break;
    }
    put(i.targets[0], y);
    if (i.code == Code::sine_cosine) put(i.targets[1], y2);
  }
  for (std::size_t i = 0; i < code_->outputs.size(); ++i)
    std::copy_n(at(code_->outputs[i]), n, out + i * std::size_t(n));
}

}  // namespace escapement
