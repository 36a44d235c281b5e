#include "run/touch_record.hpp"

#include <algorithm>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline run {

TouchRecord::TouchRecord(const TouchingSystem* system)
    : touching_(system ? system->touching() : nullptr), search_(touching_ ? system->make_search() : nullptr) {
  for (auto* list : {&gap_, &rate_, &force_}) list->resize(count());
}

double TouchRecord::rate_of(const State& s, const ContactPoint& point) const {
  double rate = 0;
  for (const int body : {point.a, point.b}) {
    if (body < 0) continue;
    const BodyPlace& place = search_->places()[static_cast<std::size_t>(body)];
    const double* v = s.v.data() + touching_->width * body;
    const bool plane = touching_->width == 3;
    const Eigen::Vector3d linear(v[0], v[1], plane ? 0 : v[2]), turning(plane ? 0 : v[3], plane ? 0 : v[4], plane ? v[2] : v[5]);
    const Eigen::Vector3d of_point = linear + (place.R * turning).cross(point.point - place.x);
    rate += (body == point.b ? 1 : -1) * point.normal.dot(of_point);
  }
  return rate;
}

void TouchRecord::look(const State& s) {
  if (!touching_) return;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::fill(gap_.begin(), gap_.end(), none);
  std::fill(rate_.begin(), rate_.end(), none);
  std::fill(force_.begin(), force_.end(), 0);
  search_->find(s, touching_->extent, points_);
  for (const ContactPoint& point : points_) {
    const std::size_t k = static_cast<std::size_t>(touching_->laws[static_cast<std::size_t>(point.law)].contact);
    if (gap_[k] <= point.gap) continue;
    gap_[k] = point.gap;
    rate_[k] = rate_of(s, point);
  }
  memory_.recall(s.memory);
  for (const ActingContact& acting : memory_.contacts)
    force_[static_cast<std::size_t>(touching_->laws[static_cast<std::size_t>(acting.at.law)].contact)] += acting.force.dot(acting.at.normal);
  find_acting();
}

bool TouchRecord::touches(const ContactPoint& point) const {
  double size = std::numeric_limits<double>::infinity();
  for (const int body : {point.a, point.b})
    if (body >= 0 && touching_->extent[static_cast<std::size_t>(body)] > 0) size = std::min(size, touching_->extent[static_cast<std::size_t>(body)]);
  return point.gap <= little::touches * size;
}

// both lists by ascending ids. A point that has carried force and is gone stays where the step began
void TouchRecord::find_acting() {
  acting_.clear();
  std::size_t i = 0;
  const std::vector<ActingContact>& known = memory_.contacts;
  for (const ContactPoint& point : points_) {
    while (i < known.size() && known[i].at.id < point.id) acting_.push_back(known[i++]);
    if (i < known.size() && known[i].at.id == point.id) {
      acting_.push_back(known[i++]);
      acting_.back().at = point;
    } else if (touches(point)) {
      acting_.emplace_back().at = point;
    }
  }
  acting_.insert(acting_.end(), known.begin() + static_cast<std::ptrdiff_t>(i), known.end());
}

}  // namespace escapement
