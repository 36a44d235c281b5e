#include "io/report_picture.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/report_table.hpp"

namespace escapement::inline io {

namespace {

using nlohmann::ordered_json;

constexpr const char* primitive_kinds[] = {"point", "segment", "circle", "polyline", "polygon"};
constexpr const char* shape_kinds[] = {"box", "circle", "capsule", "polygon", "sphere", "cylinder", "plane", "hull"};

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
  if (!shape.faces.empty()) json["faces"] = shape.faces;
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

namespace {

constexpr std::size_t most_point_frames = 2000, most_points = 100'000, points_of_frame = 60;

double squared_force(const ContactPointColumns& points, std::size_t row) {
  double sum = 0;
  for (std::size_t k = 0, n = static_cast<std::size_t>(points.dimension); k < n; ++k) sum += points.force[row * n + k] * points.force[row * n + k];
  return sum;
}

// the hardest of some rows, in their order
std::vector<std::size_t> hardest(const ContactPointColumns& points, std::size_t from, std::size_t to, std::size_t most) {
  std::vector<std::size_t> rows(to - from);
  std::iota(rows.begin(), rows.end(), from);
  if (rows.size() <= most) return rows;
  const auto harder = [&](std::size_t i, std::size_t j) {
    const double a = squared_force(points, i), b = squared_force(points, j);
    return a > b || (a == b && i < j);
  };
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(), harder);
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

ordered_json contact_points_json(const Result& result) {
  const ContactPointColumns& points = result.points;
  const std::size_t n = static_cast<std::size_t>(points.dimension), step = static_cast<std::size_t>(points.stride);
  const std::size_t samples = (result.samples() + step - 1) / step, each = (samples + most_point_frames - 1) / most_point_frames;
  const std::size_t frames = (samples + each - 1) / each, most = std::max(points_of_frame, most_points / frames);
  std::vector<double> time, numbers;
  std::vector<std::size_t> starts{0};
  for (std::size_t sample = 0; sample < result.samples(); sample += step * each) {
    const auto [from, to] = std::equal_range(points.sample.begin(), points.sample.end(), sample);
    for (const std::size_t row : hardest(points, static_cast<std::size_t>(from - points.sample.begin()), static_cast<std::size_t>(to - points.sample.begin()), most))
      for (const std::vector<double>* column : {&points.point, &points.force})
        numbers.insert(numbers.end(), column->begin() + static_cast<std::ptrdiff_t>(row * n), column->begin() + static_cast<std::ptrdiff_t>((row + 1) * n));
    time.push_back(result.time[sample]);
    starts.push_back(numbers.size() / (2 * n));
  }
  return {{"time", pack(time, Packing::float64)}, {"starts", starts}, {"numbers", pack(numbers, Packing::float32)}};
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
