// The `beams` block of a mechanism.
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "io/beam_reading.hpp"
#include "io/mechanism_reading.hpp"
#include "math/table.hpp"

namespace escapement::inline io {

namespace {

constexpr double most_elements = 100'000;

// where its nodes are and how long its elements
template <int D>
struct BeamShape {
  std::vector<Pose<D>> nodes;
  std::vector<double> lengths;
};

template <int D>
class BeamReader {
 public:
  BeamReader(MechanismReading<D>& r, const YamlNode::Entry& entry)
      : r_(r), reading_(r.reading), entry_(entry), block_(r.reading, entry, "mechanism.beams.*") {}

  void read() {
    const BeamSection<D> section = read_section();
    count_ = read_count();
    make(section, read_shape(section));
  }

 private:
  int read_count() {
    const auto& entry = block_.require("elements");
    const double count = *block_.number("elements");
    if (count != std::round(count) || count > most_elements)
      reading_.fail(*entry.value,
                    fmt::format("elements is {:g} but must be a whole number up to {:g}", count, most_elements));
    return static_cast<int>(count);
  }

  BeamSection<D> read_section() {
    const SectionNumbers numbers = read_section_numbers(reading_, block_.require("section"), D);
    BeamSection<D> s;
    s.mass = numbers.mass;
    if constexpr (D == 2) {
      s.stretching << numbers.EA, numbers.GA[0];
      s.bending << numbers.EI[1];
      s.inertia << numbers.inertia[2];
    } else {
      s.stretching << numbers.EA, numbers.GA[0], numbers.GA[1];
      s.bending << numbers.GJ, numbers.EI[0], numbers.EI[1];
      s.inertia << numbers.inertia[0], numbers.inertia[1], numbers.inertia[2];
    }
    s.damping = block_.number("damping", 0);
    s.tension_only = block_.flag("tension_only", false);
    return s;
  }

  static bool is_symmetric(const BeamSection<3>& s) {
    return s.stretching[1] == s.stretching[2] && s.bending[1] == s.bending[2] && s.inertia[1] == s.inertia[2];
  }

  BeamShape<D> read_shape(const BeamSection<D>& section) {
    const auto *from = block_.find("from"), *to = block_.find("to"), *along = block_.find("along"),
               *arc = block_.find("arc");
    const auto refuse = [&](const YamlNode::Entry* extra, const char* with) {
      if (extra)
        reading_.fail(extra->key_offset,
                      fmt::format("a beam with '{}' has no '{}'; remove one of them", with, extra->key));
    };
    if (D == 2)
      if (const auto* normal = block_.find("normal"))
        reading_.fail(normal->key_offset, "in the plane axis 2 of a section lies in the plane; remove 'normal'");
    if (along) {
      for (const auto* extra : {from, to, arc}) refuse(extra, "along");
      return read_along(*along, section);
    }
    if (!from)
      reading_.fail(entry_.key_offset,
                    fmt::format("the beam {} needs 'from' and 'to', or 'along'; add them", quote(entry_.key)));
    if (arc) {
      refuse(to, "arc");
      return read_arc(r_.vector(*from), *arc, section);
    }
    if (!to)
      reading_.fail(entry_.key_offset, fmt::format("the beam {} has no end; add 'to' or 'arc'", quote(entry_.key)));
    const Vector<D> start = r_.vector(*from), end = r_.vector(*to), way = end - start;
    if (!(way.norm() > 0))
      reading_.fail(*to->value, fmt::format("the beam {} has no length; move its end", quote(entry_.key)));
    BeamShape<D> shape;
    const Pose<D> pose = first_pose(start, way, section);
    for (int k = 0; k <= count_; ++k) {
      shape.nodes.push_back(pose);
      shape.nodes.back().x = k == count_ ? end : Vector<D>(start + (static_cast<double>(k) / count_) * way);
    }
    shape.lengths.assign(static_cast<std::size_t>(count_), way.norm() / count_);
    return shape;
  }

