#include "io/touching_step.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline io {

namespace {

double round_down(double x) {
  const double decade = std::pow(10, std::floor(std::log10(x)));
  for (const double part : {5.0, 2.0})
    if (part * decade <= x) return part * decade;
  return decade;
}

}  // namespace

const TouchingSystem* touching_system(const Model& model) {
  const auto* system = dynamic_cast<const TouchingSystem*>(model.system.get());
  return system && system->touching() ? system : nullptr;
}

double step_for_touching(const System& system, const TouchingBodies& touching, const State& start, double duration) {
  Terms terms;
  system.prepare(terms);
  system.evaluate(start, Need::mass | Need::force, terms);
  const int width = touching.width, lines = width == 3 ? 2 : 3;
  double smallest = 0, speed = 0, acceleration = 0;
  for (std::size_t b = 0; b < touching.extent.size(); ++b) {
    const double extent = touching.extent[b];
    if (!(extent > 0)) continue;
    smallest = smallest > 0 ? std::min(smallest, extent) : extent;
    const int first = width * static_cast<int>(b);
    speed = std::max(speed, start.v.segment(first, lines).norm());
    acceleration = std::max(acceleration, terms.f.segment(first, lines).norm() / terms.M(first, first));
  }
  double time = duration;
  if (speed > 0) time = std::min(time, smallest / speed);
  if (acceleration > 0) time = std::min(time, std::sqrt(2 * smallest / acceleration));
  // an impact on what others hold is off by about the energy that forces put in within the step: of what they put in within the time, this part
  return round_down(std::min(suspect::energy_fixed * time, duration / 100));
}

}  // namespace escapement
