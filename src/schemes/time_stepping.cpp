#include "schemes/time_stepping.hpp"

#include <cmath>
#include <limits>

#include "math/rows.hpp"
#include "math/symmetric_factors.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline schemes {

std::vector<OptionInfo> velocity_contact_options() {
  return {
      {.name = "contact_solver", .value = std::string("lemke"), .description = "solver of the contact problem", .choices = contact_solver_choices()},
      {.name = "impact_law", .value = std::string("newton"), .description = "law of impact", .choices = impact_law_names()},
  };
}

namespace {
// a contact without force in the last step has taken an impulse in this one, at an instant nobody knows
bool has_struck(const Dim& dim, const State& s, const State& s1) {
  for (int i = dim.bilateral; i < dim.rows(); ++i)
    if (s.lambda[i] == 0 && s1.lambda[i] != 0) return true;
  return false;
}
}  // namespace

void interpolate_time_stepping(const System& sys, const State& s, const State& s1, double theta, State& out) {
  out = theta > 0 ? s1 : s;
  if (theta <= 0 || theta >= 1) return;
  const double h = s1.t - s.t;
  out.t = s.t + theta * h;
  out.z = (1 - theta) * s.z + theta * s1.z;
  thread_local Vec dx;
  sys.difference(s.q, s1.q, dx);
  if (has_struck(sys.dim(), s, s1)) {
    dx *= theta;
  } else {
    out.v = (1 - theta) * s.v + theta * s1.v;
    // the integral of v, and what is missing to the end by a polynomial that is flat at both ends
    const double flat = theta * theta * (3 - 2 * theta);
    dx = flat * (dx - 0.5 * h * (s.v + s1.v)) + 0.5 * h * theta * (s.v + out.v);
  }
  sys.retract(s.q, dx, out.q);
}

void middle_of_time_stepping(const System& sys, const State& s, const State& s1, State& out) {
  out.lambda = s1.lambda;
  out.t = 0.5 * (s.t + s1.t);
  thread_local Vec dx;
  sys.difference(s.q, s1.q, dx);
  dx *= 0.5;
  sys.retract(s.q, dx, out.q);
  out.v = 0.5 * (s.v + s1.v);
  out.z = 0.5 * (s.z + s1.z);
}

double largest_coordinate(const System& sys, const Vec& q) {
  double largest = 0;
  const Scale& one = sys.scale();
  if (one.given()) {
    for (int i = 0; i < q.size(); ++i) largest = std::max(largest, std::abs(q[i]) / one.q(i));
  } else {
    for (int i = 0; i < q.size(); ++i) largest = std::max(largest, std::abs(q[i]));
  }
  return 1 + largest;
}

namespace {
[[gnu::always_inline]] inline double inline_one_of_row(const Scale& scale, const Matrix& rows, int row) {
  double sum = 0;
  if (scale.given()) {
    for_each_of_row(rows, row, [&](int j, double x) { sum += std::abs(x) * scale.v(j); });
  } else {
    for_each_of_row(rows, row, [&sum](int, double x) { sum += std::abs(x); });
  }
  return sum;
}
}  // namespace

double one_of_row(const Scale& scale, const Matrix& rows, int row) { return inline_one_of_row(scale, rows, row); }

double rest_velocity(const System& sys, const Vec& v) {
  double largest = little::hardly_moving;
  const Scale& one = sys.scale();
  if (one.given()) {
    for (int i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(v[i]) / one.v(i));
  } else {
    for (int i = 0; i < v.size(); ++i) largest = std::max(largest, std::abs(v[i]));
  }
  return little::solved * largest;
}

bool is_jammed(const ImpactProblem& problem, int row) {
  constexpr double many = 10;
  return problem.contact.W(row, row) * problem.P[row] > many * (std::abs(problem.u_free[row]) + std::abs(problem.u_minus[row]));
}

