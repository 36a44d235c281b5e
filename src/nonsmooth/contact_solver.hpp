// What every solver of contact problems offers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "math/tolerances.hpp"
#include "nonsmooth/contact_problem.hpp"

namespace escapement::inline nonsmooth {

struct SolveReport {
  bool ok = false;      // natural_residual() of the result is within the tolerance
  double residual = 0;  // natural_residual() of the result
  int iterations = 0;   // sets tried, pivots or sweeps
};

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;

  virtual void reserve(
      int rows) = 0;  // room for problems of so many rows: smaller ones are then solved without allocation
  // P has at least rows() entries. In: a guess, used by the iterative methods only. Out: an element of the cones, and a
  // solution exactly when the report says ok
  virtual SolveReport solve(const ContactProblem&, Vec& P) = 0;

  double tolerance = little::contact_residual;  // for natural_residual(); the direct methods reach rounding
};

// lemke, gauss-seidel, newton, prox, or exact: the default, which tries the cheap direct ways before the sure ones.
// throws std::invalid_argument for another name
std::unique_ptr<ContactSolver> make_contact_solver(std::string_view name = "exact");
const std::vector<std::string>& contact_solver_names();
std::vector<std::string> contact_solver_choices();  // of the option: all but exact, which the event-driven contacts use

}  // namespace escapement
