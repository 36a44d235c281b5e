// Functions of time as a model file writes them and as the reference evaluates them.
#pragma once

#include <string>
#include <vector>

#include "draw.hpp"

struct Term {
  enum Kind { sine, pulse, burst, smooth_step, ramp, hat, jump, window } kind;
  double size, centre, width, rate;
  double at(double t) const;
  std::string text() const;
};

class Signal {
 public:
  Signal() = default;
  explicit Signal(double constant) : constant_(constant) {}
  void add(const Term& term) { terms_.push_back(term); }
  double operator()(double t) const {
    double sum = constant_;
    for (const Term& term : terms_) sum += term.at(t);
    return sum;
  }
  std::string text() const;

 private:
  double constant_ = 0;
  std::vector<Term> terms_;
};

std::string text_of(double value);

// one to three terms within a run of length `end`; the largest has about the given size. Smooth ones have two
// derivatives, which gaps and drives need
Signal draw_signal(Draw& draw, double size, double end, bool smooth, double constant = 0);
