#include "io/report_run.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "io/report.hpp"
#include "io/report_picture.hpp"
#include "io/report_table.hpp"
#include "io/report_units.hpp"
#include "io/result_json.hpp"

namespace escapement::inline io {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_of_a_kind =
    1000;  // curves in plots of one kind, entries in one table, bodies in the picture

// where the model does not say more, numbers are in units of the SI
constexpr const char* any_unit = "SI";

// the last part of a mechanism's name says what is measured; names of formulas have no dot and no known unit
std::string unit_of(const std::string& name, bool rate) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string part = name.substr(dot + 1);
  static const std::set<std::string> lengths{"x", "y", "z"}, speeds{"vx", "vy", "vz"}, turns{"wx", "wy", "wz"};
  if (lengths.count(part)) return rate ? "m/s" : "m";
  if (part == "angle") return rate ? "rad/s" : "rad";
  if (speeds.count(part)) return "m/s";
  return turns.count(part) ? "rad/s" : "";
}

// has bodies, so that units are known
bool is_mechanism(const Result& result) {
  return std::ranges::any_of(result.q.names(), [](const std::string& name) { return !unit_of(name, false).empty(); });
}

// of a joint's row: along a direction, or against turning
std::string unit_of_multiplier(const std::string& name) {
  const std::string part = name.substr(name.rfind('.') + 1);
  if (part.starts_with("tilt") || part.starts_with("turn") || part == "angle") return "N m";
  return part == "x" || part == "y" || part == "z" || part == "length" || part.starts_with("offset") ? "N" : "";
}

// a quaternion has none
std::string unit_of(const std::string& group, const std::string& name, bool mechanism) {
  if (!mechanism || group == "outputs/" || group == "states/" || group == "drift/") return any_unit;
  if (group == "q/" || group == "v/") return unit_of(name, group == "v/");
  const std::string unit = unit_of_multiplier(name);
  return unit.empty() ? any_unit : unit;
}

void add(std::vector<ReportColumn>& list, const std::string& group, const DataTable& table, bool mechanism) {
  for (std::size_t k = 0; k < table.columns(); ++k) {
    const std::string& name = table.names()[k];
    list.push_back({group + name, unit_of(group, name, mechanism), table[k]});
  }
}

// what the model says of its units
using Units = std::map<std::string, std::string>;
void name_units(std::vector<ReportColumn>& list, const Units& units) {
  if (units.empty()) return;
  for (ReportColumn& column : list)
    if (const auto given = units.find(column.id); given != units.end()) column.unit = given->second;
}

std::vector<ReportColumn> state_columns(const Result& result) {
  const bool mechanism = is_mechanism(result);
  std::vector<ReportColumn> list;
  add(list, "q/", result.q, mechanism);
  add(list, "v/", result.v, mechanism);
  add(list, "states/", result.states, mechanism);
  return list;
}

// a gap that is an angle is pushed by a torque
std::vector<ReportColumn> contact_columns(const Result& result, const Units& units) {
  const ContactTables& contacts = result.contacts;
  std::vector<ReportColumn> list;
  const std::vector<std::vector<std::size_t>> slips = slip_columns(contacts);
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const std::string path = "contacts/" + contacts.gap.names()[i] + "/";
    const auto given = units.find(path + "gap");
    const std::string unit = given == units.end() ? "m" : given->second;
    list.push_back({path + "gap", unit, contacts.gap[i]});
    list.push_back({path + "gap_rate", unit + "/s", contacts.gap_rate[i]});
    list.push_back({path + "force", unit == "m" ? "N" : unit == "rad" ? "N m" : any_unit, contacts.force[i]});
    for (const std::size_t k : slips[i]) {
      const std::string direction = "contacts/" + contacts.slip.names()[k] + "/";
      list.push_back({direction + "friction", "N", contacts.friction[k]});
      list.push_back({direction + "slip", "m/s", contacts.slip[k]});
    }
  }
  return list;
}

