#include "model/soft_touch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/joint.hpp"
#include "model/row_group.hpp"

namespace escapement::inline model {

SoftTouch::SoftTouch(ExpressionGraph& graph, const std::vector<Solid<3>>& a, const std::vector<Solid<3>>& b, const ContactForceLaw& law)
    : a_(a.front().body), b_(b.front().body), ways_(law.friction == ContactForceLaw::Friction::none ? 1 : 3), solids_(a),
      size_(std::numeric_limits<double>::infinity()) {
  solids_.insert(solids_.end(), b.begin(), b.end());
  for (const Solid<3>& solid : solids_) size_ = std::min(size_, solid.extent());
  // faces of the first solid come first where two are nearly parallel: those of the larger one, on which the other stands
  const int count = static_cast<int>(a.size());
  for (int i = 0; i < count; ++i)
    for (int j = count; j < static_cast<int>(solids_.size()); ++j) {
      const auto solid = [&](int k) -> const Solid<3>& { return solids_[static_cast<std::size_t>(k)]; };
      const bool exchanged = solid(j).extent() > solid(i).extent() || (solid(j).extent() == solid(i).extent() && b_ < a_);
      const int first = exchanged ? j : i, second = exchanged ? i : j;
      const Pair pair{first, second, exchanged, touch_function<3>(solid(first).kind, solid(second).kind)};
      if (!pair.touch) throw std::invalid_argument("both are endless; give one of the bodies another shape");
      pairs_.push_back(pair);
    }
  const std::vector<Expr> inputs{graph.variable("gap of a point"), graph.variable("rate of its gap"), graph.variable("slip of a point"),
                                 graph.variable("slip across it")};
  const std::span<const Expr> slips = ways_ == 1 ? std::span<const Expr>{} : std::span(inputs).subspan(2);
  const ContactForce force = contact_force(graph, law, inputs[0], inputs[1], slips, {});
  std::vector<Expr> values{force.normal}, slopes;
  values.insert(values.end(), force.friction.begin(), force.friction.end());
  for (const Expr value : values)
    for (const Expr input : inputs) slopes.push_back(graph.derivative(value, input));
  values_ = Program(graph, inputs, values);
  slopes_ = Program(graph, inputs, slopes);
}

void SoftTouch::find(const Frame<3>& A, const Frame<3>& B, double margin, std::vector<Point>& points) const {
  thread_local std::vector<TouchPoint<3>> found;
  points.clear();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    const Solid<3>&first = solids_[static_cast<std::size_t>(pair.first)], &second = solids_[static_cast<std::size_t>(pair.second)];
    const SolidPlace<3> at_first = place_of(first, pair.exchanged ? B : A), at_second = place_of(second, pair.exchanged ? A : B);
    if (!(Vector<3>(at_second.x - at_first.x).norm() <= first.extent() + second.extent() + margin)) continue;
    found.clear();
    pair.touch(first, at_first, second, at_second, margin, found);
    for (TouchPoint<3>& one : found) {
      if (!(one.gap <= margin)) continue;
      if (pair.exchanged) one.normal = -one.normal;
      points.push_back({static_cast<std::uint32_t>(k), one});
    }
  }
}

SoftTouch::Meeting SoftTouch::meeting(const Frame<3>& A, const Frame<3>& B, const TouchPoint<3>& at, const Meeting* like) const {
  Meeting one;
  one.gap = at.gap;
  one.way[0] = at.normal;
  if (ways_ > 1 && like) {
    one.way[1] = Vector<3>(like->way[1] - like->way[1].dot(at.normal) * at.normal).normalized();
    one.way[2] = at.normal.cross(one.way[1]);
  } else if (ways_ > 1) {
    std::tie(one.way[1], one.way[2]) = perpendicular(at.normal);
  }
  for (int k = 0; k < ways_; ++k) {
    const auto on = [&](const Frame<3>& F, const Vector<3>& way) {
      Velocity<3> row;
      row << way, F.R.transpose() * Vector<3>(Vector<3>(at.point - F.x).cross(way));
      return row;
    };
    one.row[k] = {on(A, -one.way[k]), on(B, one.way[k])};
    const auto rate = [](const Velocity<3>& row, const Frame<3>& F) { return row.head<3>().dot(F.v) + row.tail<3>().dot(F.w); };
    one.rate[k] = rate(one.row[k].a, A) + rate(one.row[k].b, B);
  }
  return one;
}

