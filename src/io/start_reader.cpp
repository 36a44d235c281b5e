#include "io/start_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "io/shape_distance.hpp"
#include "io/touching_step.hpp"
#include "math/nearest_name.hpp"
#include "math/rotation.hpp"
#include "simulate/assembly.hpp"

namespace escapement::inline io {

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

// where the start takes the root of 0, divides by it, or takes its logarithm: place and sentence
struct Singular {
  std::size_t offset;
  std::string message;
};

std::map<Expr, double> values_at(const Reading& reading, const State& s) {
  std::map<Expr, double> values;
  std::vector<double> in(reading.inputs.size());
  if (reading.state_inputs) {
    std::vector<int> used(in.size());
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = static_cast<int>(i);
    StateInputs::Work work;
    reading.state_inputs->prepare(work);
    reading.state_inputs->fill(s, used, in.data(), work);
  } else {
    in[0] = s.t;
    std::copy_n(s.q.data(), s.q.size(), in.begin() + 1);
    std::copy_n(s.v.data(), s.v.size(), in.begin() + 1 + s.q.size());
  }
  for (std::size_t i = 0; i < in.size(); ++i) values[reading.inputs[i]] = in[i];
  return values;
}

std::optional<Singular> find_singular(const Reading& reading, const State& s) {
  const ExpressionGraph& graph = reading.graph;
  const std::map<Expr, double> values = values_at(reading, s);
  for (const Said& said : reading.said) {
    const Expr roots[] = {said.e};
    for (Expr part : graph.reachable(roots)) {
      const Node& node = graph.node(part);
      if (node.op != Op::product && node.op != Op::log) continue;
      for (const Term& term : node.operands()) {
        const double exponent = term.weight.value().plain();
        const bool root = node.op == Op::product && exponent > 0 && exponent != std::round(exponent);
        const bool divides = node.op == Op::product && exponent < 0;
        if (!root && !divides && node.op != Op::log) continue;
        if (graph.evaluate(term.operand, values) != 0) continue;
        const std::string text = quote(graph.to_string(term.operand, 57));
        if (root)
          return Singular{said.offset, fmt::format("the root of {} is taken of 0, where it has no derivative; start "
                                                   "elsewhere, or add a small number under the root",
                                                   text)};
        if (divides)
          return Singular{said.offset, fmt::format("something is divided by {}, which is 0; start elsewhere, or "
                                                   "write the formula without that division",
                                                   text)};
        return Singular{said.offset, fmt::format("the logarithm of {} is taken of 0; start elsewhere", text)};
      }
    }
  }
  return std::nullopt;
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
  // the place and the reason where an expression shows them
  const auto fail = [&](std::size_t place, bool of_row, const std::string& what) {
    const auto singular = find_singular(reading, model.start);
    reading.fail(singular && !of_row ? singular->offset : place,
                 fmt::format("{} at the start{}", what, singular ? ": " + singular->message : "; check the start values"));
  };
  for (int i = 0; i < system.dim().v; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!finite_row(T.M, i))
      fail(reading.places.mass, false, fmt::format("the mass of '{}' is not a finite number", names.v[k]));
    if (!std::isfinite(T.f[i]))
      fail(reading.places.force, false, fmt::format("the force on '{}' is not a finite number", names.v[k]));
  }
  for (int i = 0; i < system.dim().rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!std::isfinite(T.g[i]) || !std::isfinite(T.g_t[i]) || !std::isfinite(T.kappa[i]) || !finite_row(T.G, i))
      fail(reading.places.rows[k], true, fmt::format("'{}' or its derivatives are not finite", names.multipliers[k]));
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

// of a journal with clearance c, whose recorded gap is no distance but (c^2 - d^2)/(2 c), d being how far the centres are apart
std::string journal_apart(Reading& reading, const Block& top, const std::string& contact, double gap) {
  for (const auto& entry : top.named("joints")) {
    const YamlNode::Entry* clearance = entry.key == contact && entry.value->is_map() ? entry.value->find("clearance") : nullptr;
    if (!clearance || entry.value->find("block")) continue;
    const double c = reading.constant(*clearance);
    return fmt::format("the centres of joint {} are {:.6g} apart, more than its clearance of {:g}", quote(contact), std::sqrt(c * c - 2 * c * gap), c);
  }
  return {};
}

std::vector<Assembled::Part> moved_parts(const Model& model, const State& given) {
  std::vector<Assembled::Part> parts;
  const State& now = model.start;
  const auto note = [&](const std::string& name, double moved, std::optional<double> turned) {
    constexpr double rounded = 1e-14;
    if (turned && *turned <= rounded) turned = 0;
    if (moved > rounded || turned.value_or(0) > 0) parts.push_back({name, moved, turned});
  };
  const Names& names = model.system->names();
  if (model.kind == "formula system") {
    for (int i = 0; i < now.q.size(); ++i)
      note(names.q[static_cast<std::size_t>(i)], std::abs(now.q[i] - given.q[i]), std::nullopt);
    return parts;
  }
  const bool planar = model.scene.dimension == 2;
  const int width = planar ? 3 : 7, lengths = planar ? 2 : 3;
  for (std::size_t b = 0; b < model.scene.bodies.size(); ++b) {
    if (width * static_cast<int>(b) >= now.q.size()) break;  // the ground
    const auto before = given.q.segment(width * static_cast<int>(b), width), after = now.q.segment(width * static_cast<int>(b), width);
    const double moved = (after - before).head(lengths).norm();
    const double turned = planar ? std::abs(after[2] - before[2])
                                 : 2 * std::acos(std::min(1.0, std::abs(before.tail(4).dot(after.tail(4)))));
    note(model.scene.bodies[b].name, moved, turned);
  }
  return parts;
}

Assembled assemble_start(Model& model, const Kept& keep, const DrivenTurns& turns) {
  const State given = model.start;
  assemble(*model.system, model.start, keep.q, keep.v, turns);
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
  result.parts = moved_parts(model, given);
  return result;
}

// joints whose point, given in the world, lies beside the shapes of a body that had to move
void warn_of_points_beside(const Reading& reading, Model& model) {
  for (const Reading::WorldPoint& point : reading.world_points) {
    const Picture::Body& body = model.scene.bodies[static_cast<std::size_t>(point.body)];
    if (body.shapes.empty()) continue;
    const auto moved = std::find_if(model.assembled->parts.begin(), model.assembled->parts.end(),
                                    [&](const Assembled::Part& part) { return part.name == body.name; });
    if (moved == model.assembled->parts.end()) continue;
    double off = INFINITY, size = 0;
    for (const Picture::Shape& shape : body.shapes) {
      off = std::min(off, distance_to(shape, point.at));
      size = std::max(size, size_of(shape));
    }
    constexpr double beside = 0.01;  // of the body's size
    if (!(off > beside * size)) continue;
    model.warnings.push_back(
        ModelError(reading.source.file(), reading.source.place(point.offset),
                   fmt::format("joint {} holds a point of {} that is {:.3g} outside its shapes: 'at' is taken where the body was put, "
                               "and assembling moved the body afterwards; name 'points' of the bodies and join these",
                               quote(point.joint), quote(body.name), off))
            .what());
  }
}

// contacts that are found anew in each step: none may begin inside another
void check_overlaps(Reading& reading, const Block& top, const Model& model) {
  const TouchingSystem* system = touching_system(model);
  if (!system) return;
  const TouchingBodies* touching = system->touching();
  std::vector<ContactPoint> points;
  system->make_search()->find(model.start, std::vector<double>(touching->extent.size(), 0.0), points);
  const ContactPoint* worst = nullptr;
  for (const ContactPoint& point : points)
    if (!worst || point.gap < worst->gap) worst = &point;
  if (!worst || worst->gap >= -start_tolerance) return;
  const auto name = [&](int body) { return body < 0 ? std::string("ground") : touching->names[static_cast<std::size_t>(body)]; };
  const std::string& contact = touching->contacts[static_cast<std::size_t>(touching->laws[static_cast<std::size_t>(worst->law)].contact)];
  for (const auto& entry : top.named("contacts"))
    if (entry.key == contact)
      reading.fail(entry.key_offset, fmt::format("the start is inconsistent: in contact {} the shapes of {} and {} overlap by {:.6g}; move one of them",
                                                 quote(contact), quote(name(worst->a)), quote(name(worst->b)), -worst->gap));
}

}  // namespace