void start_accelerations(const System& sys, State& s, ContactResponse& response) {
  Terms T;
  sys.prepare(T);
  sys.evaluate(s, Need::mass | Need::force | Need::jacobian | Need::curvature, T);
  s.lambda.setZero();
  const Vec rows = -T.kappa.head(sys.dim().bilateral);
  if (response.factor(T.M, T.G)) {
    response.solve(T.f, rows, s.vdot, s.lambda);
  } else {
    s.vdot.setConstant(std::nan(""));  // the loop reports it
  }
}

namespace {
constexpr int most_plain = 6, most_plain_contacts = 16;  // velocities, contacts
}

VelocityContacts::VelocityContacts(const Options& options)
    : solver_(make_contact_solver(options.text("contact_solver") == "lemke" ? "exact" : options.text("contact_solver"))),
      law_(find_impact_law(options.text("impact_law"))) {}

void VelocityContacts::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  scale_ = &sys.scale();
  response_.resize(sys);
  solver_->reserve(contact_room(dim.unilateral + dim.slip));
  problem_.reserve(contact_room(dim.unilateral + dim.slip));
  drive_.setZero(dim.unilateral + dim.slip);
  right_.setZero(dim.v);
  sys.prepare(at_end_);
  end_ = make_state(dim);
  depth_.setZero(dim.unilateral);
  change_.setZero(dim.v);
  const auto contacts = sys.contacts();
  plain_system_ = dim.bilateral == 0 && dim.slip == 0 && dim.v <= most_plain && dim.unilateral <= most_plain_contacts &&
                  !std::any_of(contacts.begin(), contacts.end(), [](const ContactLaw& law) { return law.is_brake(); }) && !at_end_.M.is_sparse();
  plain_ = false;
  if (dim.slip > 0) need_ = Need::gap | Need::jacobian | Need::slip;
  set_.reserve(sys.contacts().size());
  impacts_.clear();
  impacts_.reserve(dim.unilateral);
  s.memory.vectors.clear();
  s.memory.numbers.assign(dim.unilateral + 2, 0);  // 1: the contact was closed in the last step; of ContactErrors; its size
  start_accelerations(sys, s, response_);
  errors_.start(sys, s);
}

[[gnu::noinline]] bool VelocityContacts::touches(const Terms& T, double gap, double rounding, int row) const {
  return gap <= 0 || gap <= rounding * inline_one_of_row(*scale_, T.G, row);
}

void VelocityContacts::choose(const System& sys, const Terms& T, const Vec& q, double touch) {
  set_.clear();
  const int n = response_.contacts(), first = response_.first_row();
  const double rounding = n > 0 ? std::max(touch, 30 * std::numeric_limits<double>::epsilon() * largest_coordinate(sys, q)) : 0;
  const double* const gap = T.g.data() + first;
  constexpr double furthest = 0x1p30;  // no row moves its gap by so many times what counts as one: others need no closer look
  const double far = furthest * rounding * scale_->unit();
  for (int i = 0; i < n; ++i)
    if (gap[i] <= far && touches(T, gap[i], rounding, first + i)) set_.push_back(i);
  for (int i = n; i < response_.laws(); ++i) set_.push_back(i);
}

// of the gap rates of the set: they are sums of terms larger than themselves
double VelocityContacts::rounding_of(const Terms& T, const Vec& v) const {
  double largest = 0;
  for (const ContactResponse::Row& row : response_.rows()) {
    if (row.is_slip) continue;
    double size = std::abs(T.g_t[row.row]), one = 0;
    const double* const at = v.data();
    if (scale_->given()) {
      for_each_of_row(T.G, row.row, [&](int j, double x) {
        size += std::abs(x * at[j]);
        one += std::abs(x) * scale_->v(j);
      });
    } else {
      for_each_of_row(T.G, row.row, [&](int j, double x) {
        size += std::abs(x * at[j]);
        one += std::abs(x);
      });
    }
    largest = std::max(largest, std::max(size, one));
  }
  return 4 * std::numeric_limits<double>::epsilon() * largest;
}

