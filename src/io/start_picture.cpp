#include "io/start_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "io/canvas.hpp"
#include "io/report.hpp"
#include "math/rotation.hpp"

namespace escapement::inline io {

namespace {

constexpr Color picture_ink{32, 36, 44}, body_ink{38, 98, 168}, joint_ink{178, 58, 46}, faint{190, 194, 200};
constexpr int picture_width = 960, picture_height = 640, margin = 60;

struct Stroke {
  std::vector<Vec3> points;
  Color color;
  double thickness;
};
struct Label {
  Vec3 at;
  std::string text;
};

// all that is seen, in the world
class Scene {
 public:
  explicit Scene(const Model& model) : model_(model), picture_(make_picture(model.drawing, model.scene)) {
    std::vector<double> values(picture_.columns.size());
    if (picture_.evaluate) picture_.evaluate(model.start, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) columns_[picture_.columns[i]] = values[i];
    const Names& names = model.system->names();
    for (std::size_t i = 0; i < names.q.size(); ++i) columns_["q/" + names.q[i]] = model.start.q[static_cast<int>(i)];
    for (const Picture::Body& body : picture_.bodies) add(body);
    for (const Picture::Joint& link : picture_.links)
      strokes.push_back({{place(link.bodies[0], link.at[0]), place(link.bodies[1], link.at[1])}, faint, 2});
    for (const Picture::Joint& joint : picture_.joints) add(joint);
    for (const Picture::Primitive& primitive : picture_.primitives) add(primitive);
  }

  bool is_planar() const { return picture_.dimension == 2; }
  Vec3 up() const { return picture_.up.empty() ? Vec3(0, 0, 1) : Vec3(picture_.up.data()); }
  std::vector<Stroke> strokes;
  std::vector<Vec3> dots;
  std::vector<Label> labels;

 private:
  double value(const Picture::Scalar& s) const { return s.column.empty() ? s.value : columns_.at(s.column); }

  Vec3 place(int body, const std::vector<double>& at) const {
    Vec3 p = Vec3::Zero();
    std::copy(at.begin(), at.end(), p.data());
    return body < 0 ? p : to_world(picture_.bodies[static_cast<std::size_t>(body)], p);
  }

  Vec3 to_world(const Picture::Body& body, const Vec3& p) const {
    if (body.pose.size() == 3) {
      const double angle = value(body.pose[2]), c = std::cos(angle), s = std::sin(angle);
      return {value(body.pose[0]) + c * p[0] - s * p[1], value(body.pose[1]) + s * p[0] + c * p[1], 0};
    }
    const Vec4 q(value(body.pose[3]), value(body.pose[4]), value(body.pose[5]), value(body.pose[6]));
    return Vec3(value(body.pose[0]), value(body.pose[1]), value(body.pose[2])) + rotation_matrix(q) * p;
  }

  void add(const Picture::Body& body) {
    for (const Picture::Shape& shape : body.shapes) {
      Vec3 at = Vec3::Zero();
      std::copy(shape.at.begin(), shape.at.end(), at.data());
      const Mat3 R = shape.orientation.empty() ? Mat3(rotation_matrix(quaternion(Vec3(Vec3::UnitZ()), shape.angle)))
                                               : Mat3(rotation_matrix(Vec4(shape.orientation.data())));
      for (const std::vector<Vec3>& line : outline(shape)) {
        Stroke stroke{{}, body_ink, 2};
        for (const Vec3& p : line) stroke.points.push_back(to_world(body, at + R * p));
        strokes.push_back(std::move(stroke));
      }
    }
    const Vec3 centre = to_world(body, Vec3::Zero());
    dots.push_back(centre);
    labels.push_back({centre, body.name});
  }

  void add(const Picture::Joint& joint) {
    const Vec3 p = place(joint.bodies[1], joint.at[1]);
    dots.push_back(p);
    labels.push_back({p, joint.name});
  }