void read_start(Reading& reading, const Block& top, Model& model) {
  check_finite(reading, model);
  if (model.kind == "formula system") check_mass(reading, model);  // bodies are checked one by one
  const AssembleRequest request = read_assemble(reading, top, model.system->names());
  if (request.wanted) {
    model.assembled = assemble_start(model, request.keep, reading.turns);
    warn_of_points_beside(reading, model);
  }
  check_overlaps(reading, top, model);
  StartViolation worst = worst_violation(*model.system, model.start);
  if (!request.wanted)  // every angle is 0 as drawn: a full turn away is away too
    for (const auto& [row, counter, angle] : reading.turns.drives)
      if (std::abs(angle) > worst.scaled) worst = {StartLevel::position, row, -angle, std::abs(angle)};
  if (worst.row < 0 || worst.scaled <= start_tolerance) return;
  const std::size_t place = reading.places.rows[static_cast<std::size_t>(worst.row)];
  const std::string& row = model.system->names().multipliers[static_cast<std::size_t>(worst.row)];
  const bool joint = model.kind == "mechanism" && worst.level != StartLevel::gap;
  const std::string journal = worst.level == StartLevel::gap ? journal_apart(reading, top, row, worst.value) : "";
  if (request.wanted)
    reading.fail(place,
                 fmt::format("the start cannot be assembled: {}{} at best; {}",
                             joint ? fmt::format("joint {} does not close, ", quote(row.substr(0, row.find('.')))) : "",
                             journal.empty() ? describe(model, worst) : journal,
                             request.keep.q.empty() && request.keep.v.empty() ? "give start values that are nearer, or lengths that reach"
                                                                              : "keep fewer values, or other ones"));
  reading.fail(place, fmt::format("the start is inconsistent: {}; correct start and rate, or add 'assemble: true'",
                                  journal.empty() ? describe(model, worst) : journal));
}

}  // namespace escapement
