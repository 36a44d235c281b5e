// The computations a case may ask for. Each turns the settings of one point into numbers and columns.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "io/model_file.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"

namespace escapement::inline study {

// one point of a case: the case's settings with the varied ones put in their place
class PointSetup {
 public:
  PointSetup(const Experiment&, const Case&, int index);

  const Case& of() const { return case_; }
  const std::string* text(std::string_view key) const;
  std::string text(std::string_view key, const std::string& fallback) const;
  double number(std::string_view key) const;  // throws when it is missing
  double number(std::string_view key, double fallback) const;
  std::vector<std::string> names(std::string_view key) const;               // of a list [a, b]; none: empty
  std::vector<double> numbers(std::string_view key) const;                  // the same as numbers; throws when missing
  PointSetup with(const std::string& key, const std::string& value) const;  // another setting
  Model model() const;                                                      // the case's model with everything applied
  Model model(double step) const;                                           // the same with another step

 private:
  Model load(const std::string* step) const;

  const Experiment& experiment_;
  const Case& case_;
  TextPairs settings_, set_, options_;
};

struct ProbeInput {
  const PointSetup& setup;
  const Point* reference = nullptr;  // the truth, when the case names one
  Lookup before;                     // values of the cases above; `here` stands for the point of the same number
  const std::atomic<bool>* interrupt = nullptr;
};

using Probe = Point (*)(const ProbeInput&);

// kind -> probe; throws std::runtime_error when unknown
Probe find_probe(const std::string& kind);

Point probe_run(const ProbeInput&);                  // a simulation, everything it measures and records
Point probe_loosest(const ProbeInput&);              // the least work whose run meets a condition, on ladders of tolerances
Point probe_matched(const ProbeInput&);              // the tolerance whose run gives a printed number
Point probe_newton(const ProbeInput&);               // Newton corrections and condition numbers, [003]
Point probe_spectral_radius(const ProbeInput&);      // of a scheme's step on a linear oscillator
Point probe_largest_step(const ProbeInput&);         // by bisection: the largest step whose run meets a condition
Point probe_multipoint(const ProbeInput&);           // central differences in their classical form, [002] (3)
Point probe_prescribed_position(const ProbeInput&);  // whether a structural method can carry a constraint
Point probe_linear_system(const ProbeInput&);  // a saddle-point system given by its numbers, as equations and as an LCP

}  // namespace escapement
