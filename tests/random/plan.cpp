#include "plan.hpp"

namespace {

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// coefficient times name, summed
std::string combination(const Row& row, const std::vector<std::string>& names, const std::string& mark) {
  std::string sum;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == 0) continue;
    sum += (sum.empty() ? "" : " + ") + (row[i] == 1 ? "" : text_of(row[i]) + "*") + names[i] + mark;
  }
  return sum;
}

std::string force_text(const Plan& plan, int i, const std::vector<std::string>& names) {
  const Axis& axis = plan.axes[i];
  std::string sum = axis.load.text();
  if (axis.weight != 0) sum += " - " + text_of(axis.weight);
  if (axis.stiffness != 0)
    sum += " - " + text_of(axis.stiffness) + "*(" + names[i] + " - " + text_of(axis.relaxed) + ")";
  if (axis.damping != 0) sum += " - " + text_of(axis.damping) + "*" + names[i] + "'";
  for (const Spring& s : plan.springs) {
    if (s.from != i && s.to != i) continue;
    const std::string from = names[s.from], to = names[s.to];
    sum += std::string(s.to == i ? " - " : " + ") + "(" + text_of(s.stiffness) + "*(" + to + " - " + from + " - " +
           text_of(s.length) + ") + " + text_of(s.damping) + "*(" + to + "' - " + from + "'))";
  }
  return sum;
}

std::string contacts_text(const Plan& plan, const std::vector<std::string>& names) {
  if (plan.walls.empty()) return "";
  std::string text = "contacts:\n";
  for (const Wall& wall : plan.walls) {
    text += "  " + wall.name + ": {gap: " +
            quoted(combination(wall.normal, names, "") + " + " + text_of(wall.distance) +
                   (wall.face_moves ? " - " + wall.face.text() : "")) +
            ", restitution: " + text_of(wall.restitution);
    if (wall.friction > 0)
      text += ", friction: " + text_of(wall.friction) +
              ", slip: " + quoted(combination(wall.slip, names, "'") + " - " + wall.belt.text());
    text += "}\n";
  }
  return text;
}

std::string formulas(const Plan& plan, const std::vector<std::string>& names) {
  std::string text = "coordinates:\n", energy, forces = "forces:\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Axis& axis = plan.axes[i];
    text += "  " + names[i] + ": {start: " + text_of(axis.start) + ", rate: " + text_of(axis.rate) + "}\n";
    energy += (i ? " + " : "") + text_of(axis.mass / 2) + "*" + names[i] + "'^2";
    forces += "  " + names[i] + ": " + quoted(force_text(plan, static_cast<int>(i), names)) + "\n";
  }
  return text + "kinetic_energy: " + energy + "\n" + forces;
}

// one body per axis, on a guide or on a pin
std::string guided(const Plan& plan, const std::vector<std::string>& names, bool turning) {
  std::string bodies = "dimension: 2\ngravity: [0, 0]\nbodies:\n", joints = "joints:\n", forces = "forces:\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Axis& axis = plan.axes[i];
    const std::string& name = axis.name;
    const std::string start = text_of(axis.start), rate = text_of(axis.rate), mass = text_of(axis.mass),
                      where = text_of(i * 0.5);
    const std::string value = quoted(force_text(plan, static_cast<int>(i), names));
    if (turning) {
      bodies += "  " + name + ": {mass: 1, inertia: " + mass + ", position: [" + where + ", 0], angle: " + start +
                ", angular_velocity: " + rate + "}\n";
      joints += "  pin_" + name + ": {revolute: [ground, " + name + "], at: [" + where + ", 0]}\n";
      forces += "  load_" + name + ": {torque: " + name + ", value: " + value + "}\n";
    } else {
      bodies += "  " + name + ": {mass: " + mass + ", inertia: 0.1, position: [" + start + ", " + where +
                "], velocity: [" + rate + ", 0]}\n";
      joints +=
          "  pin_" + name + ": {prismatic: [ground, " + name + "], at: [" + start + ", " + where + "], axis: [1, 0]}\n";
      forces += "  load_" + name + ": {force: " + name + ", value: [" + value + ", 0]}\n";
    }
  }
  for (const Brake& brake : plan.brakes)
    forces += "  brake_" + plan.axes[brake.coordinate].name + ": {friction: pin_" + plan.axes[brake.coordinate].name +
              ", size: " + text_of(brake.size) + ", law: coulomb}\n";
  return bodies + joints + forces;
}

// both axes are those of one body without joints
std::string free_body(const Plan& plan, const std::vector<std::string>& names) {
  const Axis &x = plan.axes[0], &y = plan.axes[1];
  return "dimension: 2\ngravity: [0, " + text_of(-y.weight / y.mass) +
         "]\nbodies:\n  block: {mass: " + text_of(x.mass) + ", inertia: 0.1, position: [" + text_of(x.start) + ", " +
         text_of(y.start) + "], velocity: [" + text_of(x.rate) + ", " + text_of(y.rate) +
         "]}\nforces:\n  load: {force: block, value: [" + quoted(force_text(plan, 0, names)) + ", " +
         quoted(force_text(plan, 1, names) + " + " + text_of(y.weight)) + "]}\n";
}

std::vector<std::string> names_of(const Plan& plan, Writing writing) {
  if (writing == Writing::free_body) return {"block.x", "block.y"};
  std::vector<std::string> names;
  for (const Axis& axis : plan.axes)
    names.push_back(axis.name + (writing == Writing::sliders ? ".x" : writing == Writing::wheels ? ".angle" : ""));
  return names;
}

}  // namespace

Model write(const Plan& plan, Writing writing) {
  Model model;
  model.family = plan.family;
  model.end = plan.end;
  model.columns = names_of(plan, writing);
  model.text = "escapement: 1\nname: " + plan.family + "\n";
  switch (writing) {
    case Writing::formulas:
      model.text += formulas(plan, model.columns);
      break;
    case Writing::sliders:
      model.text += guided(plan, model.columns, false);
      break;
    case Writing::wheels:
      model.text += guided(plan, model.columns, true);
      break;
    case Writing::free_body:
      model.text += free_body(plan, model.columns);
      break;
  }
  model.text += contacts_text(plan, model.columns);
  for (const Axis& axis : plan.axes) {
    model.mass.push_back(axis.mass);
    model.start.push_back(axis.start);
    model.rate.push_back(axis.rate);
  }
  model.brakes = plan.brakes;
  model.force = [plan](double t, const Place& q, const Row& v, Row& f) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Axis& axis = plan.axes[i];
      f[i] = axis.load(t) - axis.weight - axis.stiffness * (q[i] - axis.relaxed) - axis.damping * v[i];
    }
    for (const Spring& s : plan.springs) {
      const double pull = s.stiffness * (q[s.to] - q[s.from] - s.length) + s.damping * (v[s.to] - v[s.from]);
      f[s.to] -= pull;
      f[s.from] += pull;
    }
  };
  for (const Wall& wall : plan.walls) {
    Contact contact;
    contact.restitution = wall.restitution;
    contact.friction = wall.friction;
    contact.gap = [wall](const Place& q, double t) {
      double gap = wall.distance - (wall.face_moves ? wall.face(t) : 0);
      for (std::size_t i = 0; i < q.size(); ++i) gap += wall.normal[i] * q[i];
      return gap;
    };
    contact.gradient = [wall](const Place&, double, Row& G) { G = wall.normal; };
    contact.slip = [wall](const Place&, Row& T) { T = wall.slip; };
    contact.belt = [wall](double t) { return wall.belt(t); };
    model.contacts.push_back(contact);
  }
  return model;
}
