#include "simulate/active_steps.hpp"

#include "math/copy_numbers.hpp"

namespace escapement::inline simulate {

namespace {
// without what vectors of a few numbers cost more than these
inline void copy(const Vec& from, Vec& to) {
  if (to.size() != from.size()) to.resize(from.size());
  copy_numbers(from.data(), static_cast<std::size_t>(from.size()), to.data());
}

void copy_motion(const State& from, State& to) {
  to.t = from.t;
  copy(from.q, to.q);
  copy(from.v, to.v);
  copy(from.vdot, to.vdot);
  copy(from.z, to.z);
}

void copy_without_multipliers(const State& from, State& to) {
  copy_motion(from, to);
  to.memory = from.memory;
}
}  // namespace

void ActiveSteps::show(const State& s, State& here) const {
  copy_without_multipliers(s, here);
  view_.gather(s.lambda, here.lambda);
}

void ActiveSteps::take(const State& here, State& s) const {
  copy_without_multipliers(here, s);
  view_.scatter(here.lambda, s.lambda);
}

void ActiveSteps::start(Scheme& scheme, State& s) {
  show(s, from_);
  scheme.start(view_, from_);
  take(from_, s);
  to_ = begin_ = end_ = from_;
}

StepReport ActiveSteps::step(Scheme& scheme, const State& s, double h, State& s1) {
  show(s, from_);
  StepReport report = scheme.step(view_, from_, h, to_);
  for (RowResidual& worst : report.worst)
    if (worst.kind == RowResidual::Kind::row) worst.index = view_.multiplier(worst.index);
  if (report.ok()) take(to_, s1);
  return report;
}

void ActiveSteps::look_into(const State& s, const State& s1) {
  copy_motion(s, begin_);
  copy_motion(s1, end_);
  view_.gather(s.lambda, begin_.lambda);
  view_.gather(s1.lambda, end_.lambda);
  end_.memory = s1.memory;
  copy(s.lambda, lambda_);
  copy(s1.lambda, lambda1_);
}

void ActiveSteps::interpolate(const Scheme& scheme, double theta, State& out) {
  // the multipliers of the rows here change places with those of the system while the scheme finds them
  out.lambda.swap(on_rows_);
  scheme.interpolate(view_, begin_, end_, theta, out);
  out.lambda.swap(on_rows_);
  // friction of sliding contacts has no row
  out.lambda.resize(lambda_.size());
  for (int i = 0; i < lambda_.size(); ++i) out.lambda[i] = (1 - theta) * lambda_[i] + theta * lambda1_[i];
  view_.replace(on_rows_, out.lambda);
}

}  // namespace escapement
