#include "nonsmooth/contact_response.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline nonsmooth {

void ContactResponse::resize(const System& system) {
  const Dim& dim = system.dim();
  bilateral_ = dim.bilateral;
  gaps_ = dim.rows();
  contacts_ = dim.unilateral;
  laws_.assign(system.contacts().begin(), system.contacts().end());
  kkt_.resize(dim.v, dim.bilateral);
  set_.clear();
  set_.reserve(laws_.size());
  first_of_.assign(laws_.size(), 0);
  rows_.clear();
  rows_.reserve(dim.unilateral + dim.slip);
  for (auto* list : {&answer_, &answer_mu_}) list->clear();
  make_room(contact_room(dim.unilateral + dim.slip), dim.v);
  right_.setZero(dim.v);
  for (Vec* rows : {&zero_, &carried_}) rows->setZero(dim.bilateral);
  diagonal_.setZero(dim.v);
}

void ContactResponse::make_room(std::size_t count, int v) {
  if (count <= answer_.size()) return;
  answer_.resize(count, Vec::Zero(v));
  answer_mu_.resize(count, Vec::Zero(bilateral_));
}

bool ContactResponse::factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  if (bilateral_ > 0 && !laws_.empty())
    for (int i = 0; i < diagonal_.size(); ++i) diagonal_[i] = A(i, i);
  return kkt_.factor(A, G_top, G_bottom);
}

bool ContactResponse::held_fast(const Terms& T, int k) const {
  if (bilateral_ == 0) return false;
  const Row& row = rows_[first_of_[k]];
  double alone = 0;
  (row.is_slip ? T.T : T.G).for_each_in_row(row.row, [&](int j, double g) { alone += diagonal_[j] > 0 ? g * g / diagonal_[j] : 0; });
  return !(row.dot(T, answer_[row.at]) > little::row_left * alone);
}

void ContactResponse::respond(const Terms& T, const std::vector<int>& set) {
  set_.assign(set.begin(), set.end());
  rows_.clear();
  for (int k = 0; k < size(); ++k) {
    const ContactLaw& law = laws_[set_[k]];
    first_of_[k] = static_cast<int>(rows_.size());
    if (!law.is_brake()) rows_.push_back({first_of_[k], false, bilateral_ + set_[k], bilateral_ + set_[k]});
    for (int j = law.slip; j < law.slip + law.slip_rows(); ++j) rows_.push_back({static_cast<int>(rows_.size()), true, j, gaps_ + j});
  }
  make_room(rows_.size(), static_cast<int>(right_.size()));
  for (const Row& row : rows_) {
    copy_row(row.is_slip ? T.T : T.G, row.row, right_);
    kkt_.solve(right_, zero_, answer_[row.at], answer_mu_[row.at]);
  }
}

void ContactResponse::fill(const Terms& T, double time, ImpactProblem& problem) {
  problem.clear();
  for (int k = 0; k < size(); ++k) {
    const ContactLaw& law = laws_[set_[k]];
    problem.add(law.is_brake() ? Cone::interval(law.brake * time) : Cone::friction(law.slip_rows(), law.friction), law.restitution);
  }
  Mat& W = problem.contact.W;
  for (const Row& i : rows_)
    for (const Row& j : rows_) W(i.at, j.at) = i.dot(T, answer_[j.at]);
  for (int k = 0; bilateral_ > 0 && k < size(); ++k) {
    if (!held_fast(T, k)) continue;
    problem.contact.cones[k].offset = 0;
    for (int r = row(k); r < row(k) + problem.contact.cones[k].rows(); ++r)
      for (int c = 0; c < problem.rows(); ++c) W(r, c) = W(c, r) = 0;
  }
}

bool ContactResponse::follow(const Vec& on_rows, const Vec& P, ImpactProblem& problem) {
  if (bilateral_ == 0) return false;
  bool any = false;
  for (const int i : set_) any = any || laws_[i].follows();
  if (!any) return false;
  carried_ = on_rows.head(bilateral_);
  for (const Row& row : rows_) carried_ += P[row.at] * answer_mu_[row.at];
  return limit_by(carried_, problem);
}

bool ContactResponse::limit_by(const Vec& on_rows, ImpactProblem& problem) const {
  bool changed = false;
  for (int k = 0; k < size(); ++k) {
    const ContactLaw& law = laws_[set_[k]];
    if (!law.follows() || problem.contact.W(row(k), row(k)) == 0) continue;
    double& limit = problem.contact.cones[k].offset;
    const double now = law.limit(law.pressing(on_rows, 0));
    changed = changed || std::abs(now - limit) > 16 * std::numeric_limits<double>::epsilon() * now;
    limit = now;
  }
  return changed;
}

void ContactResponse::apply(const Vec& P, Vec& v, Vec& mu) const {
  for (const Row& row : rows_) {
    const double impulse = P[row.at];
    if (impulse == 0) continue;
    const Vec& answer = answer_[row.at];
    for (int i = 0; i < answer.size(); ++i) v[i] += impulse * answer[i];
    for (int i = 0; i < bilateral_; ++i) mu[i] += impulse * answer_mu_[row.at][i];
  }
}

// answers are symmetric: what a unit impulse on the contact does to the system, impulses on the system do to the contact
void ContactResponse::rows_of(const Vec& impulses, Vec& rows) const {
  for (const Row& row : rows_) rows[row.at] = answer_[row.at].dot(impulses);
}

}  // namespace escapement
