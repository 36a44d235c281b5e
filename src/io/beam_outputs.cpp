// What expressions, outputs, pictures and messages know of beams.
#include <algorithm>
#include <cmath>
#include <span>

#include "io/beam_reading.hpp"
#include "io/mechanism_reading.hpp"
#include "model/observed_inputs.hpp"

namespace escapement::inline io {

// what of a section a name means: which rows of forces and strains, and whether their size is meant
struct SectionName {
  const char* name;
  bool strain;
  int first, count;
};

namespace {

constexpr SectionName planar_names[] = {{"tension", false, 0, 1},     {"shear", false, 1, 1},
                                        {"moment", false, 2, 1},      {"stretch", true, 0, 1},
                                        {"shear_strain", true, 1, 1}, {"curvature", true, 2, 1}};
constexpr SectionName spatial_names[] = {
    {"tension", false, 0, 1},   {"shear", false, 1, 2},        {"shear2", false, 1, 1},       {"shear3", false, 2, 1},
    {"moment", false, 3, 3},    {"moment1", false, 3, 1},      {"moment2", false, 4, 1},      {"moment3", false, 5, 1},
    {"stretch", true, 0, 1},    {"shear_strain2", true, 1, 1}, {"shear_strain3", true, 2, 1}, {"curvature", true, 3, 3},
    {"curvature1", true, 3, 1}, {"curvature2", true, 4, 1},    {"curvature3", true, 5, 1}};

template <int D>
std::span<const SectionName> section_names() {
  if constexpr (D == 2) {
    return planar_names;
  } else {
    return spatial_names;
  }
}

// in the plane with its sign, in space without the twist
template <int D>
double bending_moment(const Velocity<D>& force) {
  if constexpr (D == 2) {
    return force[2];
  } else {
    return std::hypot(force[4], force[5]);
  }
}

// of the largest turn: where steps end for the sake of it, the last one that was taken has come so far
constexpr double nearly = 0.8;

double constant_argument(const ExpressionGraph& graph, const std::vector<Expr>& arguments, const std::string& call) {
  if (arguments.size() != 1 || !graph.variables(arguments[0]).empty())
    throw std::invalid_argument(fmt::format("{} takes one number, like {}(0.5)", quote(call), call));
  return graph.is_constant(arguments[0]) ? graph.value(arguments[0]) : graph.evaluate(arguments[0], {});
}

double fraction_argument(const ExpressionGraph& graph, const std::vector<Expr>& arguments, const std::string& call) {
  const double x = constant_argument(graph, arguments, call);
  if (!(x >= 0 && x <= 1))
    throw std::invalid_argument(
        fmt::format("{} takes a fraction of the beam's length from 0 to 1, but this is {:g}", quote(call), x));
  return x;
}

}  // namespace

template <int D>
SectionForce<D> ReadBeam<D>::section(const Motion<D>& m, double fraction) const {
  const int last = static_cast<int>(elements.size()) - 1;
  if (last == 0) return elements[0]->section_force(m);
  const double at = fraction * length();
  int e = 0;
  double middle = 0.5 * lengths[0], width = 0.5 * (lengths[0] + lengths[1]);
  while (e + 1 < last && at >= middle + width) {
    middle += width;
    ++e;
    width = 0.5 * (lengths[static_cast<std::size_t>(e)] + lengths[static_cast<std::size_t>(e) + 1]);
  }
  const double part = (at - middle) / width;
  SectionForce<D> a = elements[static_cast<std::size_t>(e)]->section_force(m);
  const SectionForce<D> b = elements[static_cast<std::size_t>(e) + 1]->section_force(m);
  a.force += part * (b.force - a.force);
  a.strain += part * (b.strain - a.strain);
  return a;
}

template <int D>
int find_node(const std::vector<std::shared_ptr<const ReadBeam<D>>>& beams, const ExpressionGraph& graph,
              const std::string& call, const std::vector<Expr>& arguments) {
  for (const auto& beam : beams) {
    const int count = static_cast<int>(beam->elements.size());
    if (call == beam->name + ".at") return beam->first + beam->nearest(fraction_argument(graph, arguments, call));
    if (call != beam->name + ".node") continue;
    const double k = constant_argument(graph, arguments, call);
    if (k != std::round(k) || k < 0 || k > count)
      throw std::invalid_argument(
          fmt::format("the beam {} has the nodes 0 to {}, but this is {:g}", quote(beam->name), count, k));
    return beam->first + static_cast<int>(k);
  }
  return ground;
}

template <int D>
void name_beams(MechanismReading<D>& r) {
  Reading& reading = r.reading;
  for (const auto& beam : r.beams) {
    const auto alias = [&](const std::string& name, int node) {
      const std::string original = fmt::format("{}.{}", beam->name, node);
      for (const std::string& suffix : node_names(D)) {
        if (const Expr* value = reading.positions.find(original + suffix)) reading.positions.add(name + suffix, *value);
        if (const Expr* value = reading.states.find(original + suffix)) reading.states.add(name + suffix, *value);
        if (const std::string* reason = reading.positions.find_refusal(original + suffix))
          reading.positions.refuse(name + suffix, *reason);
      }
    };
    alias(beam->name + ".start", 0);
    alias(beam->name + ".end", static_cast<int>(beam->elements.size()));
    for (const char* kind : {".node", ".at"}) {
      const std::string call = beam->name + kind;
      const auto select = [&graph = reading.graph, beam, call](const std::vector<Expr>& arguments) {
        return fmt::format("{}.{}", beam->name, find_node<D>({beam}, graph, call, arguments) - beam->first);
      };
      reading.positions.add_selector(call, select);
      reading.states.add_selector(call, select);
    }
    for (const SectionName& one : section_names<D>())
      for (Symbols* symbols : {&reading.positions, &reading.states})
        symbols->refuse(fmt::format("{}.{}", beam->name, one.name),
                        "forces and strains of a beam's section are for outputs and 'stop' alone");
  }
}

template <int D>
void observe_beams(MechanismReading<D>& r) {
  Reading& reading = r.reading;
  // behind whatever outputs can read when the first of these is asked for
  const auto observed = std::make_shared<std::shared_ptr<ObservedInputs<D>>>();
  const int bodies = static_cast<int>(r.mechanism->bodies().size());
  for (const auto& beam : r.beams)
    for (const SectionName& one : section_names<D>()) {
      const std::string call = fmt::format("{}.{}", beam->name, one.name);
      const auto observe = [&reading, beam, call, one, bodies, observed](const std::vector<Expr>& arguments) {
        const double at = fraction_argument(reading.graph, arguments, call);
        const Expr variable = reading.graph.variable(fmt::format("{}({})", call, at));
        std::vector<Expr>& inputs = reading.outcome_inputs;
        if (std::find(inputs.begin(), inputs.end(), variable) != inputs.end()) return variable;
        if (!*observed) {
          *observed = std::make_shared<ObservedInputs<D>>(reading.outcome_source, static_cast<int>(inputs.size()), bodies);
          reading.outcome_source = *observed;
        }
        (*observed)->observe([beam, one, at](const Motion<D>& m) {
          const SectionForce<D> section = beam->section(m, at);
          const Velocity<D>& rows = one.strain ? section.strain : section.force;
          if (one.count == 1) return rows[one.first];
          double square = 0;
          for (int i = one.first; i < one.first + one.count; ++i) square += rows[i] * rows[i];
          return std::sqrt(square);
        });
        inputs.push_back(variable);
        reading.reaction_variables.push_back(variable);
        return variable;
      };
      reading.outcome_calls.emplace_back(call, observe);
    }
}

template <int D>
void show_beams(MechanismReading<D>& r) {
  if (r.beams.empty()) return;
  const auto frames = std::make_shared<std::vector<Frame<D>>>(r.mechanism->bodies().size() + 1);
  const auto motion = [frames](const State& s) {
    set_frames(s, static_cast<int>(frames->size()) - 1, frames->data());
    return Motion<D>{frames->data(), s.t, s.z.data(), nullptr};
  };
  Picture& scene = r.model.scene;
  std::vector<std::string> paths;
  for (const auto& beam : r.beams) {
    const auto line = std::find_if(scene.primitives.begin(), scene.primitives.end(), [&](const Picture::Primitive& one) { return one.name == beam->name; });
    line->shade = "bending moment, N m";
    for (std::size_t k = 0; k < beam->elements.size(); ++k) {
      paths.push_back(fmt::format("beams/{}/moment/{}", beam->name, k));
      line->shades.emplace_back(paths.back());
    }
  }
  scene.add_columns(paths, [beams = r.beams, motion](const State& s, double* out) {
    const Motion<D> m = motion(s);
    for (const auto& beam : beams)
      for (const BeamElement<D>* element : beam->elements) *out++ = bending_moment<D>(element->section_force(m).force);
  });
  r.model.limit_reached = [beams = r.beams, motion](const State& s) {
    const Motion<D> m = motion(s);
    double most = 0;
    std::string text;
    for (const auto& beam : beams)
      for (std::size_t k = 0; k < beam->elements.size(); ++k) {
        const double turn = beam->elements[k]->turn(m);
        if (!(turn > most) || turn < nearly * BeamElement<D>::largest_turn) continue;
        most = turn;
        text = fmt::format(
            "The element between {0}.{1} and {0}.{2} is turned by {3:.3g} rad, and its limit is {4:.3g}: take more elements.",
            beam->name, k, k + 1, turn, BeamElement<D>::largest_turn);
      }
    return text;
  };
}

template SectionForce<2> ReadBeam<2>::section(const Motion<2>&, double) const;
template SectionForce<3> ReadBeam<3>::section(const Motion<3>&, double) const;
template void name_beams<2>(MechanismReading<2>&);
template void name_beams<3>(MechanismReading<3>&);
template void observe_beams<2>(MechanismReading<2>&);
template void observe_beams<3>(MechanismReading<3>&);
template void show_beams<2>(MechanismReading<2>&);
template void show_beams<3>(MechanismReading<3>&);
template int find_node<2>(const std::vector<std::shared_ptr<const ReadBeam<2>>>&, const ExpressionGraph&,
                          const std::string&, const std::vector<Expr>&);
template int find_node<3>(const std::vector<std::shared_ptr<const ReadBeam<3>>>&, const ExpressionGraph&,
                          const std::string&, const std::vector<Expr>&);

}  // namespace escapement