SoftTouch::Push SoftTouch::push(const Meeting& at, bool with_slopes) const {
  thread_local std::vector<double> scratch;
  if (const std::size_t room = std::max(values_.scratch_size(), slopes_.scratch_size()); scratch.size() < room) scratch.resize(room);
  const double in[4] = {at.gap, at.rate[0], at.rate[1], at.rate[2]};
  Push push;
  values_.run(in, push.force, scratch.data());
  if (with_slopes) slopes_.run(in, push.slope[0], scratch.data());
  return push;
}

namespace {

class SoftTouchForce : public Force<3> {
 public:
  explicit SoftTouchForce(std::shared_ptr<const SoftTouch> touch) : touch_(std::move(touch)) {
    bodies_ = moving_bodies({touch_->a(), touch_->b()});
    places_ = {first_column(bodies_, touch_->a(), width<3>), first_column(bodies_, touch_->b(), width<3>)};
  }

  void add(const Motion<3>& m, double* f) const override {
    each(m, [&](const SoftTouch::Point&, const SoftTouch::Meeting& at) {
      const SoftTouch::Push push = touch_->push(at);
      for (int k = 0; k < touch_->ways(); ++k) places_.add(push.force[k], at.row[k], f);
    });
  }

  // The laws' slopes are exact, and so are those by velocities. How a point moves over both shapes, and its normal with it, comes from
  // differences of where it is found
  void subtract_tangent(const Motion<3>& m, double* K, double* D_v) const override {
    const int columns = this->columns();
    thread_local std::vector<Touching> points;
    points.clear();
    each(m, [&](const SoftTouch::Point& point, const SoftTouch::Meeting& at) { points.push_back({point, at, touch_->push(at, true)}); });
    if (points.empty()) return;
    for (const Touching& one : points)
      for (int k = 0; k < touch_->ways(); ++k) {
        double by_v[2 * width<3>] = {};
        for (int i = 0; i < touch_->ways(); ++i) places_.add(one.push.slope[k][1 + i], one.at.row[i], by_v);
        places_.add_product(-1, one.at.row[k], by_v, columns, D_v);
      }
    for (const int body : bodies_)
      for (int c = 0; c < width<3>; ++c) subtract_column(m, points, body, c, K);
  }

  double power(const Motion<3>& m) const override {
    double sum = 0;
    each(m, [&](const SoftTouch::Point&, const SoftTouch::Meeting& at) {
      const SoftTouch::Push push = touch_->push(at);
      for (int k = 0; k < touch_->ways(); ++k) sum += push.force[k] * at.rate[k];
    });
    return sum;
  }

 private:
  struct Touching {
    SoftTouch::Point point;
    SoftTouch::Meeting at;
    SoftTouch::Push push;
  };

  template <class F>
  void each(const Motion<3>& m, F&& f) const {
    thread_local std::vector<SoftTouch::Point> points;
    const Frame<3>&A = m[touch_->a()], &B = m[touch_->b()];
    touch_->find(A, B, 0, points);
    for (const SoftTouch::Point& point : points) f(point, touch_->meeting(A, B, point.is));
  }

  static Frame<3> moved(Frame<3> frame, int c, double by) {
    if (c < 3) frame.x[c] += by;
    else frame.R = frame.R * rotation_matrix(rotation_exp(Vec3(by * Vec3::Unit(c - 3))));
    return frame;
  }

