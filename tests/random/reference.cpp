#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace {

// Semi-explicit Euler with velocities at half steps (second order where nothing touches), impulses at velocity level:
//   M (v1 - v) = h f + G^T P + T^T R,   0 <= u1 + e u  _|_  P >= 0,   R in -mu P Sgn(s1),   q1 = q + h v1
// in space T has two rows, and Sgn(s) is s/|s|, at rest the disc.
// u is the gap's rate with the wall's way over the step, so that a closed gap stays where it is to rounding.
class Stepper {
 public:
  Stepper(const Model& model) : model_(model), q(model.start), v(model.rate), f_(q.size()) {
    for (const Contact& contact : model.contacts)
      rows_.push_back({&contact, Row(q.size()), Row(q.size()), Row(q.size()), contact.gap(q, 0)});
    brakes_.assign(model.brakes.size(), 0);
  }

  void step(double t, double h, bool first) {
    const double kick = first ? h / 2 : h;
    model_.force(t, q, v, f_);
    active_.clear();
    for (RowState& row : rows_) {
      row.gap = row.contact->gap(q, t);
      if (row.gap > 0) {
        row.P = row.R = row.S = 0;
        continue;
      }
      const Contact& c = *row.contact;
      c.gradient(q, t, row.G);
      const double wall = (c.gap(q, t + h) - row.gap) / h, wall_before = first ? wall : (row.gap - c.gap(q, t - h)) / h;
      row.target = -c.restitution * std::min(0.0, dot(row.G, v) + wall_before) - wall;
      if (c.friction > 0) {
        c.slip(q, row.T);
        if (c.across) c.across(q, row.A);
        row.belt = c.belt(t + h / 2);
      }
      active_.push_back(&row);
    }
    for (std::size_t i = 0; i < q.size(); ++i) v[i] += kick * f_[i] / model_.mass[i];
    solve(kick);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += h * v[i];
  }

 private:
  struct RowState {
    const Contact* contact;
    Row G, T, A;
    double gap, target = 0, belt = 0, P = 0, R = 0, S = 0;
  };
  static double dot(const Row& a, const Row& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  double compliance(const Row& G) const {
    double sum = 0;
    for (std::size_t i = 0; i < G.size(); ++i) sum += G[i] * G[i] / model_.mass[i];
    return sum;
  }
  void push(const Row& G, double impulse) {
    for (std::size_t i = 0; i < G.size(); ++i) v[i] += G[i] * impulse / model_.mass[i];
  }
  // friction of one contact; how much it changes the slip
  double rub(RowState& row) {
    const bool space = bool(row.contact->across);
    const double D = space ? std::max(compliance(row.T), compliance(row.A)) : compliance(row.T),
                 bound = row.contact->friction * row.P;
    double R = row.R - (dot(row.T, v) - row.belt) / D, S = space ? row.S - dot(row.A, v) / D : 0;
    if (const double size = std::hypot(R, S); size > bound) {
      R *= bound / size;
      S *= bound / size;
    }
    const double change = std::hypot(R - row.R, S - row.S) * D;
    push(row.T, R - row.R);
    if (space) push(row.A, S - row.S);
    row.R = R;
    row.S = S;
    return change;
  }
  // one impulse after the other until none changes, from those of the last step
  void solve(double kick) {
    for (RowState* row : active_) {
      push(row->G, row->P);
      if (row->contact->friction > 0) push(row->T, row->R);
      if (row->contact->across) push(row->A, row->S);
    }
    for (std::size_t b = 0; b < brakes_.size(); ++b) v[coordinate(b)] += brakes_[b] / model_.mass[coordinate(b)];
    for (int sweep = 0; sweep < 2000; ++sweep) {
      double change = 0;
      for (RowState* row : active_) {
        const double W = compliance(row->G);
        const double P = std::max(0.0, row->P + (row->target - dot(row->G, v)) / W);
        change = std::max(change, std::abs(P - row->P) * W);
        push(row->G, P - row->P);
        row->P = P;
        if (row->contact->friction == 0) continue;
        change = std::max(change, rub(*row));
      }
      for (std::size_t b = 0; b < brakes_.size(); ++b) {
        const double m = model_.mass[coordinate(b)], bound = model_.brakes[b].size * kick;
        const double R = std::clamp(brakes_[b] - v[coordinate(b)] * m, -bound, bound);
        change = std::max(change, std::abs(R - brakes_[b]) / m);
        v[coordinate(b)] += (R - brakes_[b]) / m;
        brakes_[b] = R;
      }
      if (change < 1e-14) break;
    }
  }
  int coordinate(std::size_t brake) const { return model_.brakes[brake].coordinate; }

  const Model& model_;

 public:
  Place q;
  Row v;

 private:
  Row f_;
  std::vector<RowState> rows_;
  std::vector<RowState*> active_;
  std::vector<double> brakes_;
};

}  // namespace

Path integrate(const Model& model, int samples, int steps_per_sample) {
  Stepper stepper(model);
  const auto seen = [&] { return Place(stepper.q.begin(), stepper.q.begin() + std::ptrdiff_t(model.columns.size())); };
  Path path{seen()};
  const double h = model.end / (double(samples) * steps_per_sample);
  for (int n = 0; n < samples * steps_per_sample; ++n) {
    stepper.step(n * h, h, n == 0);
    if ((n + 1) % steps_per_sample == 0) path.push_back(seen());
  }
  return path;
}

double largest_motion(const Path& path) {
  double largest = 0;
  for (const Place& place : path)
    for (std::size_t i = 0; i < place.size(); ++i) largest = std::max(largest, std::abs(place[i] - path[0][i]));
  return largest;
}

double distance(const Path& a, const Path& b) {
  double largest = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      const double d = std::abs(a[k][i] - b[k][i]);
      if (!std::isfinite(d)) return INFINITY;
      largest = std::max(largest, d);
    }
  return largest;
}

// a thirtieth of what is called wrong: step sizes are halved until two agree to it, and with them a third that falls on
// other instants, or the model is too sensitive to judge by
Reference reference_of(const Model& model, int samples) {
  constexpr double agreement = 3e-4;
  Reference result;
  Path coarse = integrate(model, samples, 250);
  for (int steps = 500; steps <= 8000; steps *= 2) {
    result.path = integrate(model, samples, steps);
    result.motion = largest_motion(result.path);
    result.difference = distance(result.path, coarse) / result.motion;
    if (result.difference <= agreement) {
      const Path apart = integrate(model, samples, steps * 137 / 100 + 1);
      result.difference = std::max(result.difference, distance(result.path, apart) / result.motion);
      if (result.difference <= agreement) break;
    }
    coarse = result.path;
  }
  return result;
}