void check_lengths(const Result& result, const std::vector<ReportColumn>& columns) {
  if (result.time.empty()) throw ReportError("the result holds no sample, so there is nothing to report");
  for (const ReportColumn& column : columns)
    if (column.values.size() != result.time.size())
      throw ReportError("the column " + column.id + " of the result is not as long as its time");
}

// the first ones of each kind stay; how many do not
std::size_t leave_out(std::vector<ReportColumn>& columns) {
  std::map<std::string, std::size_t> seen;
  return std::erase_if(columns, [&](const ReportColumn& column) {
    std::string kind = column.id.substr(0, column.id.find('/'));
    if (kind == "contacts") kind = column.id.substr(column.id.rfind('/'));
    return ++seen[kind] > most_of_a_kind;
  });
}

std::set<std::string> columns_of(const Picture& picture) {
  std::set<std::string> used;
  const auto use = [&](const std::vector<Picture::Scalar>& scalars) {
    for (const Picture::Scalar& scalar : scalars) used.insert(scalar.column);
  };
  for (const Picture::Primitive& primitive : picture.primitives) {
    std::ranges::for_each(primitive.points, use);
    used.insert(primitive.radius.column);
  }
  for (const Picture::Body& body : picture.bodies) use(body.pose);
  for (const Picture::Contact& contact : picture.contacts) {
    use(contact.point), use(contact.normal);
    used.insert(contact.force);
  }
  return used;
}

// coordinates and velocities, of wide models only those in the picture, and the forces in it
std::vector<ReportColumn> frame_columns(const Result& result, const Picture& picture, bool wide) {
  const std::set<std::string> used = columns_of(picture);
  const auto unused = [&](const ReportColumn& column) { return !used.contains(column.id); };
  std::vector<ReportColumn> columns = state_columns(result), contacts = contact_columns(result, {});
  if (wide && !picture.empty()) std::erase_if(columns, unused);
  if (wide && picture.empty()) leave_out(columns);
  std::erase_if(contacts, unused);
  columns.insert(columns.end(), contacts.begin(), contacts.end());
  return columns;
}

ordered_json frames_json(const Result& result, const Picture& picture, std::vector<ReportColumn> recorded,
                         const PictureColumns& drawn, const std::vector<std::size_t>& rows) {
  auto at_rows = [&](const Column& values) {
    std::vector<double> chosen;
    for (const std::size_t row : rows) chosen.push_back(values[row]);
    return chosen;
  };
  std::vector<std::vector<double>> kept;
  kept.reserve(recorded.size());
  for (ReportColumn& column : recorded) column.values = kept.emplace_back(at_rows(column.values));
  for (std::size_t i = 0; i < picture.columns.size(); ++i)
    recorded.push_back({picture.columns[i], "", drawn.values[i]});
  return report_table(at_rows(result.time), recorded, most_sample_numbers);
}

ordered_json steps_json(const StepColumns& steps) {
  if (steps.time.empty()) return nullptr;
  std::vector<ReportColumn> columns = {{"steps/size", "s", steps.size},
                                             {"steps/newton", "", steps.newton_iterations},
                                             {"steps/error", "", steps.error},
                                             {"steps/rejected", "", steps.rejected}};
  const auto is_set = [](double s) { return s > 0; };
  if (std::ranges::any_of(steps.scaling, is_set)) columns.push_back({"steps/scaling", "", steps.scaling});
  return report_table(steps.time, columns, most_step_numbers);
}

// of objects with very many entries the first ones: an ordered object looks for each new name among all others
ordered_json object(const std::string& text) {
  std::vector<std::size_t> entries;  // so far, of the object at each depth
  const auto take = [&](int depth, ordered_json::parse_event_t event, ordered_json&) {
    const auto d = static_cast<std::size_t>(depth);
    if (event == ordered_json::parse_event_t::object_start) entries.resize(d + 1), entries.push_back(0);
    return event != ordered_json::parse_event_t::key || ++entries.at(d) <= most_of_a_kind;
  };
  ordered_json json = ordered_json::parse(text, take, false);
  return json.is_object() ? json : ordered_json::object();
}

