// How velocities answer impulses on contacts within the bilateral constraints: A x - G_b^T mu = (row of the contact)^T,
// G_b x = 0. Bilateral rows are eliminated here once and exactly, so that contact problems have contact rows only.
#pragma once

#include <vector>

#include "math/rows.hpp"
#include "math/saddle_solver.hpp"
#include "nonsmooth/impact.hpp"
#include "system/system.hpp"

namespace escapement::inline nonsmooth {

// rounds in which limits of friction that follow joints are found: each leaves a small part of the last one's error
inline constexpr int most_followed = 100;

class ContactResponse {
 public:
  void resize(const System&);
  const ContactLaw& law(int contact) const { return laws_[contact]; }
  int laws() const { return static_cast<int>(laws_.size()); }  // contacts, then brakes
  int contacts() const { return contacts_; }
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
  // a row of a contact: where it stands among those of the set, in G or T, and among all multipliers
  struct Row {
    int at;
    bool is_slip;
    int row, multiplier;
    double dot(const Terms& T, const Vec& v) const { return row_times(is_slip ? T.T : T.G, row, v); }
    double drive(const Terms& T) const { return is_slip ? T.t0[row] : T.g_t[row]; }
    double velocity(const Terms& T, const Vec& v) const { return dot(T, v) + drive(T); }
  };
  const std::vector<Row>& rows() const { return rows_; }  // of the set: the normal one of a contact, then its slips
  int row(int k) const { return first_of_[k]; }           // the first of entry k
  int slip_row(int k) const { return first_of_[k] + (laws_[set_[k]].is_brake() ? 0 : 1); }
  int slips(int k) const { return laws_[set_[k]].slip_rows(); }
  // the joints leave it no way to move: what its response is beyond that is rounding, and it takes no impulse
  bool held_fast(const Terms&, int k) const;
  const Vec& answer(int at) const { return answer_[at]; }
  const Vec& answer_on_rows(int at) const { return answer_mu_[at]; }  // of the bilateral rows' impulses

  // the rows of the set for an impact law: cones and W; restitution and velocities are for the caller. time: over which
  // brakes act
  void fill(const Terms&, double time, ImpactProblem&);
  // Brakes that follow joints, after impulses P were found: their limits by what the joints carry then, on_rows without P.
  // True: some limit has changed, and P is to be found anew
  bool follow(const Vec& on_rows, const Vec& P, ImpactProblem&);
  // the same limits where it is known what the joints carry: true where one has changed
  bool limit_by(const Vec& on_rows, ImpactProblem&) const;
  // v += answers to the impulses P of the rows; mu += what the bilateral constraints add
  void apply(const Vec& P, Vec& v, Vec& mu) const;

  // velocities that impulses on the system give the rows
  void rows_of(const Vec& impulses, Vec& rows) const;

  int solves() const { return kkt_.solves(); }
  double pivot() const { return kkt_.pivot(); }
  bool finite() const { return kkt_.finite(); }
  bool redundant() const { return kkt_.redundant(); }

 private:
  void make_room(std::size_t rows, int v);  // for their answers

  int bilateral_ = 0, gaps_ = 0, contacts_ = 0;  // rows of G; contacts
  std::vector<ContactLaw> laws_;
  SaddleSolver kkt_;
  std::vector<int> set_, first_of_;
  std::vector<Row> rows_;
  std::vector<Vec> answer_, answer_mu_;
  Vec right_, zero_, carried_;
  Vec diagonal_;  // of A
};

}  // namespace escapement
