// Contacts of shapes whose gap is smooth: a ball or a corner over a plane, two balls, a journal in its bearing.
//
// A ball is a circle in the plane; a corner is a ball of radius 0. Points and directions are in the bodies' own frames.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "math/expression.hpp"
#include "model/row_group.hpp"
#include "model/slip_row.hpp"

namespace escapement::inline model {

template <int D>
struct ShapeContact {
  std::unique_ptr<RowGroup<D>> gap;
  std::vector<std::unique_ptr<SlipRow<D>>> slips;  // of the material points that touch: one in the plane, two in space
};

template <int D>
struct Ball {
  int body = ground;
  Vector<D> centre = Vector<D>::Zero();
  double radius = 0;
};

template <int D>
struct Plane {
  int body = ground;
  Vector<D> point = Vector<D>::Zero(), normal = Vector<D>::Zero();  // of length 1, to the free side
};

// makes contacts with names of their own among the variables of a graph; without slips where nothing rubs
template <int D>
class ShapeContacts {
 public:
  ShapeContacts(ExpressionGraph& graph, Expr t, std::string name, bool rubs)
      : graph_(graph), t_(t), name_(std::move(name)), rubs_(rubs) {}

  ExpressionGraph& graph() const { return graph_; }
  Expr t() const { return t_; }
  const std::string& name() const { return name_; }
  bool rubs() const { return rubs_; }
  ShapeContacts part(std::size_t k) const { return {graph_, t_, name_ + " " + std::to_string(k), rubs_}; }  // with other names

  ShapeContact<D> over(const Plane<D>&, const Ball<D>&) const;
  ShapeContact<D> beside(const Ball<D>&, const Ball<D>&) const;
  // a journal of this radius, moving by the clearance in its bearing, whose radius is ignored. With d the offset of the
  // centres and c the clearance the gap is (c^2 - d.d)/(2c): smooth also where the centres coincide, zero where c - |d| is,
  // and with the same gradient there
  ShapeContact<D> inside(const Ball<D>& bearing, const Ball<D>& journal, double clearance) const;

 private:
  ExpressionGraph& graph_;
  Expr t_;
  std::string name_;
  bool rubs_;
};

// spatial: component of the angular velocity of b against a along an axis fixed in a. Only a rate: it has no value
MeasurePtr<3> turning_about(int a, const Vector<3>& axis, int b);

}  // namespace escapement
