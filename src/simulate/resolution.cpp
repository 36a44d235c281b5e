#include "simulate/resolution.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {

constexpr double never = std::numeric_limits<double>::quiet_NaN();
constexpr int most_halvings = 45;  // of a step: what is narrower is a jump or a pole
// of a step in the search for branches. One that is crossed or touched takes a split for each digit; more are needed only
// by a motion that stays on a branch, up to rounding
constexpr int most_splits = 200;
constexpr double difference = 0x1p-26;  // of a run, to take differences over: the root of rounding
constexpr int turns_in_a_row = 50;      // an impact turns a velocity back too, but not time after time
constexpr double time_rounding = 64 * std::numeric_limits<double>::epsilon();

}  // namespace

Resolution::Resolution(ExplicitTerms& terms) : terms_(terms), before_branch_(never), after_branch_(never) {
  const std::size_t n = static_cast<std::size_t>(std::max(1, terms.of_motion.inputs()));
  ranges_.resize(n);
  in_.resize(n);
  at_start_.resize(n);
  pieces_.resize(n);
  reach_.assign(static_cast<std::size_t>(terms_.of_motion.switches()), 0);
}

double Resolution::landing_time(double h) const { return std::max(little::instant * h, shortest_); }

// Velocities of index 3 are positions over h and carry the rounding of these over h, which a switch of velocities takes for a while
// to get over. After a step as short as that it would change by rounding alone, and the next branch would come as soon
double Resolution::begins_on(const Course& course) const {
  return std::max(landing_time(h_), course.scheme->info().index == 3 ? little::grown_rounding * h_ : 0);
}

void Resolution::begin(const State& start, double end) {
  span_ = std::max(std::abs(start.t), std::abs(end));
  shortest_ = time_rounding * span_;
  const Enclosure time{{start.t, end}, {1, 1}};
  if (!terms_.of_time.empty()) terms_.of_time.begin({&time, 1});
  if (terms_.of_motion.empty()) return;
  for (Enclosure& e : pieces_) e = {Interval::everything(), Interval::everything()};
  pieces_[0] = time;
  terms_.of_motion.begin(pieces_);
}

void Resolution::enclose_time(double from, double to) {
  const Enclosure time{{from, to}, {1, 1}};
  terms_.of_time.enclose({&time, 1});
}

bool Resolution::resolved_until(double t, double h) {
  enclose_time(t, t + h);
  return terms_.of_time.resolved(h);
}

// nor does anything hide that is little beside the rest of what a function does over the run
bool Resolution::resolved_closely_until(double t, double h) {
  if (!resolved_until(t, h)) return false;
  if (!terms_.of_time.needs_parts(h)) return true;
  const double part = h / ExpressionWatch::parts;
  for (int k = 0; k < ExpressionWatch::parts; ++k) {
    const Enclosure time{{t + k * part, t + (k + 1) * part}, {1, 1}};
    terms_.of_time.enclose_part(k, {&time, 1}, part);
  }
  return terms_.of_time.parts_resolved();
}

// the same of the motion on a first part of the step that was followed
bool Resolution::motion_resolved_until(double part) {
  enclose_part(0, part);
  if (!terms_.of_motion.resolved(part * h_)) return false;
  if (!terms_.of_motion.needs_parts(part * h_)) return true;
  const double piece = part / ExpressionWatch::parts;
  for (int k = 0; k < ExpressionWatch::parts; ++k) {
    fill_part(k * piece, (k + 1) * piece);
    terms_.of_motion.enclose_part(k, pieces_, piece * h_);
  }
  return terms_.of_motion.parts_resolved();
}

double Resolution::excess_length(Course& course) {
  const double of_time = terms_.of_time.has_features() ? excess_of_time(course.s.t, course.s1.t - course.s.t) : 1;
  return std::max(of_time, excess_of_motion(course));
}

namespace {

// the shortest of pieces of [0, 1], each as long as it may be among halves of halves. Their number tells less: a pulse of
// any width takes few of them
template <class Resolved>
double shortest_piece(Resolved resolved) {
  constexpr double narrowest = 0x1p-12;
  constexpr int most = 64;
  double from = 0, length = 1, shortest = 1;
  for (int count = 0; from < 1 && count < most; ++count) {
    while (length > narrowest && !resolved(from, from + length)) length *= 0.5;
    shortest = std::min(shortest, length);
    from += length;
    if (std::fmod(from, 2 * length) == 0) length *= 2;
  }
  return shortest;
}

}  // namespace

double Resolution::excess_of_time(double t, double h) {
  if (resolved_until(t, h)) return 1;
  return 1 / shortest_piece([&](double from, double to) { return resolved_until(t + from * h, (to - from) * h); });
}

double Resolution::excess_of_motion(Course& course) {
  if (resolved_part(course, false) == 1) return 1;
  return 1 / shortest_piece([&](double from, double to) { return motion_resolved(from, to); });
}

