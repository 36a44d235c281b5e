#include "io/report_picture.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace escapement {

namespace {

using nlohmann::ordered_json;

constexpr const char* primitive_kinds[] = {"point", "segment", "circle", "polyline", "polygon"};
constexpr const char* shape_kinds[] = {"box", "circle", "capsule", "polygon", "sphere", "cylinder", "plane"};

// writes scalars, replacing columns that stand still by their value
class ScalarWriter {
 public:
  ScalarWriter(const Picture& picture, const PictureColumns& columns) {
    for (std::size_t i = 0; i < picture.columns.size(); ++i) {
      const std::vector<double>& values = columns.values[i];
      if (!values.empty() && std::ranges::all_of(values, [&](double x) { return x == values[0]; }))
        still_[picture.columns[i]] = values[0];
    }
  }
  ordered_json operator()(const Picture::Scalar& scalar) const {
    if (scalar.column.empty()) return scalar.value;
    const auto found = still_.find(scalar.column);
    return found == still_.end() ? ordered_json(scalar.column) : ordered_json(found->second);
  }
  ordered_json operator()(const std::vector<Picture::Scalar>& scalars) const {
    ordered_json list = ordered_json::array();
    for (const Picture::Scalar& scalar : scalars) list.push_back((*this)(scalar));
    return list;
  }

 private:
  std::map<std::string, double> still_;
};

ordered_json shape_json(const Picture::Shape& shape) {
  ordered_json json = {{"kind", shape_kinds[static_cast<int>(shape.kind)]}, {"size", shape.size}};
  if (!shape.points.empty()) json["points"] = shape.points;
  if (!shape.at.empty()) json["at"] = shape.at;
  if (shape.angle != 0) json["angle"] = shape.angle;
  if (!shape.orientation.empty()) json["orientation"] = shape.orientation;
  return json;
}

ordered_json joints_json(const std::vector<Picture::Joint>& joints) {
  ordered_json list = ordered_json::array();
  for (const Picture::Joint& joint : joints)
    list.push_back({{"name", joint.name}, {"kind", joint.kind}, {"bodies", joint.bodies}, {"at", joint.at}});
  return list;
}

void set_state(const Result& result, std::size_t row, State& s) {
  const auto copy = [row](const DataTable& table, Vec& to, std::size_t at) {
    const std::span<const double> numbers = table.row(row);
    std::copy(numbers.begin(), numbers.end(), to.data() + at);
  };
  s.t = result.time[row];
  copy(result.q, s.q, 0);
  copy(result.v, s.v, 0);
  copy(result.states, s.z, 0);
  copy(result.lambda, s.lambda, 0);
  copy(result.contacts.force, s.lambda, result.lambda.columns());
}

}  // namespace

PictureColumns evaluate_picture(const Picture& picture, const Result& result, const std::vector<std::size_t>& rows) {
  PictureColumns columns;
  columns.values.assign(picture.columns.size(), std::vector<double>(rows.size()));
  if (picture.columns.empty()) return columns;
  State s;
  s.q.setZero(static_cast<int>(result.q.columns()));
  s.v.setZero(static_cast<int>(result.v.columns()));
  s.z.setZero(static_cast<int>(result.states.columns()));
  s.lambda.setZero(static_cast<int>(result.lambda.columns() + result.contacts.force.columns()));
  std::vector<double> values(picture.columns.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    set_state(result, rows[k], s);
    picture.evaluate(s, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) columns.values[i][k] = values[i];
  }
  return columns;
}

ordered_json picture_json(const Picture& picture, const PictureColumns& columns) {
  if (picture.empty()) return nullptr;
  const ScalarWriter scalars(picture, columns);
  ordered_json json = {{"dimension", picture.dimension}, {"every", picture.every}};
  if (!picture.up.empty()) json["up"] = picture.up;

  json["primitives"] = ordered_json::array();
  for (const Picture::Primitive& primitive : picture.primitives) {
    ordered_json points = ordered_json::array();
    for (const Picture::Point& point : primitive.points) points.push_back(scalars(point));
    ordered_json drawn = {{"name", primitive.name},
                          {"kind", primitive_kinds[static_cast<int>(primitive.kind)]},
                          {"points", std::move(points)},
                          {"radius", scalars(primitive.radius)}};
    if (!primitive.shades.empty()) drawn["shades"] = scalars(primitive.shades), drawn["shade"] = primitive.shade;
    json["primitives"].push_back(std::move(drawn));
  }
  json["bodies"] = ordered_json::array();
  for (const Picture::Body& body : picture.bodies) {
    ordered_json shapes = ordered_json::array();
    for (const Picture::Shape& shape : body.shapes) shapes.push_back(shape_json(shape));
    json["bodies"].push_back({{"name", body.name}, {"pose", scalars(body.pose)}, {"shapes", std::move(shapes)}});
    if (body.is_node) json["bodies"].back()["node"] = true;
  }
  json["joints"] = joints_json(picture.joints);
  json["links"] = joints_json(picture.links);
  json["contacts"] = ordered_json::array();
  for (const Picture::Contact& contact : picture.contacts)
    json["contacts"].push_back({{"name", contact.name},
                                {"point", scalars(contact.point)},
                                {"normal", scalars(contact.normal)},
                                {"force", contact.force}});
  return json;
}

}  // namespace escapement
