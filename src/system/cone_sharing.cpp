#include "system/cone_sharing.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline system {

void ConeSharing::clear() {
  contacts_.clear();
  slips_.clear();
}

void ConeSharing::add_slip(const ActiveSlip& slip) {
  slips_.push_back(slip);
  ++contacts_.back().slips;
}

void ConeSharing::gather(const Vec& multipliers, int behind) {
  const int count = static_cast<int>(contacts_.size());
  forces_.resize(count + static_cast<int>(slips_.size()));
  for (int i = 0; i < count; ++i) forces_[i] = multipliers[contacts_[static_cast<std::size_t>(i)].row];
  for (int k = 0; k < static_cast<int>(slips_.size()); ++k) forces_[count + k] = slips_[static_cast<std::size_t>(k)].of(multipliers, behind);
}

double ConeSharing::beyond(double part, bool to_cones) {
  const double size = forces_.lpNorm<Eigen::Infinity>();
  double most = 0;
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const Contact& c = contacts_[static_cast<std::size_t>(i)];
    const double mu = part * c.friction;
    auto along = forces_.segment(static_cast<int>(contacts_.size()) + c.first, c.slips);
    double& normal = forces_[i];
    const double friction = along.norm();
    most = std::max({most, -normal, friction - mu * normal});
    if (!to_cones || friction <= mu * normal) continue;
    const double held = std::max(0.0, (normal + mu * friction) / (1 + mu * mu));
    if (friction > 0) along *= mu * held / friction;
    normal = held;
  }
  return size > 0 ? most / size : 0;
}

bool ConeSharing::is_outside(const Vec& multipliers, int behind) {
  if (contacts_.size() < 2) return false;
  gather(multipliers, behind);
  return beyond(1, false) > little::friction;
}

// by the columns of G and T over these rows
void ConeSharing::find_basis(const Matrix& G, const Matrix& T) {
  const int count = static_cast<int>(contacts_.size());
  rows_.setZero(G.cols(), forces_.size());
  for (int i = 0; i < count; ++i)
    G.for_each_in_row(contacts_[static_cast<std::size_t>(i)].row, [&](int j, double x) { rows_(j, i) = x; });
  for (int k = 0; k < static_cast<int>(slips_.size()); ++k)
    slips_[static_cast<std::size_t>(k)].for_each([&](int slip, double factor) { T.for_each_in_row(slip, [&](int j, double x) { rows_(j, count + k) += factor * x; }); });
  rank_ = 0;
  if (basis_.size() < static_cast<std::size_t>(forces_.size())) basis_.resize(static_cast<std::size_t>(forces_.size()));
  for (int j = 0; j < rows_.rows() && rank_ < static_cast<std::size_t>(forces_.size()); ++j) {
    change_ = rows_.row(j).transpose();
    const double size = change_.squaredNorm();
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < rank_; ++k) change_ -= basis_[k].dot(change_) * basis_[k];
    if (change_.squaredNorm() > little::row_left * size) basis_[rank_++] = change_ / change_.norm();
  }
}

void ConeSharing::share(const Matrix& G, const Matrix& T, int behind, Vec& multipliers) {
  constexpr int most_projections = 1000;
  gather(multipliers, behind);
  find_basis(G, T);
  if (rank_ == static_cast<std::size_t>(forces_.size())) return;
  start_ = forces_;
  for (int k = 0; k < most_projections; ++k) {
    beyond(1 - little::friction, true);
    change_ = forces_ - start_;
    for (std::size_t b = 0; b < rank_; ++b) change_ -= basis_[b].dot(change_) * basis_[b];
    forces_ = start_ + change_;
    if (beyond(1, false) > 0) continue;
    const int count = static_cast<int>(contacts_.size());
    for (int i = 0; i < count; ++i) multipliers[contacts_[static_cast<std::size_t>(i)].row] = forces_[i];
    for (const ActiveSlip& slip : slips_) slip.for_each([&](int row, double) { multipliers[behind + row] = 0; });
    for (int i = 0; i < static_cast<int>(slips_.size()); ++i)
      slips_[static_cast<std::size_t>(i)].for_each([&](int row, double factor) { multipliers[behind + row] += factor * forces_[count + i]; });
    return;
  }
}

}  // namespace escapement
