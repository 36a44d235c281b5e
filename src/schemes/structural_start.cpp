#include "schemes/structural_start.hpp"

#include <cmath>

#include "math/tolerances.hpp"
#include "schemes/stage_rates.hpp"

namespace escapement::inline schemes {

namespace {

// fills the head (v) and the tail (z) of one vector
void join(const Vec& v, const Vec& z, Vec& out) {
  out.head(v.size()) = v;
  out.tail(z.size()) = z;
}

}  // namespace

StructuralStart::StructuralStart(const Options& options)
    : rule_(options.text("start")), one_step_(make_scheme("hem5")) {}

void StructuralStart::begin(const System& sys, const StructuralMethod& method, State& s, const Vec& zdot) {
  const Dim& dim = sys.dim();
  const int g = method.degree(), n = dim.v + dim.z;
  s.memory.vectors.assign(g - 1, Vec::Zero(n));
  s.memory.numbers.assign(2, 0.0);
  join(s.vdot, zdot, s.memory.vectors[0]);

  bool known = g == 3 || rule_ == "zero";
  if (rule_ == "exact" && g > 3 && dim.z == 0) {
    Mat d = Mat::Zero(dim.v, g - 2);
    known = sys.derivatives(s, g - 2, d) == g - 2;
    if (known)
      for (int k = 1; k < g - 2; ++k) s.memory.vectors[k] = d.col(k);
  }
  if (!known) s.memory.numbers[1] = rule_ == "small-step" ? small_steps : differences;
  s.memory.vectors[g - 2] = s.memory.vectors[g - 3];
  if (method.family() == StructuralFamily::CE) s.memory.vectors.push_back(s.q);

  for (Vec& rate : rate_) rate.setZero(n);
  sys.prepare(T_);
  from_ = a_ = b_ = s;
  if (!known && rule_ != "small-step") one_step_->start(sys, from_);
  near_ = far_ = from_;
}

bool StructuralStart::same_step(const State& s, double h) {
  return std::abs(s.memory.numbers[0] - h) <= little::same_step * std::abs(h);
}

Status StructuralStart::load(const System& sys, const StructuralMethod& method, const State& s, double h,
                             DerivativeChain& x, Vec& p_before) {
  const int g = method.degree();
  join(s.v, s.z, x[1]);
  for (int k = 2; k < g; ++k) x[k] = s.memory.vectors[k - 2];
  p_before = s.memory.vectors[g - 2];
  if (static_cast<int>(s.memory.numbers[1]) == differences) {
    const Status status = difference(sys, method, s, h, x);
    p_before = x[g - 1];
    return status;
  }
  // a step of another size is a restart from the remembered derivatives, with p(t-h) on the line through the last two p
  const double last = s.memory.numbers[0];
  if (last != 0 && !same_step(s, h)) p_before = x[g - 1] - (h / last) * (x[g - 1] - p_before);
  return Status::ok;
}

void StructuralStart::store(const StructuralMethod& method, const DerivativeChain& x, const Vec& p_before, double h,
                            State& s1) {
  const int g = method.degree();
  set_rates(s1, x, s1.z.size());
  for (int k = 2; k < g; ++k) s1.memory.vectors[k - 2] = x[k];
  s1.memory.vectors[g - 2] = p_before;
  s1.memory.numbers[0] = h;
  s1.memory.numbers[1] = nothing;
}

// central differences of the accelerations at four neighbours, close enough for an error far below the method's own;
// what rounding adds to v, some 30 h eps |v'| in all, is harmless
Status StructuralStart::difference(const System& sys, const StructuralMethod& method, const State& s, double h,
                                   DerivativeChain& x) {
  const double d = h / 8;
  copy_point(s, from_);
  from_.vdot = s.vdot;
  from_.lambda = s.lambda;
  for (int side : {-1, 1}) {
    const int first = side < 0 ? 1 : 2, second = side < 0 ? 0 : 3;
    if (const Status status = sample(sys, from_, side * d, near_, rate_[first]); status != Status::ok) return status;
    if (const Status status = sample(sys, near_, side * d, far_, rate_[second]); status != Status::ok) return status;
  }
  x[3] = (1 / (12 * d)) * (rate_[0] - 8 * rate_[1] + 8 * rate_[2] - rate_[3]);
  if (method.degree() == 5) x[4] = (1 / (12 * d * d)) * (16 * (rate_[1] + rate_[2]) - rate_[0] - rate_[3] - 30 * x[2]);
  return Status::ok;
}

Status StructuralStart::sample(const System& sys, const State& from, double h, State& to, Vec& rate) {
  const StepReport report = one_step_->step(sys, from, h, to);
  if (!report.ok()) return report.status;
  sys.evaluate(to, Need::force, T_);
  join(to.vdot, T_.zdot, rate);
  return Status::ok;
}

}  // namespace escapement
