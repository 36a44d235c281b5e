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

std::string slip_text(const Wall& wall, const std::vector<std::string>& names) {
  const std::string along = quoted(combination(wall.slip, names, "'") + " - " + wall.belt.text());
  return wall.across.empty() ? along : "[" + along + ", " + quoted(combination(wall.across, names, "'")) + "]";
}

std::string contacts_text(const Plan& plan, const std::vector<std::string>& names) {
  if (plan.walls.empty()) return "";
  std::string text = "contacts:\n";
  for (const Wall& wall : plan.walls) {
    text += "  " + wall.name + ": {gap: " +
            quoted(combination(wall.normal, names, "") + " + " + text_of(wall.distance) +
                   (wall.face_moves ? " - " + wall.face.text() : "")) +
            ", restitution: " + text_of(wall.restitution);
    if (wall.friction > 0) text += ", friction: " + text_of(wall.friction) + ", slip: " + slip_text(wall, names);
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

// three axes are those of one body in space; a ball has spins too, and touches the ground by its shape
std::string space_body(const Plan& plan, const std::vector<std::string>& names, bool ball) {
  const std::vector<Axis>& axes = plan.axes;
  const std::string J = text_of(ball ? axes[3].mass : 0.1), r = text_of(plan.radius), name = ball ? "ball" : "block";
  std::string text = "dimension: 3\ngravity: [0, 0, " + text_of(-axes[2].weight / axes[2].mass) + "]\nbodies:\n";
  if (ball) text += "  ground: {shapes: [{half_space: [0, 0, 1], at: [0, 0, -" + r + "]}]}\n";
  const auto list = [&](double Axis::*part, std::size_t from, std::size_t to) {
    std::string items;
    for (std::size_t i = from; i < to; ++i) items += (i > from ? ", " : "") + text_of(axes[i].*part);
    return items;
  };
  text += "  " + name + ": {mass: " + text_of(axes[0].mass) + ", inertia: [" + J + ", " + J + ", " + J +
          "], position: [" + list(&Axis::start, 0, 3) + "], velocity: [" + list(&Axis::rate, 0, 3) + "]" +
          (ball ? ", angular_velocity: [" + list(&Axis::rate, 3, 5) + ", 0], shapes: [{sphere: " + r + "}]" : "") +
          "}\nforces:\n  load: {force: " + name + ", value: [" + quoted(force_text(plan, 0, names)) + ", " +
          quoted(force_text(plan, 1, names)) + ", " +
          quoted(force_text(plan, 2, names) + " + " + text_of(axes[2].weight)) + "]}\n";
  if (!ball) return text + contacts_text(plan, names);
  const Wall& table = plan.walls[0];
  return text + "contacts:\n  table: {between: [ball, ground], restitution: " + text_of(table.restitution) +
         ", friction: " + text_of(table.friction) + "}\n";
}

std::vector<std::string> names_of(const Plan& plan, Writing writing) {
  if (writing == Writing::ball) return {"ball.x", "ball.y", "ball.z"};
  if (writing == Writing::body_in_space) return {"block.x", "block.y", "block.z"};
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
    case Writing::body_in_space:
    case Writing::ball:
      model.text += space_body(plan, model.columns, writing == Writing::ball);
      break;
  }
  if (writing != Writing::body_in_space && writing != Writing::ball) model.text += contacts_text(plan, model.columns);
  if (plan.radius > 0) model.columns.resize(3);  // spins have angles only in formulas
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
    if (!wall.across.empty()) contact.across = [wall](const Place&, Row& A) { A = wall.across; };
    model.contacts.push_back(contact);
  }
  return model;
}
