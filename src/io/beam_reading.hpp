// What the readers of a mechanism know of its beams.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "io/reading.hpp"
#include "model/beam.hpp"

namespace escapement::inline io {

template <int D>
struct ReadBeam {
  std::string name;
  int first = 0;                 // body of its first node; the others follow
  std::vector<double> lengths;   // of the elements
  std::vector<double> stations;  // of the nodes: length from the start
  std::vector<const BeamElement<D>*> elements;

  double length() const { return stations.back(); }
  double share(int node, double from, double to) const;  // of the length between two stations that a node stands for
  int nearest(double fraction) const;                    // node, counted from 0
  // linear between the middles of the elements, beyond the outer ones too
  SectionForce<D> section(const Motion<D>&, double fraction) const;
};

// a section in numbers; in the plane those about 3 and along 2 count
struct SectionNumbers {
  double EA = 0, GJ = 0, mass = 0;
  std::array<double, 2> GA{}, EI{};  // along 2, 3; about 2, 3
  std::array<double, 3> inertia{};   // about 1, 2, 3
};
SectionNumbers read_section_numbers(Reading&, const YamlNode::Entry&, int dimension);

// the body that NAME.node(k) or NAME.at(fraction) means; ground: no beam is called so. Throws std::invalid_argument
template <int D>
int find_node(const std::vector<std::shared_ptr<const ReadBeam<D>>>&, const ExpressionGraph&, const std::string& call,
              const std::vector<Expr>& arguments);

}  // namespace escapement