bool VelocityContacts::solve(const Terms& T, double h, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport& report) {
  if (plain_system_ && !estimates_) {  // which need answers afterwards
    switch (v.size()) {
      case 1: return solve_plain<1>(T, h, rows, v, v1, lambda, report);
      case 2: return solve_plain<2>(T, h, rows, v, v1, lambda, report);
      case 3: return solve_plain<3>(T, h, rows, v, v1, lambda, report);
      case 4: return solve_plain<4>(T, h, rows, v, v1, lambda, report);
      case 5: return solve_plain<5>(T, h, rows, v, v1, lambda, report);
      case 6: return solve_plain<6>(T, h, rows, v, v1, lambda, report);
    }
  }
  return solve_general(T, h, rows, v, v1, lambda, report);
}

bool VelocityContacts::solve_general(const Terms& T, double h, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport& report) {
  right_ = h * T.f;
  add_product(T.M, v, right_);
  return solve(T, h, T.M, T.G, right_, rows, v, v1, lambda, report);
}

// What solve() does, in the same order, where there is less to do: with the factors of M, on plain arrays, and with sizes that the
// compiler knows
template <int V>
bool VelocityContacts::solve_plain(const Terms& T, double h, const Vec& bilateral, const Vec& v_before, Vec& v_after, Vec& lambda, StepReport& report) {
  SymmetricFactors<V> mass;
  plain_ = mass.factor(T.M.dense().data());
  if (!plain_) return solve_general(T, h, bilateral, v_before, v_after, lambda, report);
  const double *const v = v_before.data(), *const f = T.f.data();
  double *const v1 = v_after.data(), change[V];
  for (int i = 0; i < V; ++i) change[i] = h * f[i];
  mass.solve(change);
  for (int i = 0; i < V; ++i) v1[i] = v[i] + change[i];
  const int n = static_cast<int>(set_.size());
  report.linear_solves += 1 + n;
  bool finite = true;
  if (n > 0) {
    if (problem_.rows() != n) {
      problem_.clear();
      for (int k = 0; k < n; ++k) problem_.add(Cone::non_negative(), 0);
    }
    double G[most_plain_contacts][V], answer[most_plain_contacts][V];
    const double* const rows = T.G.dense().data();
    const int stride = T.G.rows();
    double noise = 0, unit[V];
    for (int j = 0; j < V; ++j) unit[j] = scale_->v(j);
    for (int k = 0; k < n; ++k) {
      const int r = set_[k];
      const double drive = T.g_t[r];
      double before = 0, free = 0, size = std::abs(drive), one = 0;
      for (int j = 0; j < V; ++j) {
        const double g = rows[j * stride + r], rate = g * v1[j];
        G[k][j] = answer[k][j] = g;
        before += g * v[j];
        free += rate;
        size += std::abs(rate);
        one += std::abs(g) * unit[j];
      }
      mass.solve(answer[k]);
      drive_[k] = drive;
      problem_.u_minus[k] = before + drive;
      problem_.u_free[k] = free + drive;
      problem_.P[k] = 0;
      problem_.restitution[k] = response_.law(r).restitution;
      noise = std::max(noise, std::max(size, one));
    }
    double* W = problem_.contact.W.data();
    for (int k = 0; k < n; ++k, W += problem_.contact.W.outerStride())
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < V; ++j) sum += G[i][j] * answer[k][j];
        W[i] = sum;
      }
    problem_.contact.noise = 4 * std::numeric_limits<double>::epsilon() * noise;
    const ImpactReport impact = solve_step(law_, problem_, *solver_);
    if (!impact.ok) {
      report.status = Status::contact_unsolved;
      for (int k = 0; k < n; ++k) note_residual(report, RowResidual::Kind::row, set_[k], problem_.u_plus[k]);
      return false;
    }
    report.energy_gain = report.energy_gain || impact.energy_gain;
    for (int k = 0; k < n; ++k) {
      const double P = lambda[set_[k]] = problem_.P[k];
      if (P == 0) continue;
      for (int j = 0; j < V; ++j) v1[j] += P * answer[k][j];
    }
  }
  for (int i = 0; i < V; ++i) finite = finite && std::isfinite(v1[i]);
  if (!finite) report.status = Status::not_finite;
  return finite;
}