// end and tolerance or step first, then the options
ordered_json settings(const Result& result) {
  const OriginTexts texts = to_texts(result.origin);
  ordered_json json = object(texts.overrides);
  json.update(object(texts.options));
  return json;
}

ordered_json whole_picture_json(const Picture& picture, const PictureColumns& drawn, const Result& result) {
  ordered_json json = picture_json(picture, drawn);
  if (!json.is_null() && result.points.rows() > 0) json["points"] = contact_points_json(result);
  return json;
}

}  // namespace

std::size_t keep_what_is_shown(const Result& head, const Picture& whole_picture, std::vector<std::vector<bool>>& kept) {
  const std::set<std::string> used = columns_of(with_fewer_bodies(whole_picture, most_of_a_kind));
  std::size_t missing = 0;
  kept.clear();
  for_each_table(head, [&](const std::string& path, const DataTable& table) {
    std::vector<bool>& of_table = kept.emplace_back(table.columns());
    const std::size_t slash = path.find('/');
    for (std::size_t k = 0; k < table.columns(); ++k) {
      const std::string id = slash == std::string::npos ? path + "/" + table.names()[k]
                                                        : path.substr(0, slash + 1) + table.names()[k] + path.substr(slash);
      of_table[k] = k < most_of_a_kind || used.contains(id);
      missing += !of_table[k];
    }
  });
  return missing;
}

std::vector<ReportColumn> sample_columns(const Result& result) {
  const Units units = units_in(result.origin.model_text);
  const bool mechanism = is_mechanism(result);
  std::vector<ReportColumn> list = state_columns(result);
  add(list, "outputs/", result.outputs, mechanism);
  const std::vector<ReportColumn> contacts = contact_columns(result, units);
  list.insert(list.end(), contacts.begin(), contacts.end());
  for (std::size_t k = 0; k < result.brakes.columns(); ++k)
    list.push_back({"brakes/" + result.brakes.names()[k] + "/force", any_unit, result.brakes[k]});
  add(list, "lambda/", result.lambda, mechanism);
  for (std::size_t k = 0; k < result.energy.columns(); ++k)
    list.push_back({"energy/" + result.energy.names()[k], "J", result.energy[k], true});
  if (!result.lambda.empty()) add(list, "drift/", result.drift, mechanism);
  name_units(list, units);
  return list;
}

ordered_json run_json(const Result& result, const Picture& whole_picture, std::size_t missing) {
  const Picture picture = with_fewer_bodies(whole_picture, most_of_a_kind);
  std::vector<ReportColumn> columns = sample_columns(result);
  check_lengths(result, columns);
  const std::size_t left_out = missing + leave_out(columns), recorded = columns.size();
  for (const std::string& path : picture.columns) columns.push_back({path, "", {}});
  const bool whole = left_out == 0 && fits_whole(result.time.size(), columns, most_sample_numbers);

  // a whole run carries its picture along with its samples; a thinned one gets frames of its own
  std::vector<std::size_t> rows(result.time.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<ReportColumn> framed;
  if (!whole) {
    framed = frame_columns(result, picture, left_out > 0);
    rows = frame_rows(result.time.size(), framed.size() + picture.columns.size());
    columns.resize(recorded);
  }
  const PictureColumns drawn = evaluate_picture(picture, result, rows);
  for (std::size_t i = recorded; i < columns.size(); ++i) columns[i].values = drawn.values[i - recorded];

  return {{"format", 1},
          {"kind", "run"},
          {"title", result.origin.model_name},
          {"model", {{"file", result.origin.model_file}, {"text", result.origin.model_text}}},
          {"settings", settings(result)},
          {"parameters", object(to_texts(result.origin).parameters)},
          {"summary", object(result.summary)},
          {"samples", report_table(result.time, columns, most_sample_numbers)},
          {"left_out", left_out},
          {"frames", whole ? ordered_json(nullptr) : frames_json(result, picture, std::move(framed), drawn, rows)},
          {"steps", steps_json(result.steps)},
          {"events", events_json(result)},
          {"picture", whole_picture_json(picture, drawn, result)}};
}

}  // namespace escapement