  void add(const Picture::Primitive& primitive) {
    std::vector<Vec3> points;
    for (const Picture::Point& point : primitive.points) {
      Vec3 p = Vec3::Zero();
      for (std::size_t i = 0; i < point.size(); ++i) p[static_cast<int>(i)] = value(point[i]);
      points.push_back(p);
    }
    using Kind = Picture::Primitive::Kind;
    if (primitive.kind == Kind::point) {
      dots.push_back(points[0]);
    } else if (primitive.kind == Kind::circle) {
      std::vector<Vec3> round = circle(value(primitive.radius), 0, 1);
      for (Vec3& p : round) p += points[0];
      strokes.push_back({std::move(round), body_ink, 2});
    } else {
      if (primitive.kind == Kind::polygon) points.push_back(points[0]);
      strokes.push_back({points, body_ink, 2});
    }
    labels.push_back({points[0], primitive.name});
  }

  static std::vector<Vec3> circle(double r, int first, int second, double offset = 0) {
    constexpr int parts = 48;
    std::vector<Vec3> points;
    for (int k = 0; k <= parts; ++k) {
      Vec3 p = Vec3::Zero();
      p[first] = r * std::cos(2 * std::numbers::pi * k / parts);
      p[second] = r * std::sin(2 * std::numbers::pi * k / parts);
      p[3 - first - second] = offset;
      points.push_back(p);
    }
    return points;
  }

  std::vector<std::vector<Vec3>> outline(const Picture::Shape& shape) const {
    using Kind = Picture::Shape::Kind;
    const bool planar = is_planar();
    std::vector<std::vector<Vec3>> lines;
    switch (shape.kind) {
      case Kind::box: {
        const double a = shape.size[0] / 2, b = shape.size[1] / 2, c = planar ? 0 : shape.size[2] / 2;
        for (double z : planar ? std::vector<double>{0} : std::vector<double>{-c, c})
          lines.push_back({{-a, -b, z}, {a, -b, z}, {a, b, z}, {-a, b, z}, {-a, -b, z}});
        if (!planar)
          for (double x : {-a, a})
            for (double y : {-b, b}) lines.push_back({{x, y, -c}, {x, y, c}});
        break;
      }
      case Kind::circle:
        lines.push_back(circle(shape.size[0], 0, 1));
        lines.push_back({Vec3::Zero(), Vec3(shape.size[0], 0, 0)});
        break;
      case Kind::sphere:
        for (int i = 0; i < 3; ++i) lines.push_back(circle(shape.size[0], i, (i + 1) % 3));
        break;
      case Kind::capsule:
        if (planar) {
          const double l = shape.size[0] / 2, r = shape.size[1];
          std::vector<Vec3> around;
          for (int k = 0; k <= 48; ++k) {
            const double angle = 2 * std::numbers::pi * k / 48;
            around.push_back({(std::cos(angle) >= 0 ? l : -l) + r * std::cos(angle), r * std::sin(angle), 0});
          }
          lines.push_back(around);
          break;
        }
        [[fallthrough]];
      case Kind::cylinder: {
        const double l = shape.size[0] / 2, r = shape.size[1];
        for (double z : {-l, l}) lines.push_back(circle(r, 0, 1, z));
        for (double x : {-r, r}) lines.push_back({{x, 0, -l}, {x, 0, l}});
        break;
      }
      case Kind::polygon: {
        std::vector<Vec3> corners;
        for (const auto& p : shape.points) corners.push_back({p[0], p[1], 0});
        corners.push_back(corners[0]);
        lines.push_back(corners);
        break;
      }
      case Kind::hull:
        for (const std::vector<int>& face : shape.faces) {
          std::vector<Vec3> around;
          for (const int k : face) around.emplace_back(shape.points[static_cast<std::size_t>(k)].data());
          around.push_back(around[0]);
          lines.push_back(std::move(around));
        }
        break;
      case Kind::plane:
        break;
    }
    return lines;
  }