bool VelocityContacts::solve_free(const Terms& T, double h, const Matrix& A, const Matrix& bottom, const Vec& right, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport& report) {
  plain_ = false;
  const int before = response_.solves();
  if (!response_.factor(A, T.G, bottom)) {
    report.status = response_.finite() ? Status::singular_matrix : Status::not_finite;
    return false;
  }
  response_.solve(right, rows, v1, lambda);
  response_.respond(T, set_);
  if (!set_.empty()) {
    response_.fill(T, h, problem_);
    for (const ContactResponse::Row& row : response_.rows()) {
      drive_[row.at] = row.drive(T);
      problem_.u_minus[row.at] = row.velocity(T, v);
      problem_.u_free[row.at] = row.velocity(T, v1);
    }
    problem_.contact.noise = rounding_of(T, v1);
  }
  report.linear_solves += response_.solves() - before;
  return true;
}

void VelocityContacts::take_impulses(const Terms& T, const Vec& v1, Vec& lambda) {
  if (set_.empty()) return;
  for (const ContactResponse::Row& row : response_.rows()) {
    problem_.u_plus[row.at] = row.velocity(T, v1);
    lambda[row.multiplier] = problem_.P[row.at];
  }
}

bool VelocityContacts::solve(const Terms& T, double h, const Matrix& A, const Matrix& bottom, const Vec& right, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport& report) {
  if (!solve_free(T, h, A, bottom, right, rows, v, v1, lambda, report)) return false;
  if (!set_.empty()) {
    std::fill_n(problem_.P.data(), problem_.rows(), 0.0);
    response_.follow(lambda, problem_.P, problem_);
    ImpactReport impact = solve_step(law_, problem_, *solver_);
    for (int round = 0; impact.ok && round < most_followed && response_.follow(lambda, problem_.P, problem_); ++round)
      impact = solve_step(law_, problem_, *solver_);
    if (!impact.ok) {
      report.status = Status::contact_unsolved;
      for (const ContactResponse::Row& row : response_.rows())
        if (!row.is_slip) note_residual(report, RowResidual::Kind::row, row.row, problem_.u_plus[row.at]);
      return false;
    }
    report.energy_gain = report.energy_gain || impact.energy_gain;
    response_.apply(problem_.P, v1, lambda);
    for (const ContactResponse::Row& row : response_.rows()) lambda[row.multiplier] = problem_.P[row.at];
  }
  return is_met(bottom, rows, v1, report);
}

bool VelocityContacts::is_met(const Matrix& bottom, const Vec& rows, const Vec& v1, StepReport& report) const {
  if (!v1.allFinite()) report.status = Status::not_finite;
  if (report.ok() && response_.redundant() && !held(bottom, rows, v1, report)) report.status = Status::contradicting_rows;
  return report.ok();
}

bool VelocityContacts::held(const Matrix& bottom, const Vec& rows, const Vec& v1, StepReport& report) const {
  bool all = true;
  for (int i = 0; i < rows.size(); ++i) {
    double left = -rows[i], size = std::abs(rows[i]);
    bottom.for_each_in_row(i, [&](int j, double x) {
      left += x * v1[j];
      size += std::abs(x) * (scale_->v(j) + std::abs(v1[j]));
    });
    if (std::abs(left) <= little::rows_met * size) continue;
    all = false;
    note_residual(report, RowResidual::Kind::row, i, left);
  }
  return all;
}

