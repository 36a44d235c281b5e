// The path of a model by tiny steps that know of no events: velocities leap by the impulses of all gaps that are not
// open.
#pragma once

#include "model.hpp"

using Path = std::vector<Place>;  // at the start and after each of `samples` equal parts of the run

Path integrate(const Model& model, int samples, int steps_per_sample);

struct Reference {
  Path path;
  double motion = 0;      // largest way of a coordinate from its start
  double difference = 0;  // between the last two step sizes, over motion
};
Reference reference_of(const Model& model, int samples);

double largest_motion(const Path& path);
double distance(const Path& a, const Path& b);