  // the frame of the first node: along the beam, with axis 2 towards `normal`
  Pose<D> first_pose(const Vector<D>& x, const Vector<D>& way, const BeamSection<D>& section) {
    const Vector<D> tangent = way.normalized();
    if constexpr (D == 2) {
      return make_pose(x, std::atan2(tangent[1], tangent[0]));
    } else {
      const auto* given = block_.find("normal");
      if (!given && !is_symmetric(section))
        reading_.fail(
            entry_.key_offset,
            fmt::format("the section of beam {} is not symmetric, so it needs 'normal', the direction of its axis 2",
                        quote(entry_.key)));
      Vec3 normal = Vec3::Zero();
      if (given) {
        normal = r_.axis(*given);
        normal.normalize();
        normal -= normal.dot(tangent) * Vec3(tangent);
        if (!(normal.norm() > 1e-6))
          reading_.fail(*given->value,
                        fmt::format("'normal' of beam {} lies along it; give a direction across", quote(entry_.key)));
        normal.normalize();
      } else {
        normal = rotate_onto(Vec3::UnitX(), tangent) * Vec3::UnitY();
      }
      Mat3 R;
      R << Vec3(tangent), normal, Vec3(tangent).cross(normal);
      return make_pose(x, quaternion(R));
    }
  }

  // the shortest rotation from one unit vector to another
  static Mat3 rotate_onto(const Vec3& from, const Vec3& to) {
    const Vec3 axis = from.cross(to);
    const double sine = axis.norm(), cosine = from.dot(to);
    if (sine > 0) return rotation_matrix(quaternion(axis, std::atan2(sine, cosine)));
    return cosine > 0 ? Mat3(Mat3::Identity())
                      : rotation_matrix(quaternion(perpendicular(from).first, std::numbers::pi));
  }

  BeamShape<D> read_arc(const Vector<D>& from, const YamlNode::Entry& entry, const BeamSection<D>& section) {
    const Block arc(reading_, entry, "mechanism.beams.*.arc");
    const Vector<D> centre = r_.vector(arc.require("centre"));
    arc.require("angle");
    const double angle = *arc.number("angle");
    BeamShape<D> shape;
    double radius = (from - centre).norm(), rise = 0;
    if constexpr (D == 2) {
      for (const char* key : {"axis", "rise"})
        if (const auto* extra = arc.find(key))
          reading_.fail(extra->key_offset, fmt::format("an arc in the plane has no '{}'; remove it", key));
      const Vector<2> arm = from - centre;
      const double start = std::atan2(arm[1], arm[0]), ahead = std::copysign(0.5 * std::numbers::pi, angle);
      for (int k = 0; k <= count_; ++k) {
        const double phi = angle * k / count_;
        shape.nodes.push_back(
            make_pose(centre + radius * Vector<2>(std::cos(start + phi), std::sin(start + phi)), start + ahead + phi));
      }
    } else {
      const Vec3 axis = Vec3(r_.axis(arc.require("axis"))).normalized();
      rise = arc.number("rise", 0);
      const Vec3 offset = from - centre, across = offset - offset.dot(axis) * axis;
      radius = across.norm();
      const Vec3 tangent = angle * axis.cross(across) + rise * axis;
      const Pose<3> first = first_pose(from, Vector<3>(tangent), section);
      for (int k = 0; k <= count_; ++k) {
        const double part = static_cast<double>(k) / count_;
        const Vec4 turn = quaternion(axis, angle * part);
        const Vec3 x = Vec3(from) - across + rotation_matrix(turn) * across + part * rise * axis;
        shape.nodes.push_back(make_pose(Vector<3>(x), product(turn, quaternion(Mat3(first.R)))));
      }
    }
    if (!(radius > 0) || angle == 0)
      reading_.fail(
          entry.key_offset,
          fmt::format("the arc of beam {} has no length; its start lies off the centre and its angle is not 0",
                      quote(entry_.key)));
    check_turn(std::abs(angle) / count_);
    shape.lengths.assign(static_cast<std::size_t>(count_), std::hypot(radius * angle, rise) / count_);
    return shape;
  }