// before any correction of the position: how far contacts outside the set have sunk in
void VelocityContacts::add_missed_contacts(const ContactErrors::Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  change_ = 0.5 * h * (s.v + s1.v);
  sys.retract(s.q, change_, end_.q);
  end_.t = s1.t;
  end_.v = s1.v;
  end_.z = s1.z;
  sys.evaluate(end_, Need::gap, at_end_);
  depth_ = -at_end_.g.tail(depth_.size()).cwiseMin(0);
  for (int i : set_)
    if (i < depth_.size()) depth_[i] = 0;
  if (depth_.maxCoeff() <= 0) return;
  sys.evaluate(s, Need::gap, at_end_);  // less what was so at the start
  depth_ += at_end_.g.tail(depth_.size()).cwiseMin(0);
  for (int i = 0; i < depth_.size(); ++i) errors_.add_gap(step, i, depth_[i]);
}

void VelocityContacts::finish(const System& sys, const Terms& taken, const State& s, double h, State& s1, StepReport& report) {
  impacts_.clear();
  s1.memory.numbers.resize(s.memory.numbers.size());
  std::fill_n(s1.memory.numbers.begin(), response_.contacts(), 0.0);
  report.contact_work = 0;
  bool hit = false, follows = true;
  if (!set_.empty()) {
    // work on the system: what the moving partner of a contact contributes to U does not count
    for (int r = 0; r < problem_.rows(); ++r) report.contact_work += problem_.P[r] * (0.5 * (problem_.u_plus[r] + problem_.u_minus[r]) - drive_[r]);
    const double rest = estimates_ ? rest_velocity(sys, s.v) : 0;
    for (int k = 0; k < static_cast<int>(set_.size()); ++k) {
      const int contact = set_[k], r = plain_ ? k : response_.row(k);
      if (response_.law(contact).is_brake() || problem_.P[r] <= 0) continue;
      // rows taken inside the step leave rates to a contact that follows a moving partner: they are no impacts as long as
      // its force changes little
      const double before = problem_.u_minus[r];
      if (estimates_ && before < 0 && before < -rest * inline_one_of_row(*scale_, taken.G, response_.first_row() + contact)) {
        hit = true;
        follows = follows && problem_.P[r] <= 2 * h * s.lambda[response_.first_row() + contact];
      }
      s1.memory.numbers[contact] = 1;
      const bool struck = s.memory.numbers[contact] == 0 && problem_.u_minus[r] < 0;
      if (struck || (!plain_ && response_.slips(k) > 0 && response_.size() == 1 && is_jammed(problem_, r))) impacts_.push_back({contact, problem_.u_minus[r], problem_.u_plus[r], problem_.P[r]});
    }
  }
  const double *const v = s.v.data(), *const v1 = s1.v.data();
  double *const vdot = s1.vdot.data(), *const lambda = s1.lambda.data();
  for (int i = 0, n = static_cast<int>(s.v.size()); i < n; ++i) vdot[i] = (v1[i] - v[i]) / h;
  for (int i = 0, n = static_cast<int>(s1.lambda.size()); i < n; ++i) lambda[i] /= h;
  s1.memory.numbers.back() = h;
  if (!estimates_) return;
  const double last = s.memory.numbers.back(), distance = 0.5 * (h + last);  // accelerations are means over their steps
  // rows taken inside the step leave O(h) of their turning in the velocities: another step size changes it at once
  const bool comparable = std::abs(h - last) <= little::same_step * h || (response_.first_row() == 0 && set_.empty());
  const ContactErrors::Step step{sys, s, h, s1, report};
  const ContactErrors::Acting acting{response_, problem_.contact, taken, distance, 1, 0.5};
  errors_.look(step);
  errors_.compare(step, {.hit = hit, .follows = follows, .distance = distance, .comparable = comparable, .held = &acting});
  if (static_cast<int>(set_.size()) < response_.laws()) add_missed_contacts(step);
  errors_.add_gaps(step);
  errors_.vary_from(step, taken.f);
  errors_.add_variation(step, acting);
  errors_.add_openings(step, acting);
  errors_.add_closings(step, acting);
  errors_.add_stops(step, acting);
  if (!set_.empty()) errors_.add_onsets(step, acting);
}

}  // namespace escapement