bool Resolution::motion_resolved(double from, double to) {
  enclose_part(from, to);
  return terms_.of_motion.resolved((to - from) * h_);
}

double Resolution::limit(double t, double h) {
  before_branch_ = after_branch_ = never;
  if (terms_.of_time.empty()) return h;
  if (terms_.of_time.switches() > 0 && find_time_branch(t, h)) {
    h = before_branch_ - t;
    while (t + h > before_branch_) h = std::nextafter(h, 0);
  }
  if (!terms_.of_time.has_features()) return h;
  for (int i = 0; i < most_halvings && h > shortest_ && !resolved_closely_until(t, h); ++i) {
    h = std::max(0.5 * h, shortest_);
    before_branch_ = after_branch_ = never;
  }
  enclose_time(t, t + h);
  terms_.of_time.remember();
  return h;
}

bool Resolution::find_time_branch(double t, double h) {
  splits_left_ = most_splits;
  began_ = t;
  return first_time_branch(t, t + h);
}

int Resolution::time_side(int k, double t) {
  enclose_time(t, t);
  const double value = terms_.of_time.switching(k).value.low;
  return (value > 0) - (value < 0);
}

// the earliest instant at which some switch changes its side, between two neighbouring numbers
bool Resolution::first_time_branch(double from, double to) {
  enclose_time(from, to);
  bool any = false, monotonous = true;
  for (int k = 0; k < terms_.of_time.switches(); ++k) {
    if (!terms_.of_time.unsettled(k)) continue;
    any = true;
    const Interval rate = terms_.of_time.switching(k).rate;
    monotonous = monotonous && (rate.low > 0 || rate.high < 0 || (rate.low == 0 && rate.high == 0));
  }
  if (!any) return false;
  const double middle = 0.5 * (from + to);
  if (!monotonous && splits_left_ > 0 && from < middle && middle < to) {
    --splits_left_;
    return first_time_branch(from, middle) || first_time_branch(middle, to);
  }
  double earliest = to;
  bool found = false;
  for (int k = 0; k < terms_.of_time.switches(); ++k) {
    const int side = time_side(k, from);
    if (time_side(k, earliest) == side) continue;
    double low = from, high = earliest;
    for (double x = 0.5 * (low + high); low < x && x < high; x = 0.5 * (low + high))
      (time_side(k, x) == side ? low : high) = x;
    if (low <= began_) continue;  // the step begins on it
    // an instant at which both branches agree belongs to neither: their slopes do not
    if (const double next = std::nextafter(high, std::numeric_limits<double>::infinity());
        time_side(k, high) == 0 && time_side(k, next) == -side)
      high = next;
    before_branch_ = low;
    after_branch_ = earliest = high;
    found = true;
  }
  return found;
}

void Resolution::follow(Course& course) {
  if (followed_) return;
  followed_ = true;
  h_ = course.s1.t - course.s.t;
  ranges_.follow(h_, [&](double place, double* in) {
    terms_.fill(place == 0 ? course.s : place == 1 ? course.s1 : course.look(place), in);
  });
}

void Resolution::enclose_part(double from, double to) {
  fill_part(from, to);
  terms_.of_motion.enclose(pieces_);
}

void Resolution::fill_part(double from, double to) { ranges_.part(from, to, pieces_); }

double Resolution::resolved_part(Course& course, bool closely) {
  followed_ = false;
  if (!terms_.of_motion.has_features()) return 1;
  if (terms_.of_motion.is_gentle()) {
    terms_.fill(course.s, at_start_.data());
    terms_.fill(course.s1, in_.data());
    if (terms_.of_motion.resolved_gently(at_start_.data(), in_.data())) return 1;
  }
  follow(course);
  double part = 1;
  for (int i = 0; i < most_halvings; ++i, part *= 0.5)
    if (closely ? motion_resolved_until(part) : motion_resolved(0, part)) return part;
  return 1;  // a pole: no step resolves it
}

int Resolution::side_at(int k, double theta) {
  enclose_part(theta, theta);
  return terms_.of_motion.switching(k).value.centre() < 0 ? -1 : 1;
}

double Resolution::first_branch(Course& course) {
  branch_ = 2;
  if (terms_.of_motion.switches() == 0) return branch_;
  follow(course);
  begins_on_ = begins_on(course);
  splits_left_ = most_splits;
  find_branch(0, 1);
  return branch_;
}

double Resolution::between_branches(Course& course) {
  const double first = first_branch(course);
  if (first >= 1) return 1;
  const int switched = found_;
  branch_ = 2;
  splits_left_ = most_splits;
  find_branch(first, 1);
  if (branch_ > 1) return 1;
  const double middle = 0.5 * (first + branch_);
  if (found_ != switched) return middle;
  // there and back, by more than rounding?
  enclose_part(middle, middle);
  const double value = std::abs(terms_.of_motion.switching(switched).value.centre());
  return value > little::solved * reach_[static_cast<std::size_t>(switched)] ? middle : 1;
}

