// The first of several smooth functions that falls below zero within a step, looked for over the whole of it: a function
// is cleared where its interpolation predicts it and stays clear of zero by more than it is off, and is looked at more
// closely where it does not. What is narrower than that is not the functions' own doing but an expression's, which
// Resolution sees to.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "math/types.hpp"

namespace escapement::inline simulate {

class SignSearch {
 public:
  struct Found {
    int function = -1;         // -1: none falls below zero
    double low = 0, high = 1;  // parts of the step that enclose where it does
  };
  // values of the wanted functions at a part of the step
  using Sample = std::function<void(double part, const std::vector<char>& wanted, Vec& values)>;

  void resize(int most_functions);  // allocates all there is to allocate
  // of the functions 0 .. n - 1 that are wanted, with their values at both ends of the step and what is noise in each
  Found search(int n, const std::vector<char>& wanted, const Vec& at_start, const Vec& at_end, const Vec& noise,
               const Sample&);

 private:
  static constexpr int depths = 10;
  enum class Course { clear, falls, unclear };
  enum class Place { whole, start, within };  // of a piece in the step
  // of function k on a piece whose five values are known
  Course judge(int k, Place, const std::array<const Vec*, 5>& values, int& node) const;
  Found look(double from, double to, const Vec& at_from, const Vec& at_to, int depth);

  int n_ = 0;
  const Vec* noise_ = nullptr;
  const Sample* sample_ = nullptr;
  std::array<std::array<Vec, 3>, depths> inside_;
  std::array<std::vector<char>, depths + 1> wanted_;
};

}  // namespace escapement