  // of forces by one increment of a body, with points that are there on both sides of it, or on one
  void subtract_column(const Motion<3>& m, const std::vector<Touching>& points, int body, int c, double* K) const {
    thread_local std::vector<SoftTouch::Point> near;
    const int columns = this->columns(), column = first_column(bodies_, body, width<3>) + c;
    const double part = std::cbrt(std::numeric_limits<double>::epsilon()), by = c < 3 ? part * touch_->size() : part;
    thread_local std::vector<SoftTouch::Meeting> sides[2];
    thread_local std::vector<double> distances;
    for (std::vector<SoftTouch::Meeting>& side : sides) side.clear();
    distances.assign(points.size(), 0);
    for (const int side : {0, 1}) {
      const double way = side == 0 ? -by : by;
      const auto place = [&](int of) { return of == body ? moved(m[of], c, way) : m[of]; };
      const Frame<3> A = place(touch_->a()), B = place(touch_->b());
      touch_->find(A, B, touch_->size(), near);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Touching& one = points[i];
        const auto same = std::find_if(near.begin(), near.end(), [&](const SoftTouch::Point& p) {
          return p.pair == one.point.pair && p.is.feature == one.point.is.feature;
        });
        sides[side].push_back(same == near.end() ? one.at : touch_->meeting(A, B, same->is, &one.at));
        if (same != near.end()) distances[i] += by;
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (distances[i] == 0) continue;
      const SoftTouch::Meeting &low = sides[0][i], &high = sides[1][i];
      const Touching& one = points[i];
      const double scale = 1 / distances[i];
      double f[2 * width<3>] = {};
      for (int k = 0; k < touch_->ways(); ++k) {
        double change = one.push.slope[k][0] * (high.gap - low.gap);
        for (int j = 0; j < touch_->ways(); ++j) change += one.push.slope[k][1 + j] * (high.rate[j] - low.rate[j]);
        places_.add(scale * change, one.at.row[k], f);
        places_.add(scale * one.push.force[k], high.row[k], f);
        places_.add(-scale * one.push.force[k], low.row[k], f);
      }
      for (int r = 0; r < columns; ++r) K[r * columns + column] -= f[r];
    }
  }

  std::shared_ptr<const SoftTouch> touch_;
  MeasurePlaces<3> places_;
};

// what expressions read of such a contact
class ToldOfTouch : public Measure<3> {
 public:
  explicit ToldOfTouch(std::shared_ptr<const SoftTouch> touch) : Measure<3>(touch->a(), touch->b()), touch_(std::move(touch)) {}

  double bias(const Motion<3>&) const override { refuse(); }
  void add_hessian(const Motion<3>&, double, PairMatrix<3>&) const override { refuse(); }
  Gradient<3> rate_gradient(const Motion<3>&) const override { refuse(); }
  void bias_gradients(const Motion<3>&, Gradient<3>&, Gradient<3>&) const override { refuse(); }

 protected:
  [[noreturn]] static void refuse() { throw std::logic_error("what a contact tells stands in outputs, not in forces or rows"); }
  const std::vector<SoftTouch::Point>& find(const Motion<3>& m, double margin) const {
    thread_local std::vector<SoftTouch::Point> points;
    touch_->find(m[a()], m[b()], margin, points);
    return points;
  }

  std::shared_ptr<const SoftTouch> touch_;
};

class GapOfTouch : public ToldOfTouch {
 public:
  using ToldOfTouch::ToldOfTouch;
  double value(const Motion<3>& m) const override {
    const SoftTouch::Point* const least = nearest(m);
    return least ? least->is.gap : touch_->size();
  }
  Gradient<3> gradient(const Motion<3>& m) const override {
    const SoftTouch::Point* const least = nearest(m);
    return least ? touch_->meeting(m[a()], m[b()], least->is).row[0] : Gradient<3>{};
  }

 private:
  const SoftTouch::Point* nearest(const Motion<3>& m) const {
    const std::vector<SoftTouch::Point>& points = find(m, touch_->size());
    const auto least = std::min_element(points.begin(), points.end(),
                                        [](const SoftTouch::Point& p, const SoftTouch::Point& q) { return p.is.gap < q.is.gap; });
    return least == points.end() ? nullptr : &*least;
  }
};

class SumOfTouch : public ToldOfTouch {
 public:
  using ToldOfTouch::ToldOfTouch;
  double value(const Motion<3>& m) const override {
    double sum = 0;
    for (const SoftTouch::Point& point : find(m, 0)) sum += touch_->push(touch_->meeting(m[a()], m[b()], point.is)).force[0];
    return sum;
  }
  Gradient<3> gradient(const Motion<3>&) const override { return {}; }
};

}  // namespace

ForcePtr<3> make_soft_touch_force(std::shared_ptr<const SoftTouch> touch) { return std::make_unique<SoftTouchForce>(std::move(touch)); }
MeasurePtr<3> soft_touch_gap(std::shared_ptr<const SoftTouch> touch) { return std::make_shared<GapOfTouch>(std::move(touch)); }
MeasurePtr<3> soft_touch_sum(std::shared_ptr<const SoftTouch> touch) { return std::make_shared<SumOfTouch>(std::move(touch)); }

}  // namespace escapement
