#include "model/feature_contact.hpp"

#include <algorithm>

namespace escapement::inline model {

namespace {

template <int D>
using Choice = std::shared_ptr<const FeatureChoice<D>>;

template <int D>
class FeatureRow : public RowGroup<D> {
 public:
  FeatureRow(Choice<D> choice, std::vector<std::unique_ptr<RowGroup<D>>> features)
      : choice_(std::move(choice)), features_(std::move(features)) {
    this->set_bodies(features_[0]->bodies(), 1);
  }

  std::size_t scratch_size() const override {
    std::size_t most = choice_->scratch_size();
    for (const auto& one : features_) most = std::max(most, one->scratch_size());
    return most;
  }
  bool has_features() const override { return true; }
  int feature(const Motion<D>& m) const override { return choice_->choose(m); }
  void gap(const Motion<D>& m, double* g) const override { at(m).gap(m, g); }
  void largest_terms(const Motion<D>& m, double* largest) const override { at(m).largest_terms(m, largest); }
  void jacobian(const Motion<D>& m, double* G, double* g_t) const override { at(m).jacobian(m, G, g_t); }
  void curvature(const Motion<D>& m, double* kappa) const override { at(m).curvature(m, kappa); }
  void add_stiffness(const Motion<D>& m, const double* mu, double* K) const override { at(m).add_stiffness(m, mu, K); }
  void rate_rows(const Motion<D>& m, double* V_q) const override { at(m).rate_rows(m, V_q); }
  void curvature_rows(const Motion<D>& m, double* kappa_q, double* kappa_v) const override {
    at(m).curvature_rows(m, kappa_q, kappa_v);
  }

 private:
  const RowGroup<D>& at(const Motion<D>& m) const { return *features_[static_cast<std::size_t>(choice_->choose(m))]; }

  Choice<D> choice_;
  std::vector<std::unique_ptr<RowGroup<D>>> features_;
};

template <int D>
class FeatureSlip : public SlipRow<D> {
 public:
  FeatureSlip(Choice<D> choice, std::vector<std::unique_ptr<SlipRow<D>>> features)
      : choice_(std::move(choice)), features_(std::move(features)) {
    this->bodies_ = features_[0]->bodies();
  }

  std::size_t scratch_size() const override {
    std::size_t most = choice_->scratch_size();
    for (const auto& one : features_) most = std::max(most, one->scratch_size());
    return most;
  }
  void row(const Motion<D>& m, double* T, double& t0) const override { at(m).row(m, T, t0); }
  double curvature(const Motion<D>& m) const override { return at(m).curvature(m); }
  void add_stiffness(const Motion<D>& m, double mu, double* K) const override { at(m).add_stiffness(m, mu, K); }
  void rate_row(const Motion<D>& m, double* V_q) const override { at(m).rate_row(m, V_q); }

 private:
  const SlipRow<D>& at(const Motion<D>& m) const { return *features_[static_cast<std::size_t>(choice_->choose(m))]; }

  Choice<D> choice_;
  std::vector<std::unique_ptr<SlipRow<D>>> features_;
};

}  // namespace

template <int D>
ShapeContact<D> make_feature_contact(Choice<D> choice, std::vector<ShapeContact<D>> features) {
  if (features.size() == 1) return std::move(features[0]);
  ShapeContact<D> contact;
  for (std::size_t i = 0; i < features[0].slips.size(); ++i) {
    std::vector<std::unique_ptr<SlipRow<D>>> rows;
    for (ShapeContact<D>& one : features) rows.push_back(std::move(one.slips[i]));
    contact.slips.push_back(std::make_unique<FeatureSlip<D>>(choice, std::move(rows)));
  }
  std::vector<std::unique_ptr<RowGroup<D>>> rows;
  for (ShapeContact<D>& one : features) rows.push_back(std::move(one.gap));
  contact.gap = std::make_unique<FeatureRow<D>>(choice, std::move(rows));
  return contact;
}

template ShapeContact<2> make_feature_contact<2>(std::shared_ptr<const FeatureChoice<2>>, std::vector<ShapeContact<2>>);
template ShapeContact<3> make_feature_contact<3>(std::shared_ptr<const FeatureChoice<3>>, std::vector<ShapeContact<3>>);

}  // namespace escapement
