#include "io/contact_arrows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/least_squares.hpp"
#include "math/rotation.hpp"

namespace escapement::inline io {

namespace {

constexpr std::size_t most_arrows = 100;

// how far a shape of a body reaches along a direction of the body's frame
double reach(const Picture::Shape& shape, const Vec3& direction, bool planar) {
  using Kind = Picture::Shape::Kind;
  Vec3 at = Vec3::Zero();
  std::copy(shape.at.begin(), shape.at.end(), at.data());
  const Mat3 R = shape.orientation.empty() ? rotation_matrix(quaternion(Vec3(0, 0, 1), shape.angle))
                                           : rotation_matrix(Vec4(shape.orientation.data()));
  const Vec3 n = R.transpose() * direction;
  const double base = at.dot(direction);
  switch (shape.kind) {
    case Kind::box: {
      double sum = 0;
      for (std::size_t i = 0; i < shape.size.size(); ++i) sum += std::abs(n[static_cast<int>(i)]) * shape.size[i] / 2;
      return base + sum;
    }
    case Kind::capsule:
      return base + std::abs(n[planar ? 0 : 2]) * shape.size[0] / 2 + shape.size[1];
    case Kind::cylinder:
      return base + std::abs(n[2]) * shape.size[0] / 2 + std::hypot(n[0], n[1]) * shape.size[1];
    case Kind::polygon: {
      double most = -INFINITY;
      for (const auto& corner : shape.points) most = std::max(most, corner[0] * n[0] + corner[1] * n[1]);
      return base + most;
    }
    case Kind::hull: {
      double most = -INFINITY;
      for (const auto& corner : shape.points) most = std::max(most, n.dot(Vec3(corner.data())));
      return base + most;
    }
    case Kind::plane:
      return base;
    default:
      return base + shape.size[0];
  }
}

// Contacts of a mechanism: the gradient of the gap says on which line the force acts on a body; it is drawn where that line
// leaves the body's shapes, or the shape that touches, or where `at` says
class BodyArrow {
 public:
  BodyArrow(const Model& model, int row, const Picture::Contact& contact)
      : system_(model.system.get()), row_(row), dimension_(model.scene.dimension), z_(model.start.z), body_(contact.body), shape_(contact.shape) {
    for (const Picture::Body& body : model.scene.bodies) shapes_.push_back(body.shapes);
    system_->prepare(terms_);
    s_ = model.start;
  }

  // point, then normal
  void evaluate(const State& given, double* out) {
    s_.t = given.t;
    s_.q = given.q;
    s_.v = given.v;
    system_->evaluate(s_, Need::jacobian, terms_);
    const int turns = dimension_ == 2 ? 1 : 3, width = dimension_ + turns;
    int body = -1;
    Vec3 n = Vec3::Zero(), m = Vec3::Zero();
    terms_.G.for_each_in_row(row_, [&](int j, double value) {
      if (value == 0 || j / width >= static_cast<int>(shapes_.size())) return;
      if (body < 0) body = j / width;
      if (j / width != body) return;
      const int k = j % width;
      (k < dimension_ ? n[k] : m[dimension_ == 2 ? 2 : k - dimension_]) = value;
    });
    std::fill_n(out, 2 * dimension_, NAN);
    if (body < 0 || !(n.norm() > 0)) return;
    const Pose pose = pose_of(body);
    // the nearest point of the line to the centre of mass
    const Vec3 normal = pose.R.transpose() * n;
    Vec3 p = pose.x + pose.R * (normal.cross(m) / normal.squaredNorm());
    n.normalize();
    // and against the force to the surface
    if (shape_.empty()) {
      double surface = 0;
      for (const Picture::Shape& shape : shapes_[static_cast<std::size_t>(body)])
        surface = std::max(surface, reach(shape, pose.R.transpose() * -n, dimension_ == 2));
      p -= (surface + (p - pose.x).dot(n)) * n;
    } else {
      const Pose touched = pose_of(body_);
      const Vec3 into = body_ == body ? n : Vec3(-n);  // the body that is touched
      p -= (reach(shape_[0], touched.R.transpose() * -into, dimension_ == 2) + (p - touched.x).dot(into)) * into;
    }
    for (int i = 0; i < dimension_; ++i) {
      out[i] = p[i];
      out[dimension_ + i] = n[i];
    }
  }

 private:
  struct Pose {
    Vec3 x = Vec3::Zero();
    Mat3 R = Mat3::Identity();
  };
  Pose pose_of(int body) const {
    Pose pose;
    if (body < 0) return pose;
    const double* q = s_.q.data() + (dimension_ == 2 ? 3 : 7) * body;
    std::copy_n(q, dimension_, pose.x.data());
    pose.R = dimension_ == 2 ? rotation_matrix(quaternion(Vec3(0, 0, 1), q[2])) : rotation_matrix(Vec4(q + 3));
    return pose;
  }