  // a cubic spline through the points over the length of its chords
  BeamShape<D> read_along(const YamlNode::Entry& entry, const BeamSection<D>& section) {
    const YamlNode& list = *entry.value;
    if (!list.is_sequence() || list.entries.size() < 2)
      reading_.fail(list.is_null() ? entry.key_offset : list.offset, "'along' is a list of at least two points");
    std::vector<Vector<D>> points;
    for (const auto& item : list.entries) {
      points.push_back(r_.vector(item));
      if (points.size() > 1 && points.back() == points[points.size() - 2])
        reading_.fail(*item.value, "two points that follow each other coincide; remove one");
    }
    const int pieces = static_cast<int>(points.size()) - 1;
    if (count_ < pieces)
      reading_.fail(*block_.require("elements").value,
                    fmt::format("elements is {} but the beam goes through {} points, which are nodes; take at least {}",
                                count_, points.size(), pieces));
    std::vector<double> at{0};
    for (int k = 0; k < pieces; ++k) at.push_back(at.back() + (points[k + 1] - points[k]).norm());
    std::array<std::unique_ptr<Table>, D> curve;
    for (int i = 0; i < D; ++i) {
      std::vector<double> values;
      for (const Vector<D>& p : points) values.push_back(p[i]);
      curve[i] = std::make_unique<Table>(at, values);
    }
    const auto evaluate = [&](double u, int order) {
      Vector<D> x;
      for (int i = 0; i < D; ++i) x[i] = curve[i]->evaluate(u, order);
      return x;
    };
    BeamShape<D> shape;
    const auto add = [&](double u) {
      const Vector<D> x = evaluate(u, 0), way = evaluate(u, 1);
      if (!(way.norm() > 0))
        reading_.fail(list,
                      fmt::format("the curve of beam {} stands still on its way; move its points", quote(entry_.key)));
      if (shape.nodes.empty()) {
        shape.nodes.push_back(first_pose(x, way, section));
      } else {
        shape.nodes.push_back(carried(shape.nodes.back(), x, way));
        const Vector<D> before = shape.nodes[shape.nodes.size() - 2].R.col(0);
        check_turn(std::acos(std::clamp(before.dot(way.normalized()), -1.0, 1.0)));
      }
    };
    add(0);
    const std::vector<int> share = shares(at, count_);
    for (int piece = 0; piece < pieces; ++piece)
      for (int k = 1; k <= share[piece]; ++k) {
        const double width = (at[piece + 1] - at[piece]) / share[piece],
                     u = k == share[piece] ? at[piece + 1] : at[piece] + k * width;
        add(u);
        shape.lengths.push_back(arc_length([&](double p) { return evaluate(p, 1).norm(); }, u - width, u));
      }
    return shape;
  }

  void check_turn(double turn) {
    if (turn > BeamElement<D>::largest_turn)
      reading_.fail(
          *block_.require("elements").value,
          fmt::format(
              "an element of beam {} turns by {:.3g} rad at the start, and half a turn is too much; take more elements",
              quote(entry_.key), turn));
  }

  // how many elements lie between the points: at least one each, then where they are longest
  static std::vector<int> shares(const std::vector<double>& at, int count) {
    std::vector<int> share(at.size() - 1, 1);
    for (int left = count - static_cast<int>(share.size()); left > 0; --left) {
      std::size_t longest = 0;
      const auto length = [&](std::size_t k) { return (at[k + 1] - at[k]) / share[k]; };
      for (std::size_t k = 1; k < share.size(); ++k)
        if (length(k) > length(longest)) longest = k;
      ++share[longest];
    }
    return share;
  }

  // Gauss's rule with 4 points on 4 parts
  template <class Speed>
  static double arc_length(const Speed& speed, double from, double to) {
    constexpr double point[] = {0.3399810435848563, 0.8611363115940526},
                     weight[] = {0.6521451548625461, 0.3478548451374538};
    double sum = 0;
    const double half = (to - from) / 8;
    for (int part = 0; part < 4; ++part) {
      const double middle = from + (2 * part + 1) * half;
      for (int i = 0; i < 2; ++i)
        sum += half * weight[i] * (speed(middle - half * point[i]) + speed(middle + half * point[i]));
    }
    return sum;
  }

  // the frame of the node before, turned the shortest way into the new direction
  static Pose<D> carried(const Pose<D>& before, const Vector<D>& x, const Vector<D>& way) {
    if constexpr (D == 2) {
      const Vector<2> ahead = before.R.transpose() * way;
      return make_pose(x, before.angle + std::atan2(ahead[1], ahead[0]));
    } else {
      const Mat3 R = rotate_onto(before.R.col(0), Vec3(way).normalized()) * Mat3(before.R);
      return make_pose(x, quaternion(R));
    }
  }