  const Model& model_;
  Picture picture_;
  std::map<std::string, double> columns_;
};

// the plane as it is, space from an edge above
Vec2 seen(const Scene& scene, const Vec3& p) {
  if (scene.is_planar()) return {p[0], p[1]};
  const Vec3 up = scene.up().normalized();
  const Vec3 aside = up.cross(std::abs(up[0]) < 0.9 ? Vec3(1, 0, 0) : Vec3(0, 1, 0)).normalized(), away = up.cross(aside);
  const Vec3 right = (aside - away).normalized(), deep = (aside + away).normalized();
  return {p.dot(right), p.dot(up) * std::cos(0.5) + p.dot(deep) * std::sin(0.5)};
}

}  // namespace

void write_start_picture(const Model& model, const std::filesystem::path& path) {
  const Scene scene(model);
  Vec2 low(INFINITY, INFINITY), high(-INFINITY, -INFINITY);
  const auto include = [&](const Vec3& p) {
    const Vec2 s = seen(scene, p);
    low = low.cwiseMin(s);
    high = high.cwiseMax(s);
  };
  for (const Stroke& stroke : scene.strokes)
    for (const Vec3& p : stroke.points) include(p);
  for (const Vec3& p : scene.dots) include(p);
  if (!(low[0] <= high[0]))
    throw ReportError("the model has nothing to show; give its bodies 'shapes', or the model a 'drawing'");
  const double extent = std::max({high[0] - low[0], high[1] - low[1], 1e-12 * high.cwiseAbs().maxCoeff(), 1e-300});
  const double scale = std::min((picture_width - 2 * margin) / std::max(high[0] - low[0], 0.1 * extent),
                                (picture_height - 2 * margin) / std::max(high[1] - low[1], 0.1 * extent));
  const Vec2 middle = 0.5 * (low + high);
  const auto pixel = [&](const Vec3& p) {
    const Vec2 s = seen(scene, p);
    return PlotPoint{picture_width / 2.0 + scale * (s[0] - middle[0]), picture_height / 2.0 - scale * (s[1] - middle[1])};
  };
  const auto canvas = make_svg_canvas(picture_width, picture_height);
  for (const Stroke& stroke : scene.strokes) {
    std::vector<PlotPoint> line;
    for (const Vec3& p : stroke.points) line.push_back(pixel(p));
    canvas->line(line, stroke.color, stroke.thickness);
  }
  for (const Vec3& p : scene.dots) {
    const PlotPoint at = pixel(p);
    canvas->line({{at.x - 3, at.y - 3}, {at.x + 3, at.y + 3}}, joint_ink, 2);
    canvas->line({{at.x - 3, at.y + 3}, {at.x + 3, at.y - 3}}, joint_ink, 2);
  }
  // names below each other where they would overlap
  std::vector<PlotPoint> taken;
  for (const Label& label : scene.labels) {
    PlotPoint at = pixel(label.at);
    at.x += 8;
    at.y -= 6;
    const auto covered = [&] {
      return std::any_of(taken.begin(), taken.end(),
                         [&](const PlotPoint& other) { return std::abs(other.x - at.x) < 80 && std::abs(other.y - at.y) < 16; });
    };
    for (int k = 0; k < 20 && covered(); ++k) at.y += 17;
    taken.push_back(at);
    canvas->text(at.x, at.y, label.text, picture_ink, Canvas::Anchor::start);
  }
  // a bar of a round length
  const double wanted = 0.2 * picture_width / scale, power = std::pow(10, std::floor(std::log10(wanted)));
  const double length = power * (wanted >= 5 * power ? 5 : wanted >= 2 * power ? 2 : 1);
  canvas->line({{margin / 2.0, picture_height - 24.0}, {margin / 2.0 + length * scale, picture_height - 24.0}}, picture_ink, 3);
  canvas->text(margin / 2.0, picture_height - 32, fmt::format("{:g} m", length), picture_ink, Canvas::Anchor::start);
  canvas->text(margin / 2.0, 28, model.name, picture_ink, Canvas::Anchor::start);
  canvas->write(path);
}

}  // namespace escapement
