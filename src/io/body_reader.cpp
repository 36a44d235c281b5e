// The `bodies` block of a mechanism.
#include <Eigen/Eigenvalues>

#include "io/mechanism_reading.hpp"

namespace escapement::inline io {

namespace {

Turn<2> read_inertia(MechanismReading<2>& r, const YamlNode::Entry& entry) {
  const double J = r.reading.constant(entry);
  if (!(J > 0)) r.reading.fail(*entry.value, fmt::format("inertia is {:g} but must be greater than 0", J));
  return Turn<2>(J);
}

Turn<3> read_inertia(MechanismReading<3>& r, const YamlNode::Entry& entry) {
  const YamlNode& list = *entry.value;
  if (list.is_sequence() && (list.entries.size() == 4 || list.entries.size() == 5))
    r.reading.fail(list, "'inertia' takes [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]");
  const std::vector<double> i = r.numbers(entry, 3, 6, "[Ixx, Iyy, Izz]");
  Turn<3> J = Vec3(i[0], i[1], i[2]).asDiagonal();
  if (i.size() == 6) {
    J(0, 1) = J(1, 0) = i[3];
    J(0, 2) = J(2, 0) = i[4];
    J(1, 2) = J(2, 1) = i[5];
  }
  const Eigen::LLT<Mat3> cholesky{Mat3(J)};
  if (cholesky.info() != Eigen::Success)
    r.reading.fail(list, "the inertia is not positive definite; check its numbers and their order");
  // of any mass, no principal moment exceeds the sum of the others; rounded numbers of a thin plate may
  constexpr double rounded = 1e-6;
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(Mat3(J), Eigen::EigenvaluesOnly).eigenvalues();
  if (moments[2] > (1 + rounded) * (moments[0] + moments[1]))
    r.warn(list.offset,
           fmt::format("no body has this inertia: its principal moment {:.6g} exceeds the sum of the other "
                       "two, {:.6g}; check its numbers and their order",
                       moments[2], moments[0] + moments[1]));
  return J;
}

template <int D>
void read_pose(MechanismReading<D>& r, const Block& block, Body<D>& body) {
  Vector<D> x = Vector<D>::Zero();
  if (const auto* entry = block.find("position")) x = r.vector(*entry);
  if (const auto* entry = block.find("velocity")) body.velocity = r.vector(*entry);
  const auto refuse = [&](const char* key, const char* other) {
    if (const auto* entry = block.find(key))
      r.reading.fail(entry->key_offset,
                     fmt::format("a body in {} has '{}', not '{}'", D == 2 ? "the plane" : "space", other, key));
  };
  if constexpr (D == 2) {
    refuse("orientation", "angle");
    body.pose = make_pose(x, block.number("angle", 0));
    body.angular_velocity[0] = block.number("angular_velocity", 0);
  } else {
    refuse("angle", "orientation");
    const auto* orientation = block.find("orientation");
    body.pose = make_pose(
        x, orientation ? read_orientation(r, *orientation, "mechanism.bodies.*.orientation") : Vec4(1, 0, 0, 0));
    if (const auto* entry = block.find("angular_velocity")) body.angular_velocity = r.vector(*entry);
  }
}

// names that expressions have for a body already
bool is_taken(const std::string& name) {
  for (const char* taken : {"x", "y", "z", "angle", "orientation", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"})
    if (name == taken) return true;
  return false;
}

template <int D>
void read_points(MechanismReading<D>& r, const Block& block, const std::string& name, int body) {
  for (const auto& entry : block.named("points")) {
    r.reading.check_name(entry.key, "point", entry.key_offset);
    if (is_taken(entry.key))
      r.reading.fail(entry.key_offset, fmt::format("a point cannot be called {}, which is a coordinate of the body; "
                                                   "choose another name",
                                                   quote(entry.key)));
    r.points[name + "." + entry.key] = {body, r.vector(entry)};
  }
}

// the body that does not move has points and shapes alone
template <int D>
void read_ground(MechanismReading<D>& r, const YamlNode::Entry& entry, Picture::Body& drawn) {
  const Block block(r.reading, entry, "mechanism.bodies.*");
  for (const auto& given : block.entries())
    if (given.key != "points" && given.key != "shapes")
      r.reading.fail(given.key_offset,
                     fmt::format("'ground' is the body that does not move and takes 'points' and 'shapes' alone; remove '{}', or "
                                 "choose another name",
                                 given.key));
  read_points(r, block, entry.key, ground);
  drawn.name = entry.key;
  drawn.pose.assign(D == 2 ? 3 : 7, Picture::Scalar(0));
  if (D == 3) drawn.pose[3] = 1;
  read_shapes(r, block, drawn, ground);
}

}  // namespace

template <int D>
void read_bodies(MechanismReading<D>& r) {
  Picture::Body still;
  for (const auto& entry : r.top.named("bodies")) {
    if (entry.key == "ground") {
      read_ground(r, entry, still);
      continue;
    }
    const Block block(r.reading, entry, "mechanism.bodies.*");
    Body<D> body;
    body.name = entry.key;
    block.require("mass");
    body.mass = *block.number("mass");
    body.inertia = read_inertia(r, block.require("inertia"));
    read_pose(r, block, body);

    Picture::Body& drawn = r.model.scene.bodies.emplace_back();
    drawn.name = entry.key;
    const std::vector<const char*> pose =
        D == 2 ? std::vector{"x", "y", "angle"} : std::vector{"x", "y", "z", "qw", "qx", "qy", "qz"};
    for (const char* name : pose) drawn.pose.emplace_back(fmt::format("q/{}.{}", entry.key, name));
    const int index = r.bodies[entry.key] = r.mechanism->add(std::move(body));
    read_shapes(r, block, drawn, index);
    read_points(r, block, entry.key, index);
  }
  if (r.bodies.empty() && r.top.named("beams").empty()) {
    const auto* all = r.top.find("bodies");
    r.reading.fail(all ? all->key_offset : r.top.require("dimension").key_offset,
                   "a mechanism needs at least one body or beam; add it to 'bodies'");
  }
  if (!still.shapes.empty()) r.model.scene.bodies.push_back(std::move(still));  // after those that move, which have numbers
}

template void read_bodies<2>(MechanismReading<2>&);
template void read_bodies<3>(MechanismReading<3>&);

}  // namespace escapement