  void make(const BeamSection<D>& section, const BeamShape<D>& shape) {
    ReadBeam<D> beam;
    beam.name = entry_.key;
    beam.lengths = shape.lengths;
    beam.stations = {0};
    for (double one : shape.lengths) beam.stations.push_back(beam.stations.back() + one);
    Vector<D> velocity = Vector<D>::Zero();
    Angular<D> spin = Angular<D>::Zero();
    if (const auto* given = block_.find("velocity")) velocity = r_.vector(*given);
    if (const auto* given = block_.find("angular_velocity")) {
      if constexpr (D == 2) {
        spin[0] = reading_.constant(*given);
      } else {
        spin = r_.vector(*given);
      }
    }
    Picture::Primitive& line = r_.model.scene.primitives.emplace_back();
    line.name = entry_.key;
    line.kind = Picture::Primitive::Kind::polyline;
    for (int k = 0; k <= count_; ++k) {
      Body<D> node;
      node.name = fmt::format("{}.{}", entry_.key, k);
      node.pose = shape.nodes[static_cast<std::size_t>(k)];
      const double share = beam.share(k, 0, beam.length());
      node.mass = share * section.mass;
      node.inertia = (share * section.inertia).asDiagonal();
      node.velocity = velocity + cross(spin, Vector<D>(node.pose.x - shape.nodes[0].x));
      if constexpr (D == 2) {
        node.angular_velocity = spin;
      } else {
        node.angular_velocity = node.pose.R.transpose() * spin;
      }
      draw(node.name, line);
      const std::string name = node.name;
      const int index = r_.mechanism->add(std::move(node));
      r_.bodies[name] = index;
      if (k == 0) beam.first = index;
    }
    r_.bodies[beam.name + ".start"] = beam.first;
    r_.bodies[beam.name + ".end"] = beam.first + count_;
    for (std::size_t k = 0; k < shape.lengths.size(); ++k) {
      const int a = beam.first + static_cast<int>(k);
      auto element =
          std::make_unique<BeamElement<D>>(a, a + 1, shape.nodes[k], shape.nodes[k + 1], shape.lengths[k], section);
      beam.elements.push_back(element.get());
      r_.mechanism->add(std::move(element));
    }
    r_.force_places.resize(static_cast<std::size_t>(r_.mechanism->force_count()), entry_.key_offset);
    r_.beams.push_back(std::make_shared<const ReadBeam<D>>(std::move(beam)));
  }

  void draw(const std::string& node, Picture::Primitive& line) {
    Picture::Body& drawn = r_.model.scene.bodies.emplace_back();
    drawn.name = node;
    drawn.is_node = true;
    const std::vector<const char*> pose =
        D == 2 ? std::vector{"x", "y", "angle"} : std::vector{"x", "y", "z", "qw", "qx", "qy", "qz"};
    for (const char* name : pose) drawn.pose.emplace_back(fmt::format("q/{}.{}", node, name));
    line.points.emplace_back(drawn.pose.begin(), drawn.pose.begin() + D);
  }

  MechanismReading<D>& r_;
  Reading& reading_;
  const YamlNode::Entry& entry_;
  Block block_;
  int count_ = 0;
};

}  // namespace

template <int D>
double ReadBeam<D>::share(int node, double from, double to) const {
  const double at = stations[static_cast<std::size_t>(node)],
               before = node == 0 ? 0 : lengths[static_cast<std::size_t>(node) - 1],
               after = node == static_cast<int>(lengths.size()) ? 0 : lengths[static_cast<std::size_t>(node)];
  return std::max(0.0, std::min(at + 0.5 * after, to) - std::max(at - 0.5 * before, from));
}

template <int D>
int ReadBeam<D>::nearest(double fraction) const {
  const double at = fraction * length();
  std::size_t best = 0;
  for (std::size_t k = 1; k < stations.size(); ++k)
    if (std::abs(stations[k] - at) < std::abs(stations[best] - at)) best = k;
  return static_cast<int>(best);
}

template <int D>
void read_beams(MechanismReading<D>& r) {
  for (const auto& entry : r.top.named("beams")) BeamReader<D>(r, entry).read();
}

template double ReadBeam<2>::share(int, double, double) const;
template double ReadBeam<3>::share(int, double, double) const;
template int ReadBeam<2>::nearest(double) const;
template int ReadBeam<3>::nearest(double) const;
template void read_beams<2>(MechanismReading<2>&);
template void read_beams<3>(MechanismReading<3>&);

}  // namespace escapement
