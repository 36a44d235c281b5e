// Moves a position onto g_b = 0, 0 <= g_u: q := q "plus" A^-1 G_d^T Psi with 0 <= g(q) perp Psi >= 0 on contacts, Psi free on
// joints. Directions G_d and metric A stay fixed while Psi is found, as in [004] (31)-(33). Joints are eliminated in every
// iteration, [A -G_d^T; G 0], so that what is left is a problem of the contacts alone.
#pragma once

#include <memory>
#include <vector>

#include "math/saddle_solver.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class PositionCorrection {
 public:
  enum class Metric { euclidean, kinetic };

  PositionCorrection() : solver_(make_contact_solver()) {}
  void start(const System&, Metric metric);
  // directions, mass: G and M where the directions belong; false: report says why
  bool apply(const System&, const Matrix& directions, const Matrix& mass, State& s, StepReport&);
  const Vec& psi() const { return psi_; }    // by row of G
  const Terms& terms() const { return T_; }  // at the corrected position

 private:
  void make_room(std::size_t contacts, int v);  // for their answers
  bool find_rows(const Matrix& directions);
  bool factor(const Matrix& directions, const Matrix& metric, StepReport&);
  bool correct(const Scale& one, const Matrix& directions, const Matrix& metric, double noise, StepReport&);
  void set_problem(const Matrix& directions, const Matrix& metric, double noise);

  int rows_ = 0, bilateral_ = 0;
  Metric metric_ = Metric::kinetic;
  Matrix identity_;  // the Euclidean metric
  SaddleSolver kkt_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  Terms T_;
  Matrix bottom_;                 // G without the rows of joints that are not used
  std::vector<char> positional_;  // rows that have a position level
  std::vector<char> used_;        // rows of the correction: those with a direction and a position level
  std::vector<int> set_;          // the contacts among them
  std::vector<Vec> response_, response_mu_;  // of positions and joints to each contact of the set
  Vec psi_, P_, dx_, next_, q_, right_, zero_, b_, mu_;
  double moved_ = 0;  // how far the last correction moved a gap, over what counts as one in it
};

}  // namespace escapement
