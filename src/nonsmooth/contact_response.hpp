// How velocities answer impulses on contacts within the bilateral constraints: A x - G_b^T mu = (row of the contact)^T,
// G_b x = 0. Bilateral rows are eliminated here once and exactly, so that contact problems have contact rows only.
#pragma once

#include <vector>

#include "math/saddle_solver.hpp"
#include "nonsmooth/impact.hpp"
#include "system/system.hpp"

namespace escapement {

class ContactResponse {
 public:
  void resize(const System&);
  bool frictional(int contact) const { return laws_[contact].friction > 0 && laws_[contact].slip >= 0; }
  const ContactLaw& law(int contact) const { return laws_[contact]; }
  int contacts() const { return static_cast<int>(laws_.size()); }
  int first_row() const { return bilateral_; }  // of G: the first contact's

  // A: the mass or an iteration matrix; only the bilateral rows of G are used
  bool factor(const Matrix& A, const Matrix& G) { return factor(A, G, G); }
  bool factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  // A x - G_b^T mu = a, G_b x = b
  void solve(const Vec& a, const Vec& b, Vec& x, Vec& mu) { kkt_.solve(a, b, x, mu); }
  // answers to unit impulses on the contacts of the set
  void respond(const Terms&, const std::vector<int>& set);

  int size() const { return static_cast<int>(set_.size()); }
  int contact(int k) const { return set_[k]; }
  // the joints leave the contact no way to move: what its response is beyond that is rounding, and it takes no impulse
  bool held_fast(const Terms&, int k) const;
  const Vec& normal(int k) const { return normal_[k]; }
  const Vec& slip(int k) const { return slip_[k]; }

  // rows of the set for an impact law: cones and W; restitution and velocities are for the caller
  void fill(const Terms&, ImpactProblem&);
  int row(int k) const { return row_[k]; }  // of the problem filled last: normal row, the slip row follows
  // v += answers to the impulses P of the problem filled last; mu += what the bilateral constraints add
  void apply(const Vec& P, Vec& v, Vec& mu) const;

  // velocities that impulses on the system give the rows of the problem filled last
  void rows_of(const Vec& impulses, Vec& rows) const;

  int solves() const { return kkt_.solves(); }
  double pivot() const { return kkt_.pivot(); }
  bool finite() const { return kkt_.finite(); }
  bool redundant() const { return kkt_.redundant(); }

 private:
  void make_room(std::size_t contacts, int v);  // for their answers

  int bilateral_ = 0;
  std::vector<ContactLaw> laws_;
  SaddleSolver kkt_;
  std::vector<int> set_, row_;
  std::vector<Vec> normal_, slip_, normal_mu_, slip_mu_;
  Vec right_, zero_;
  Vec diagonal_;  // of A
};

}  // namespace escapement
