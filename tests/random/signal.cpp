#include "signal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

std::string text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

double Term::at(double t) const {
  const double s = (t - centre) / width;
  switch (kind) {
    case sine:
      return size * std::sin(rate * t + centre);
    case pulse:
      return size * std::exp(-s * s);
    case burst:
      return size * std::exp(-s * s) * std::sin(rate * t);
    case smooth_step:
      return size * (1 + std::tanh(s)) / 2;
    case ramp:
      return size * std::max(0.0, std::min(1.0, s));
    case hat:
      return size * std::max(0.0, 1 - std::abs(s));
    case jump:
      return t > centre ? size : 0;
    case window:
      return t > centre && t < centre + width ? size : 0;
  }
  return 0;
}

std::string Term::text() const {
  const std::string a = text_of(size), c = text_of(centre), w = text_of(width), r = text_of(rate);
  const std::string s = "(t - " + c + ")/" + w;
  switch (kind) {
    case sine:
      return a + "*sin(" + r + "*t + " + c + ")";
    case pulse:
      return a + "*exp(-(" + s + ")^2)";
    case burst:
      return a + "*exp(-(" + s + ")^2)*sin(" + r + "*t)";
    case smooth_step:
      return a + "*(1 + tanh(" + s + "))/2";
    case ramp:
      return a + "*max(0, min(1, " + s + "))";
    case hat:
      return a + "*max(0, 1 - abs(" + s + "))";
    case jump:
      return "if(t > " + c + ", " + a + ", 0)";
    case window:
      return "if(t > " + c + " and t < " + text_of(centre + width) + ", " + a + ", 0)";
  }
  return "0";
}

std::string Signal::text() const {
  std::string sum = text_of(constant_);
  for (const Term& term : terms_) sum += " + " + term.text();
  return "(" + sum + ")";
}

Signal draw_signal(Draw& draw, double size, double end, bool smooth, double constant) {
  Signal signal(constant);
  const int terms = 1 + draw.below(3);
  for (int i = 0; i < terms; ++i) {
    Term term{};
    term.kind = static_cast<Term::Kind>(draw.below(smooth ? 4 : 8));
    const double share = i == 0 ? 1 : draw.uniform(0.1, 0.6);
    term.size = draw.value(0.8, 1.2) * size * share * (i > 0 && draw.chance(0.5) ? -1 : 1);
    term.width = draw.size(5e-3, 0.5) * std::min(1.0, end / 3);
    term.centre = draw.value(0.05, 0.9) * end;
    term.rate = draw.size(4, 60) / std::min(end, 20.0);
    if (term.kind == Term::sine) term.centre = draw.value(0, 6.2);
    if (term.kind == Term::burst) term.rate = draw.value(0.5, 3) / term.width;
    signal.add(term);
  }
  return signal;
}
