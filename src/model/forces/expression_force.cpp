// Forces and torques on bodies whose components are expressions of time, names and rates.
#include "model/expression_force.hpp"

#include <cmath>

#include "model/expression_numbers.hpp"
#include "model/row_group.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class ExpressionForce : public Force<D> {
 public:
  static constexpr int components = D + angular<D>;

  ExpressionForce(ExpressionGraph& graph, const Vocabulary<D>& vocabulary, std::vector<Action<D>> actions)
      : actions_(std::move(actions)) {
    std::vector<Expr> all;
    for (const Action<D>& action : actions_) {
      all.insert(all.end(), action.force.begin(), action.force.end());
      all.insert(all.end(), action.torque.begin(), action.torque.end());
    }
    numbers_ = ExpressionNumbers<D>(graph, vocabulary, all);
    const VocabularyUse<D>& use = numbers_.use();
    this->states_ = use.states();
    std::vector<int> bodies = use.bodies();
    for (const Action<D>& action : actions_) {
      bodies.push_back(action.body);
      bodies.push_back(action.point_of.value_or(action.body));
    }
    this->bodies_ = moving_bodies(bodies);
    for (const Action<D>& action : actions_) at_.push_back(first_column(this->bodies_, action.body, width<D>));
    for (int k = 0; k < use.count(); ++k) places_.push_back(places_in(this->bodies_, use.measure(k)));
  }

  std::size_t scratch_size() const override { return numbers_.scratch_size() + 2 * this->columns(); }

  void add(const Motion<D>& m, double* f) const override {
    const double* value = numbers_.values(m);
    for (std::size_t k = 0; k < actions_.size(); ++k, value += components) {
      const Velocity<D> force = generalized(m, actions_[k], value);
      for (int i = 0; i < width<D> && at_[k] >= 0; ++i) f[at_[k] + i] += force[i];
    }
  }

  void subtract_tangent(const Motion<D>& m, double* K, double* D_v) const override {
    const VocabularyUse<D>& use = numbers_.use();
    const int columns = this->columns(), n = use.count();
    const double* value = numbers_.values(m);
    double* slope = numbers_.slopes(m);
    double* by_q = numbers_.free_behind(slope);
    double* by_v = by_q + columns;
    for (std::size_t k = 0; k < actions_.size(); ++k, value += components) {
      if (at_[k] >= 0) {
        add_turning(m, actions_[k], value, at_[k], K);
        if (actions_[k].point_of) add_travel(m, actions_[k], value, at_[k], K);
      }
      for (int c = 0; c < components; ++c, slope += numbers_.slopes_of_one()) {
        if (at_[k] < 0) continue;
        std::fill_n(by_q, 2 * columns, 0.0);
        for (int i = 0; i < n; ++i) {
          if (slope[i] == 0 && slope[n + i] == 0) continue;
          const Gradient<D> G = use.measure(i).gradient(m);
          places_[i].add(slope[i], G, by_q);
          places_[i].add(slope[n + i], use.measure(i).rate_gradient(m), by_q);
          places_[i].add(slope[n + i], G, by_v);
        }
        double unit[components] = {};
        unit[c] = 1;
        const Velocity<D> direction = generalized(m, actions_[k], unit);
        for (int i = 0; i < width<D>; ++i)
          for (int j = 0; j < columns; ++j) {
            K[(at_[k] + i) * columns + j] -= direction[i] * by_q[j];
            D_v[(at_[k] + i) * columns + j] -= direction[i] * by_v[j];
          }
      }
    }
  }

  void add_state_slopes(const Motion<D>& m, double* f_z) const override {
    numbers_.values(m);
    const double* slope = numbers_.slopes(m);
    const int n = 2 * numbers_.use().count(), states = numbers_.use().state_count();
    for (std::size_t k = 0; k < actions_.size(); ++k)
      for (int c = 0; c < components; ++c, slope += n + states) {
        if (at_[k] < 0) continue;
        double unit[components] = {};
        unit[c] = 1;
        const Velocity<D> direction = generalized(m, actions_[k], unit);
        for (int i = 0; i < width<D>; ++i)
          for (int j = 0; j < states; ++j) f_z[(at_[k] + i) * states + j] += direction[i] * slope[n + j];
      }
  }

  double power(const Motion<D>& m) const override {
    const double* value = numbers_.values(m);
    double sum = 0;
    for (const Action<D>& action : actions_) {
      const Velocity<D> force = generalized(m, action, value);
      sum += force.template head<D>().dot(m[action.body].v) + force.template tail<angular<D>>().dot(m[action.body].w);
      value += components;
    }
    return sum;
  }

 private:
  // where it acts, in the body's frame
  static Vector<D> point(const Motion<D>& m, const Action<D>& action) {
    if (!action.point_of) return action.point;
    const Frame<D>&F = m[action.body], &carrier = m[*action.point_of];
    return F.R.transpose() * (carrier.x + carrier.R * action.point - F.x);
  }

  static Velocity<D> generalized(const Motion<D>& m, const Action<D>& action, const double* value) {
    const Frame<D>& F = m[action.body];
    const Vector<D> force = Eigen::Map<const Vector<D>>(value);
    const Angular<D> torque = Eigen::Map<const Angular<D>>(value + D);
    Velocity<D> out;
    if (action.in_body) {
      out << F.R * force, moment(point(m, action), force) + torque;
    } else {
      out << force, moment(point(m, action), Vector<D>(F.R.transpose() * force)) + in_body(F, torque);
    }
    return out;
  }

  static Angular<D> in_body(const Frame<D>& F, const Angular<D>& torque) {
    if constexpr (D == 2) {
      return torque;
    } else {
      return F.R.transpose() * torque;
    }
  }

  // the direction of a force with fixed components turns with the body, or its moment does
  void add_turning(const Motion<D>& m, const Action<D>& action, const double* value, int at, double* K) const {
    const Frame<D>& F = m[action.body];
    const int columns = this->columns();
    const Vector<D> force = Eigen::Map<const Vector<D>>(value);
    if (action.in_body) {
      const Arm<D> block = F.R * arm(force);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < angular<D>; ++j) K[(at + i) * columns + at + D + j] -= block(i, j);
      return;
    }
    Turn<D> block = turn(point(m, action), Vector<D>(F.R.transpose() * force));
    if constexpr (D == 3) block += skew(Vec3(F.R.transpose() * Eigen::Map<const Vector<3>>(value + 3)));
    for (int i = 0; i < angular<D>; ++i)
      for (int j = 0; j < angular<D>; ++j) K[(at + D + i) * columns + at + D + j] -= block(i, j);
  }

  // a point that another body carries moves in this one
  void add_travel(const Motion<D>& m, const Action<D>& action, const double* value, int at, double* K) const {
    const Frame<D>&F = m[action.body], &carrier = m[*action.point_of];
    const int columns = this->columns(), from = first_column(this->bodies_, *action.point_of, width<D>);
    const Vector<D> given = Eigen::Map<const Vector<D>>(value);
    const Vector<D> force = action.in_body ? given : Vector<D>(F.R.transpose() * given);
    const Eigen::Matrix<double, angular<D>, D> by_point = -arm(force).transpose();  // moment(u, c) = -arm(c)^T u
    const Rotation<D> back = F.R.transpose();
    const auto subtract = [&](int column, const auto& travel) {
      const auto block = (by_point * travel).eval();
      for (int i = 0; i < block.rows(); ++i)
        for (int j = 0; j < block.cols(); ++j) K[(at + D + i) * columns + column + j] -= block(i, j);
    };
    subtract(at, Rotation<D>(-back));
    subtract(at + D, Arm<D>(-arm(point(m, action))));
    if (from < 0) return;
    subtract(from, back);
    subtract(from + D, Arm<D>(back * carrier.R * arm(action.point)));
  }

  std::vector<Action<D>> actions_;
  std::vector<int> at_;
  ExpressionNumbers<D> numbers_;
  std::vector<MeasurePlaces<D>> places_;
};

}  // namespace

template <int D>
Action<D> reaction_to(ExpressionGraph& graph, const Action<D>& action, int from) {
  Action<D> reaction = action;
  reaction.body = from;
  reaction.point_of = action.body;
  for (Expr& e : reaction.force) e = graph.neg(e);
  for (Expr& e : reaction.torque) e = graph.neg(e);
  return reaction;
}

template <int D>
ForcePtr<D> make_expression_force(ExpressionGraph& graph, const Vocabulary<D>& vocabulary,
                                  std::vector<Action<D>> actions) {
  return std::make_unique<ExpressionForce<D>>(graph, vocabulary, std::move(actions));
}

template Action<2> reaction_to<2>(ExpressionGraph&, const Action<2>&, int);
template Action<3> reaction_to<3>(ExpressionGraph&, const Action<3>&, int);
template ForcePtr<2> make_expression_force<2>(ExpressionGraph&, const Vocabulary<2>&, std::vector<Action<2>>);
template ForcePtr<3> make_expression_force<3>(ExpressionGraph&, const Vocabulary<3>&, std::vector<Action<3>>);

}  // namespace escapement
