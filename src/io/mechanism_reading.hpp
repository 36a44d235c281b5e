// What the readers of a mechanism's blocks share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "io/beam_reading.hpp"
#include "io/contact_law_reader.hpp"
#include "io/model_file.hpp"
#include "io/reading.hpp"
#include "model/curve.hpp"
#include "model/mechanism.hpp"
#include "model/soft_touch.hpp"
#include "model/vocabulary.hpp"

namespace escapement::inline io {

// a point fixed in a body
template <int D>
struct BodyPoint {
  int body = ground;
  Vector<D> at = Vector<D>::Zero();  // in the body's frame
};

// two bodies, and the points of theirs that were named, in their own frames
template <int D>
struct Ends {
  Between<D> between;
  std::optional<Vector<D>> a, b;
};

// a shape that may touch others
struct TouchingShape {
  std::string key;  // circle, half_plane ...
  Picture::Shape shape;
  std::size_t offset = 0;                // of its key in the source
  std::shared_ptr<const Curve> curve{};  // of a curve or cam
  std::string material{};
};

// a point of a compliant contact of shapes: of measures of its own
struct SoftPoint {
  std::string name;  // of the contact, or NAME.1, NAME.2 ... where there are several
  Expr gap{}, gap_rate{};
  std::vector<Expr> slips{};
};

template <int D>
struct MechanismReading {
  Reading& reading;
  const Block& top;
  Model& model;
  std::unique_ptr<Mechanism<D>> mechanism;
  std::map<std::string, int, std::less<>> bodies, joints;
  std::map<std::string, BodyPoint<D>, std::less<>> points{};  // "rod.tip"
  std::vector<std::size_t> joint_places;  // of the joints' keys in the source
  Vocabulary<D> vocabulary;
  std::vector<std::size_t> force_places{};               // of the keys the mechanism's forces come from
  std::map<int, std::vector<TouchingShape>> shapes{};    // by body, ground included
  std::set<std::pair<int, int>> touching{};              // bodies that 'between' names
  std::map<std::string, std::size_t, std::less<>> contact_places{};  // of the keys that contacts come from, limits left out

  std::vector<std::shared_ptr<const ReadBeam<D>>> beams{};
  std::map<std::string, std::vector<SoftPoint>, std::less<>> soft{};               // of compliant contacts of shapes
  std::map<std::string, std::vector<CompliantContact>, std::less<>> compliant{};  // the points of each
  std::map<std::string, std::shared_ptr<const SoftTouch>, std::less<>> soft_touch{};  // those whose points are found
  std::vector<Expr> state_rates{};                       // in the order of the vocabulary's states
  std::vector<double> state_start{};

  // the bodies of an entry like {revolute: [ground, crank]}
  Between<D> pair(const YamlNode::Entry&, const char* what, const std::string& name);
  // the same where each may be a point, like [crank.tip, rod.root]
  Ends<D> ends(const YamlNode::Entry&, const char* what, const std::string& name);
  // the one of these keys that says what a joint or a force is; nullptr: none does
  const YamlNode::Entry* type_of(const Block&, const char* what, const std::string& name, std::span<const char* const> kinds);
  int body(const YamlNode& scalar, const char* what, const std::string& name);
  int joint(const YamlNode& scalar, const char* what, const std::string& name);
  int called_node(const YamlNode& scalar);   // ground: it is none
  Vector<D> vector(const YamlNode::Entry&);  // D numbers
  Vector<D> place(const YamlNode::Entry&);   // in the world at the start: D numbers, or the name of a point
  std::vector<double> numbers(const YamlNode::Entry&, std::size_t least, std::size_t most, const char* example);
  Vector<D> axis(const YamlNode::Entry&);  // not zero
  std::pair<Vector<D>, Vector<D>> two_points(const YamlNode::Entry&);
  // the two points of a distance or a spring in the world at the start: those named, or given by 'at'
  std::pair<Vector<D>, Vector<D>> two_points(const Ends<D>&, const Block&);
  Vector<D> in_world(const BodyPoint<D>&) const;
  SignalPtr signal(const YamlNode::Entry&, bool of_a_row);  // an expression of t alone
  void warn(std::size_t offset, const std::string& message);
};

// a rotation in space: [w, x, y, z] or {axis, angle}; where: its block of the schema
Vec4 read_orientation(MechanismReading<3>&, const YamlNode::Entry&, std::string_view where);

template <int D>
void read_bodies(MechanismReading<D>&);
template <int D>
void read_shapes(MechanismReading<D>&, const Block& body, Picture::Body& drawn, int index);
template <int D>
void make_soft_points(MechanismReading<D>&);  // before the states, which may be theirs
template <int D>
void make_states(MechanismReading<D>&);  // before the first joint
template <int D>
void name_states(MechanismReading<D>&);  // in expressions
template <int D>
void read_states(MechanismReading<D>&);
template <int D>
void read_beams(MechanismReading<D>&);
template <int D>
void name_beams(MechanismReading<D>&);  // in expressions: NAME.end.x, NAME.at(0.5).x
template <int D>
void observe_beams(MechanismReading<D>&);  // in outputs: NAME.moment(0.5)
template <int D>
void show_beams(MechanismReading<D>&);  // in pictures, coloured by their moments; and what is wrong with them in messages
template <int D>
void read_loads(MechanismReading<D>&);
std::vector<std::string> node_names(int dimension);  // what expressions know of a body: .x, .x' ...
template <int D>
void read_joints(MechanismReading<D>&);
template <int D>
void read_forces(MechanismReading<D>&);
template <int D>
void read_compliant_contacts(MechanismReading<D>&);  // and name their forces, before anything may use them
template <int D>
void read_contacts(MechanismReading<D>&);
// are contacts of shapes found anew in each step? Who asks for it; empty: they are rows that are there from the start
template <int D>
std::string why_found(MechanismReading<D>&);
template <int D>
void read_touching(MechanismReading<D>&, std::string why);  // contacts of shapes that are found
// a contact {between: [a, b]}
template <int D>
void read_shape_contact(MechanismReading<D>&, const YamlNode::Entry&, const Block&);

}  // namespace escapement