  const System* system_;
  int row_, dimension_;
  Vec z_;
  int body_;
  std::vector<Picture::Shape> shape_;
  std::vector<std::vector<Picture::Shape>> shapes_;
  Terms terms_;
  State s_;
};

// Contacts with `at` in formula systems: the direction in which the point must be pushed to change the gap
class PointArrow {
 public:
  PointArrow(Reading& reading, const std::vector<Expr>& at, Expr gap, int coordinates)
      : dimension_(static_cast<int>(at.size())), n_(coordinates) {
    std::vector<Expr> values = at;
    for (Expr e : at)
      for (int j = 0; j < n_; ++j) values.push_back(reading.graph.derivative(e, reading.inputs[static_cast<std::size_t>(1 + j)]));
    for (int j = 0; j < n_; ++j) values.push_back(reading.graph.derivative(gap, reading.inputs[static_cast<std::size_t>(1 + j)]));
    function_ = StateFunction(reading.shared_graph, reading.inputs, values, reading.state_inputs);
    values_.resize(values.size());
  }

  void evaluate(const State& s, double* out) {
    function_.evaluate(s, values_.data());
    std::copy_n(values_.begin(), dimension_, out);
    const Eigen::Map<const Mat> J(values_.data() + dimension_, n_, dimension_);  // columns: gradients of the point's coordinates
    const Eigen::Map<const Vec> G(values_.data() + dimension_ * (1 + n_), n_);
    Vec normal = least_squares(J, G).x;
    if (normal.norm() > 0) normal.normalize();
    for (int i = 0; i < dimension_; ++i) out[dimension_ + i] = normal[i];
  }

 private:
  int dimension_, n_;
  StateFunction function_;
  std::vector<double> values_;
};

std::vector<Expr> read_at(Reading& reading, const YamlNode::Entry& entry, int dimension) {
  const YamlNode& list = *entry.value;
  const std::size_t least = dimension == 0 ? 2 : static_cast<std::size_t>(dimension), most = dimension == 0 ? 3 : least;
  if (!list.is_sequence() || list.entries.size() < least || list.entries.size() > most)
    reading.fail(list.is_null() ? entry.key_offset : list.offset,
                 fmt::format("'at' says where the picture draws this contact, a point like {}", least == 3 ? "[x, y, z]" : "[x, y]"));
  std::vector<Expr> at;
  for (const auto& item : list.entries) at.push_back(reading.parse(item, reading.states));
  return at;
}

}  // namespace

void add_contact_arrows(Reading& reading, const Block& top, Model& model) {
  Picture& scene = model.scene;
  const bool mechanism = model.kind == "mechanism";
  std::vector<std::function<void(const State&, double*)>> parts;
  std::vector<int> sizes;
  std::vector<std::string> paths;
  const auto laws = model.system->contacts();
  const auto law_called = [&](const std::string& name) { return std::find_if(laws.begin(), laws.end(), [&](const ContactLaw& one) { return one.name == name; }); };
  const auto add = [&](Picture::Contact drawn, int size) {
    for (Picture::Point* point : {&drawn.point, &drawn.normal})
      for (int i = 0; i < size; ++i) {
        paths.push_back(fmt::format("arrows/{}", paths.size()));
        point->emplace_back(paths.back());
      }
    sizes.push_back(2 * size);
    scene.contacts.push_back(std::move(drawn));
  };
  // those of shapes
  const std::vector<Picture::Contact> of_shapes = std::exchange(scene.contacts, {});
  for (const Picture::Contact& contact : of_shapes) {
    const auto law = law_called(contact.name);
    if (of_shapes.size() > most_arrows || law == laws.end()) continue;
    auto arrow = std::make_shared<BodyArrow>(model, model.system->dim().bilateral + static_cast<int>(law - laws.begin()), contact);
    parts.push_back([arrow](const State& s, double* out) { arrow->evaluate(s, out); });
    add(contact, scene.dimension);
  }
  const auto contacts = top.named("contacts");
  for (const auto& entry : contacts) {
    const YamlNode::Entry *given = entry.value->find("at"), *gap = entry.value->find("gap");
    std::vector<Expr> at;
    if (given) at = read_at(reading, *given, mechanism ? scene.dimension : 0);
    if (!gap || contacts.size() > most_arrows || (!mechanism && !given)) continue;
    const auto law = law_called(entry.key);
    if (law == laws.end()) continue;
    const int dimension = mechanism ? scene.dimension : static_cast<int>(at.size());
    if (mechanism) {
      const int row = model.system->dim().bilateral + static_cast<int>(law - laws.begin());
      auto arrow = std::make_shared<BodyArrow>(model, row, Picture::Contact());
      std::shared_ptr<StateFunction> place;
      if (given) place = std::make_shared<StateFunction>(reading.shared_graph, reading.inputs, at, reading.state_inputs);
      parts.push_back([arrow, place](const State& s, double* out) {
        arrow->evaluate(s, out);
        if (place) place->evaluate(s, out);
      });
    } else {
      auto arrow = std::make_shared<PointArrow>(reading, at, reading.parse(*gap, reading.positions), model.system->dim().q);
      parts.push_back([arrow](const State& s, double* out) { arrow->evaluate(s, out); });
    }
    add({entry.key, {}, {}, fmt::format("contacts/{}/force", entry.key)}, dimension);
  }
  if (parts.empty()) return;
  scene.add_columns(paths, [parts, sizes](const State& s, double* out) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i](s, out);
      out += sizes[i];
    }
  });
}

}  // namespace escapement
