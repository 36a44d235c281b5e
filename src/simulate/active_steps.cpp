#include "simulate/active_steps.hpp"

namespace escapement {

namespace {
void copy_without_multipliers(const State& from, State& to) {
  to.t = from.t;
  to.q = from.q;
  to.v = from.v;
  to.vdot = from.vdot;
  to.z = from.z;
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
  to_ = between_ = from_;
}

StepReport ActiveSteps::step(Scheme& scheme, const State& s, double h, State& s1) {
  show(s, from_);
  StepReport report = scheme.step(view_, from_, h, to_);
  for (RowResidual& worst : report.worst)
    if (worst.kind == RowResidual::Kind::row) worst.index = view_.multiplier(worst.index);
  if (report.ok()) take(to_, s1);
  return report;
}

void ActiveSteps::interpolate(const Scheme& scheme, const State& s, const State& s1, double theta, State& out) {
  show(s, from_);
  show(s1, to_);
  scheme.interpolate(view_, from_, to_, theta, between_);
  copy_without_multipliers(between_, out);
  // friction of sliding contacts has no row
  out.lambda = (1 - theta) * s.lambda + theta * s1.lambda;
  for (int i = 0; i < between_.lambda.size(); ++i) out.lambda[view_.multiplier(i)] = between_.lambda[i];
}

}  // namespace escapement
