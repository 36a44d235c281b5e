// Contacts that stick may hold each other, like those of a box wedged in a bowl: what they carry is not determined by the motion, and of
// all forces with the same effect those of least size may need more friction than there is where others do not. These are moved, by what
// has no effect, until friction is within its limits everywhere: projections onto the cones and onto the forces of that effect in turn.
#pragma once

#include <vector>

#include "system/friction_sharing.hpp"

namespace escapement::inline system {

class ConeSharing {
 public:
  void clear();
  void add_contact(int row, double friction) { contacts_.push_back({row, friction, static_cast<int>(slips_.size()), 0}); }  // row: of its gap
  void add_slip(const ActiveSlip& slip);  // of the last contact
  // multipliers: of the rows, then of the slips behind them
  bool is_outside(const Vec& multipliers, int behind);
  // nothing changes where no forces within are found
  void share(const Matrix& G, const Matrix& T, int behind, Vec& multipliers);

 private:
  struct Contact {
    int row;
    double friction;
    int first, slips;  // among slips_
  };
  void gather(const Vec& multipliers, int behind);
  void find_basis(const Matrix& G, const Matrix& T);
  // the farthest that any is beyond a limit of this part of the friction, over the largest force; to_cones: moves them there
  double beyond(double part, bool to_cones);

  std::vector<Contact> contacts_;
  std::vector<ActiveSlip> slips_;
  Vec forces_, start_, change_;  // of the contacts, then of their slips
  Mat rows_;                     // what they act on, a column for each of them
  std::vector<Vec> basis_;       // orthonormal, of what the rows of this matrix span: forces along it have an effect
  std::size_t rank_ = 0;
};

}  // namespace escapement
