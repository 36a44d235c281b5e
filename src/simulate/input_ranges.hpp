// What expressions read along a step, as polynomials through a few places of it: ranges of the values and rates on any part.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "math/interval.hpp"

namespace escapement::inline simulate {

class InputRanges {
 public:
  static constexpr std::array<double, 5> places{0, 0.25, 0.5, 0.75, 1};  // parts of the step

  void resize(std::size_t inputs);
  // of a step of size h; fill(place, in) writes all inputs there
  template <class Fill>
  void follow(double h, Fill fill) {
    h_ = h;
    for (std::size_t k = 0; k < places.size(); ++k) {
      fill(places[k], in_.data());
      for (std::size_t i = 0; i < in_.size(); ++i) coefficients_[i][k] = in_[i];
    }
    fit();
  }
  void part(double from, double to, std::span<Enclosure> pieces) const;
  void end(std::span<Enclosure> pieces) const;  // with the rates there

 private:
  using Bernstein = std::array<double, 5>;
  void fit();

  double h_ = 0;
  std::vector<Bernstein> coefficients_;
  std::vector<double> in_;
};

}  // namespace escapement
