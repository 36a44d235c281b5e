#include "io/start_reader.hpp"

#include <algorithm>
#include <cmath>

#include "math/nearest_name.hpp"
#include "simulate/assembly.hpp"

namespace escapement {

namespace {

constexpr double start_tolerance = 1e-9;

struct Kept {
  std::vector<int> q, v;
};

struct AssembleRequest {
  bool wanted = false;
  Kept keep;
};

AssembleRequest read_assemble(Reading& reading, const Block& top, const Names& names) {
  AssembleRequest request;
  const YamlNode::Entry* entry = top.find("assemble");
  if (!entry) return request;
  if (!entry->value->is_map()) {
    request.wanted = top.flag("assemble", false);
    return request;
  }
  request.wanted = true;
  const Block block(reading, *entry, "model.assemble");
  const YamlNode::Entry* keep = block.find("keep");
  if (!keep || keep->value->is_null()) return request;
  if (!keep->value->is_sequence())
    reading.fail(*keep->value, "'keep' is a list of coordinates and rates, like [x, x']");
  std::vector<Reading::Keepable> keepable = reading.keepable;
  if (keepable.empty())
    for (std::size_t i = 0; i < names.q.size(); ++i) {
      keepable.push_back({names.q[i], false, {static_cast<int>(i)}});
      keepable.push_back({names.v[i] + "'", true, {static_cast<int>(i)}});
    }
  std::vector<std::string> known;
  for (const auto& one : keepable) known.push_back(one.name);
  for (const auto& item : keep->value->entries) {
    const std::string& name = item.value->text;
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end()) {
      const std::string near = did_you_mean(name, known);
      reading.fail(item.value->offset, fmt::format("'keep' takes coordinates and rates, and {} is none{}", quote(name),
                                                   near.empty() ? "; check its spelling" : near));
    }
    const auto& found = keepable[static_cast<std::size_t>(it - known.begin())];
    std::vector<int>& list = found.rate ? request.keep.v : request.keep.q;
    list.insert(list.end(), found.indices.begin(), found.indices.end());
  }
  for (std::vector<int>* list : {&request.keep.q, &request.keep.v}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return request;
}

// every term must be a number at the start
void check_finite(Reading& reading, const Model& model) {
  Terms T;
  const System& system = *model.system;
  system.prepare(T);
  system.evaluate(
      model.start,
      Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature | Need::slip | Need::slip_rate, T);
  const auto& names = system.names();
  const auto finite_row = [](const Matrix& m, int i) {
    bool finite = true;
    m.for_each_in_row(i, [&](int, double value) { finite = finite && std::isfinite(value); });
    return finite;
  };
  for (int i = 0; i < system.dim().v; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!finite_row(T.M, i))
      reading.fail(
          reading.places.mass,
          fmt::format("the mass of '{}' is not a finite number at the start; check the start values", names.v[k]));
    if (!std::isfinite(T.f[i]))
      reading.fail(
          reading.places.force,
          fmt::format("the force on '{}' is not a finite number at the start; check the start values", names.v[k]));
  }
  for (int i = 0; i < system.dim().rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!std::isfinite(T.g[i]) || !std::isfinite(T.g_t[i]) || !std::isfinite(T.kappa[i]) || !finite_row(T.G, i))
      reading.fail(reading.places.rows[k],
                   fmt::format("'{}' or its derivatives are not finite at the start; check the start values",
                               names.multipliers[k]));
  }
}

// Cholesky's factorisation of M scaled to a unit diagonal: the first pivot that vanishes names a velocity without
// inertia
void check_mass(Reading& reading, const Model& model) {
  Terms T;
  const System& system = *model.system;
  system.prepare(T);
  system.evaluate(model.start, Need::mass, T);
  const int n = system.dim().v;
  const auto refuse = [&](int i) {
    reading.fail(reading.places.mass, fmt::format("the mass matrix is singular or not positive at the start ('{}' has "
                                                  "no inertia of its own); check the masses and the start",
                                                  system.names().v[static_cast<std::size_t>(i)]));
  };
  Mat L = Mat::Zero(n, n);
  Vec root(n);
  for (int i = 0; i < n; ++i) {
    root[i] = std::sqrt(T.M(i, i));
    if (!(root[i] > 0)) refuse(i);
  }
  for (int i = 0; i < n; ++i)
    T.M.for_each_in_row(i, [&](int j, double value) { L(i, j) = value / (root[i] * root[j]); });
  const double tiny = 1e-13 * n;
  for (int k = 0; k < n; ++k) {
    const double pivot = L(k, k) - L.row(k).head(k).squaredNorm();
    if (!(pivot > tiny)) refuse(k);
    L(k, k) = std::sqrt(pivot);
    const int rest = n - k - 1;
    L.col(k).tail(rest) = (L.col(k).tail(rest) - L.bottomLeftCorner(rest, k) * L.row(k).head(k).transpose()) / L(k, k);
  }
}

std::string describe(const Model& model, const StartViolation& worst) {
  const std::string& name = model.system->names().multipliers[static_cast<std::size_t>(worst.row)];
  switch (worst.level) {
    case StartLevel::gap:
      return fmt::format("the gap of '{}' is {:.6g}, below 0", name, worst.value);
    case StartLevel::velocity:
      return fmt::format("the rate of '{}' is {:.6g}, not 0", name, worst.value);
    default:
      return fmt::format("'{}' is {:.6g}, not 0", name, worst.value);
  }
}

Assembled assemble_start(Model& model, const Kept& keep, const DrivenTurns& turns) {
  const State given = model.start;
  assemble(model.rows(), model.start, keep.q, keep.v, turns);
  Assembled result;
  const auto note = [](const Vec& before, const Vec& after, const std::vector<std::string>& names, double& largest, std::string& name) {
    for (int i = 0; i < before.size(); ++i)
      if (std::abs(after[i] - before[i]) > largest) {
        largest = std::abs(after[i] - before[i]);
        name = names[static_cast<std::size_t>(i)];
      }
  };
  const Names& names = model.system->names();
  note(given.q, model.start.q, names.q, result.moved, result.most_moved);
  note(given.v, model.start.v, names.v, result.changed, result.most_changed);
  return result;
}

}  // namespace

void read_start(Reading& reading, const Block& top, Model& model) {
  check_finite(reading, model);
  if (model.kind == "formula system") check_mass(reading, model);  // bodies are checked one by one
  const AssembleRequest request = read_assemble(reading, top, model.system->names());
  if (request.wanted) model.assembled = assemble_start(model, request.keep, reading.turns);
  StartViolation worst = worst_violation(model.rows(), model.start);
  if (!request.wanted)  // every angle is 0 as drawn: a full turn away is away too
    for (const auto& [row, counter, angle] : reading.turns.drives)
      if (std::abs(angle) > worst.scaled) worst = {StartLevel::position, row, -angle, std::abs(angle)};
  if (worst.row < 0 || worst.scaled <= start_tolerance) return;
  const std::size_t place = reading.places.rows[static_cast<std::size_t>(worst.row)];
  if (request.wanted)
    reading.fail(place,
                 fmt::format("the start cannot be assembled: {} at best; {}", describe(model, worst),
                             request.keep.q.empty() && request.keep.v.empty() ? "give start values that are nearer"
                                                                              : "keep fewer values, or other ones"));
  reading.fail(place, fmt::format("the start is inconsistent: {}; correct start and rate, or add 'assemble: true'",
                                  describe(model, worst)));
}

}  // namespace escapement
