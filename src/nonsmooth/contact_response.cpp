#include "nonsmooth/contact_response.hpp"

namespace escapement {

void ContactResponse::resize(const System& system) {
  const Dim& dim = system.dim();
  bilateral_ = dim.bilateral;
  laws_.assign(system.contacts().begin(), system.contacts().end());
  kkt_.resize(dim.v, dim.bilateral);
  set_.clear();
  set_.reserve(laws_.size());
  row_.assign(laws_.size(), 0);
  for (auto* list : {&normal_, &slip_, &normal_mu_, &slip_mu_}) list->clear();
  make_room(contact_room(contacts()), dim.v);
  right_.setZero(dim.v);
  zero_.setZero(dim.bilateral);
  diagonal_.setZero(dim.v);
}

void ContactResponse::make_room(std::size_t count, int v) {
  if (count <= normal_.size()) return;
  for (auto* list : {&normal_, &slip_}) list->resize(count, Vec::Zero(v));
  for (auto* list : {&normal_mu_, &slip_mu_}) list->resize(count, Vec::Zero(bilateral_));
}

bool ContactResponse::factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  if (bilateral_ > 0 && !laws_.empty())
    for (int i = 0; i < diagonal_.size(); ++i) diagonal_[i] = A(i, i);
  return kkt_.factor(A, G_top, G_bottom);
}

bool ContactResponse::held_fast(const Terms& T, int k) const {
  if (bilateral_ == 0) return false;
  const int row = bilateral_ + set_[k];
  double alone = 0;
  T.G.for_each_in_row(row, [&](int j, double g) { alone += diagonal_[j] > 0 ? g * g / diagonal_[j] : 0; });
  return !(T.G.row_dot(row, normal_[k]) > 1e-12 * alone);
}

void ContactResponse::respond(const Terms& T, const std::vector<int>& set) {
  set_.assign(set.begin(), set.end());
  make_room(set_.size(), static_cast<int>(right_.size()));
  for (int k = 0; k < size(); ++k) {
    right_.setZero();
    T.G.add_row(bilateral_ + set_[k], 1, right_);
    kkt_.solve(right_, zero_, normal_[k], normal_mu_[k]);
    if (!frictional(set_[k])) continue;
    right_.setZero();
    T.T.add_row(laws_[set_[k]].slip, 1, right_);
    kkt_.solve(right_, zero_, slip_[k], slip_mu_[k]);
  }
}

void ContactResponse::fill(const Terms& T, ImpactProblem& problem) {
  problem.clear();
  for (int k = 0; k < size(); ++k) {
    const ContactLaw& law = laws_[set_[k]];
    row_[k] = problem.add(frictional(set_[k]) ? Cone::coulomb(law.friction) : Cone::non_negative(), law.restitution);
  }
  Mat& W = problem.contact.W;
  for (int i = 0; i < size(); ++i) {
    const int g = bilateral_ + set_[i], t = laws_[set_[i]].slip, r = row_[i];
    for (int j = 0; j < size(); ++j) {
      const int c = row_[j];
      const bool slides = frictional(set_[j]);
      W(r, c) = T.G.row_dot(g, normal_[j]);
      if (slides) W(r, c + 1) = T.G.row_dot(g, slip_[j]);
      if (!frictional(set_[i])) continue;
      W(r + 1, c) = T.T.row_dot(t, normal_[j]);
      if (slides) W(r + 1, c + 1) = T.T.row_dot(t, slip_[j]);
    }
  }
  for (int k = 0; k < size(); ++k) {
    if (!held_fast(T, k)) continue;
    for (int r = row_[k]; r <= row_[k] + (frictional(set_[k]) ? 1 : 0); ++r)
      for (int c = 0; c < problem.rows(); ++c) W(r, c) = W(c, r) = 0;
  }
}

void ContactResponse::apply(const Vec& P, Vec& v, Vec& mu) const {
  for (int k = 0; k < size(); ++k) {
    const double normal = P[row_[k]];
    if (normal != 0) {
      v += normal * normal_[k];
      mu.head(bilateral_) += normal * normal_mu_[k];
    }
    if (!frictional(set_[k])) continue;
    const double tangential = P[row_[k] + 1];
    v += tangential * slip_[k];
    mu.head(bilateral_) += tangential * slip_mu_[k];
  }
}

// answers are symmetric: what a unit impulse on the contact does to the system, impulses on the system do to the contact
void ContactResponse::rows_of(const Vec& impulses, Vec& rows) const {
  for (int k = 0; k < size(); ++k) {
    rows[row_[k]] = normal_[k].dot(impulses);
    if (frictional(set_[k])) rows[row_[k] + 1] = slip_[k].dot(impulses);
  }
}

}  // namespace escapement