void Resolution::enclose_end() {
  ranges_.end(pieces_);
  terms_.of_motion.enclose(pieces_);
}

double Resolution::time_to_branch() {
  enclose_end();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < terms_.of_motion.switches(); ++k) {
    const Enclosure f = terms_.of_motion.switching(k);
    const double time = -f.value.centre() / f.rate.centre();
    if (!(time >= 0 && time < least) || !terms_.of_motion.matters(k)) continue;
    least = time;
    switch_ = k;
  }
  return least;
}

bool Resolution::find_branch(double from, double to) {
  enclose_part(from, to);
  bool any = false, monotonous = true;
  for (int k = 0; k < terms_.of_motion.switches(); ++k) {
    if (!terms_.of_motion.unsettled(k) || !terms_.of_motion.matters(k)) continue;
    any = true;
    const Interval rate = terms_.of_motion.switching(k).rate;
    monotonous = monotonous && (rate.low > 0 || rate.high < 0);
  }
  if (!any) return false;
  const double middle = 0.5 * (from + to);
  if (!monotonous && splits_left_ > 0 && from < middle && middle < to) {
    --splits_left_;
    return find_branch(from, middle) || find_branch(middle, to);
  }
  double earliest = to;
  bool found = false;
  for (int k = 0; k < terms_.of_motion.switches(); ++k) {
    const int side = side_at(k, from);
    if (side_at(k, earliest) == side) continue;
    double low = from, high = earliest;
    for (double x = 0.5 * (low + high); low < x && x < high && high - low > little::rounding; x = 0.5 * (low + high))
      (side_at(k, x) == side ? low : high) = x;
    if (high * h_ <= begins_on_) continue;  // the step begins on it
    enclose_part(low, high);
    if (!terms_.of_motion.matters(k)) continue;
    branch_ = earliest = high;
    found_ = k;
    found = true;
  }
  return found;
}

double Resolution::branch_rate(Course& course, const State& s) {
  const double time = std::max(difference * span_, little::peek * h_);
  terms_.fill(s, at_start_.data());
  course.between = s;
  course.go_straight(course.between, time);
  terms_.fill(course.between, in_.data());
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const double rate = (in_[i] - at_start_[i]) / time;
    pieces_[i] = {{at_start_[i], at_start_[i]}, {rate, rate}};
  }
  terms_.of_motion.enclose(pieces_);
  return terms_.of_motion.switching(switch_).rate.centre();
}

void Resolution::note_approach(Course& course) {
  enclose_part(0, 0);
  mean_rate_ = std::abs(terms_.of_motion.switching(switch_).value.centre()) / h_;
  approach_ = branch_rate(course, course.s1);
}

bool Resolution::drives_back(Course& course, const State& s) {
  if (!terms_.of_motion.jumps(switch_)) return false;
  const double behind = branch_rate(course, s);
  return approach_ * behind < 0 && std::min(std::abs(approach_), std::abs(behind)) > little::grazing * mean_rate_;
}

double Resolution::switch_at(int k, const State& s) {
  terms_.fill(s, in_.data());
  for (std::size_t i = 0; i < in_.size(); ++i) pieces_[i] = {{in_[i], in_[i]}, Interval::everything()};
  terms_.of_motion.enclose(pieces_);
  return terms_.of_motion.switching(k).value.centre();
}

bool Resolution::crosses(const Course& course) {
  if (across_ != 0)
    turned_back_ = (switch_at(switch_, course.s1) - switch_at(switch_, course.s)) * across_ < 0 ? turned_back_ + 1 : 0;
  across_ = 0;
  for (int k = 0; k < terms_.of_motion.switches(); ++k) {
    const double before = switch_at(k, course.s), behind = switch_at(k, course.s1);
    if ((before < 0) == (behind < 0)) continue;
    if (k != switch_) turned_back_ = 0;
    switch_ = k;
    across_ = behind - before;
    return true;
  }
  return false;
}

bool Resolution::keeps_turning_back() const { return turned_back_ >= turns_in_a_row && terms_.of_motion.jumps(switch_); }

std::string Resolution::branch_text() const {
  return switch_ < 0 || switch_ >= static_cast<int>(terms_.branches.size()) ? ""
                                                                            : terms_.branches[std::size_t(switch_)];
}

void Resolution::accepted() {
  if (!followed_) return;
  enclose_part(0, 1);
  terms_.of_motion.remember();
  for (std::size_t k = 0; k < reach_.size(); ++k) reach_[k] = std::max(reach_[k], terms_.of_motion.switching(int(k)).value.largest());
}

void Resolution::exchange(Snapshot& s) {
  terms_.of_time.exchange(s);
  terms_.of_motion.exchange(s);
  s(before_branch_, after_branch_, switch_, across_, turned_back_, reach_);
}

}  // namespace escapement
