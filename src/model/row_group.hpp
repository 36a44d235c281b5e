// Constraint rows that are evaluated together: those of one joint, one limit, one contact.
//
// Arrays are over the group's own rows and the velocities of its own bodies (ascending), row by row: count x columns.
#pragma once

#include <memory>
#include <vector>

#include "model/joint.hpp"

namespace escapement::inline model {

template <int D>
class RowGroup {
 public:
  virtual ~RowGroup() = default;

  const std::vector<int>& bodies() const { return bodies_; }
  int columns() const { return width<D> * static_cast<int>(bodies_.size()); }
  int count() const { return count_; }

  virtual std::size_t scratch_size() const { return 0; }
  virtual bool has_features() const { return false; }            // faces, edges, corners, of which each has rows of its own
  virtual int feature(const Motion<D>&) const { return 0; }      // which of them
  virtual void gap(const Motion<D>&, double* g) const = 0;
  virtual void largest_terms(const Motion<D>&, double* largest) const = 0;  // magnitudes that each gap sums
  virtual void jacobian(const Motion<D>&, double* G, double* g_t) const = 0;
  virtual void curvature(const Motion<D>&, double* kappa) const = 0;
  virtual void add_stiffness(const Motion<D>&, const double* mu, double* K) const = 0;  // K += d(G^T mu)/dq, columns^2
  virtual bool turns_only() const { return false; }                 // that K is zero but for angular velocities
  virtual void rate_rows(const Motion<D>&, double* V_q) const = 0;  // d(G v + g_t)/dq
  virtual void curvature_rows(const Motion<D>&, double* kappa_q, double* kappa_v) const = 0;

 protected:
  void set_bodies(std::vector<int> bodies, int count);  // any order, repeats and the ground allowed

  std::vector<int> bodies_;
  int count_ = 0;
};

template <int D>
std::unique_ptr<RowGroup<D>> make_joint_rows(const Joint<D>&);

// adds a measure's gradient or hessian to the columns of its bodies; places: first columns, -1 for the ground
template <int D>
struct MeasurePlaces {
  int a = -1, b = -1;
  void add(double factor, const Gradient<D>& g, double* row) const;
  void add(const PairMatrix<D>& H, int columns, double* K, bool turns_only = false) const;
  void add_product(double factor, const Gradient<D>& g, const double* row, int columns,
                   double* K) const;  // K += g^T row
};

// the columns of a measure among those of some bodies (ascending)
template <int D>
MeasurePlaces<D> places_in(const std::vector<int>& bodies, const Measure<D>& measure);
// first column of a body, -1 when it is not among them
int first_column(const std::vector<int>& bodies, int body, int width);
// without the ground and repeats, ascending
std::vector<int> moving_bodies(std::vector<int> bodies);

}  // namespace escapement
