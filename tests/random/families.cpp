// The kinds of random models. Loads are drawn around what it takes to open a contact, to start a slip, to overcome a
// brake: events come and go, some within milliseconds of a minute.
#include "families.hpp"

#include <algorithm>
#include <cmath>

#include "plan.hpp"

namespace {

constexpr double g = 9.81;

double draw_end(Draw& draw) { return draw.size(3, 60); }
double draw_restitution(Draw& draw) { return draw.chance(0.5) ? 0 : draw.value(0.1, 0.6); }
double threshold(Draw& draw, double size) { return draw.value(0.7, 1.5) * size; }
Writing line(Draw& draw) { return static_cast<Writing>(draw.below(3)); }  // formulas, sliders, wheels
Writing plane(Draw& draw) { return draw.chance(0.5) ? Writing::formulas : Writing::free_body; }

Wall floor_of(const Row& normal, double restitution) {
  return {.name = "floor", .normal = normal, .restitution = restitution};
}

Model lift(Draw& draw) {
  Plan plan{.family = "lift", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5);
  plan.axes = {{.name = "y", .mass = m, .start = draw.chance(0.3) ? draw.value(0.01, 0.5) : 0, .weight = m * g}};
  plan.axes[0].load = draw_signal(draw, threshold(draw, m * g), plan.end, false);
  plan.walls = {floor_of({1}, draw_restitution(draw))};
  return write(plan, line(draw));
}

// on a floor or a belt, pushed to and fro, pressed and relieved
Model block(Draw& draw) {
  Plan plan{.family = "block", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), mu = draw.value(0.1, 0.8);
  plan.axes = {{.name = "x", .mass = m, .rate = draw.chance(0.3) ? draw.value(-1, 1) : 0},
               {.name = "y", .mass = m, .weight = m * g}};
  plan.axes[0].load = draw_signal(draw, threshold(draw, mu * m * g), plan.end, false);
  if (draw.chance(0.3)) plan.axes[1].load = draw_signal(draw, draw.value(0.2, 0.8) * m * g, plan.end, false);
  if (draw.chance(0.4)) plan.axes[0].stiffness = draw.size(1, 100) * m;
  Wall floor = floor_of({0, 1}, 0);
  floor.friction = mu;
  floor.slip = {1, 0};
  plan.walls = {floor};
  return write(plan, plane(draw));
}

Model belt(Draw& draw) {
  Plan plan{.family = "belt", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), k = draw.size(1, 60) * m;
  plan.axes = {{.name = "x",
                .mass = m,
                .stiffness = k,
                .damping = draw.chance(0.5) ? draw.value(0.02, 0.4) * std::sqrt(k * m) : 0},
               {.name = "y", .mass = m, .weight = m * g}};
  if (draw.chance(0.5)) plan.axes[0].load = draw_signal(draw, draw.value(0.2, 1.5) * m, plan.end, false);
  Wall floor = floor_of({0, 1}, 0);
  floor.friction = draw.value(0.02, 0.5);
  floor.slip = {1, 0};
  floor.belt = draw.chance(0.5) ? Signal(draw.value(0.1, 1))
                                : draw_signal(draw, draw.value(0.2, 0.8), plan.end, true, draw.value(0, 0.3));
  plan.walls = {floor};
  return write(plan, plane(draw));
}

// damped: what jumps off a stop comes back to graze it, and every touch would take as much as the error gives
Model stop(Draw& draw) {
  Plan plan{.family = "stop", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), k = draw.size(10, 300) * m, preload = draw.value(0.05, 0.3);
  plan.axes = {{.name = "x",
                .mass = m,
                .stiffness = k,
                .relaxed = -preload,
                .damping = draw.value(0.02, 0.3) * std::sqrt(k * m)}};
  plan.axes[0].load = draw_signal(draw, threshold(draw, k * preload), plan.end, false);
  plan.walls = {floor_of({1}, draw_restitution(draw))};
  return write(plan, line(draw));
}

Model between(Draw& draw) {
  Plan plan{.family = "between", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), a = draw.value(0.05, 1);
  plan.axes = {
      {.name = "x", .mass = m, .rate = draw.chance(0.5) ? draw.value(-1, 1) : 0, .damping = draw.value(0.1, 2) * m}};
  plan.axes[0].load = draw_signal(draw, draw.value(0.2, 4) * m, plan.end, false);
  if (draw.chance(0.5)) plan.axes[0].stiffness = draw.size(0.5, 30) * m;
  plan.walls = {{.name = "left", .normal = {1}, .distance = a, .restitution = draw_restitution(draw)},
                {.name = "right", .normal = {-1}, .distance = a, .restitution = draw_restitution(draw)}};
  return write(plan, line(draw));
}

// two masses, a spring and a buffer between them, a wall behind the first
Model pair(Draw& draw) {
  Plan plan{.family = "pair", .end = draw_end(draw)};
  const double m = draw.size(0.3, 3), k = draw.size(5, 100);
  plan.axes = {{.name = "a", .mass = m, .damping = draw.value(0.1, 1)},
               {.name = "b", .mass = draw.size(0.3, 3), .start = 1, .damping = draw.value(0.1, 1)}};
  plan.axes[0].load = draw_signal(draw, draw.value(0.5, 6), plan.end, false, -draw.value(0.5, 3));
  if (draw.chance(0.5)) plan.axes[1].load = draw_signal(draw, draw.value(0.5, 4), plan.end, false);
  plan.springs = {{0, 1, k, draw.value(0.1, 1), 1}};
  plan.walls = {
      {.name = "wall", .normal = {1, 0}, .restitution = draw_restitution(draw)},
      {.name = "buffer", .normal = {-1, 1}, .distance = -draw.value(0.5, 0.95), .restitution = draw_restitution(draw)}};
  return write(plan, line(draw));
}

Model stack(Draw& draw) {
  Plan plan{.family = "stack", .end = draw_end(draw)};
  const double m = draw.size(0.3, 3), n = draw.size(0.3, 3);
  plan.axes = {{.name = "a", .mass = m, .weight = m * g}, {.name = "b", .mass = n, .start = 0.5, .weight = n * g}};
  if (draw.chance(0.6)) plan.axes[0].load = draw_signal(draw, threshold(draw, (m + n) * g), plan.end, false);
  if (draw.chance(0.6)) plan.axes[1].load = draw_signal(draw, threshold(draw, n * g), plan.end, false);
  plan.walls = {floor_of({1, 0}, draw.chance(0.7) ? 0 : draw.value(0.1, 0.4)),
                {.name = "joint",
                 .normal = {-1, 1},
                 .distance = -0.5,
                 .restitution = draw.chance(0.7) ? 0 : draw.value(0.1, 0.4)}};
  return write(plan, line(draw));
}

// a block on a floor that something comes through
Model hammer(Draw& draw) {
  Plan plan{.family = "hammer", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), depth = draw.value(0.02, 0.2);
  plan.axes = {{.name = "s", .mass = m, .weight = m * g}};
  Wall head{
      .name = "head", .normal = {1}, .distance = depth, .restitution = draw.chance(0.7) ? 0 : draw.value(0.1, 0.4)};
  head.face_moves = true;
  Term blow{Term::pulse, depth * draw.value(0.9, 2.5), draw.value(0.1, 0.9) * plan.end, draw.size(0.01, 0.5), 0};
  head.face.add(blow);
  if (draw.chance(0.5))
    head.face.add({Term::pulse, depth * draw.value(0.9, 2), draw.value(0.1, 0.9) * plan.end, draw.size(0.01, 0.5), 0});
  head.distance = std::max(depth, head.face(0) + 0.01);  // below the block at the start
  plan.walls = {floor_of({1}, draw_restitution(draw)), head};
  if (draw.chance(0.3)) plan.axes[0].load = draw_signal(draw, draw.value(0.1, 0.9) * m * g, plan.end, false);
  return write(plan, line(draw));
}

Model wall(Draw& draw) {
  Plan plan{.family = "wall", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), k = draw.size(2, 60) * m, a = draw.value(0.02, 0.3);
  plan.axes = {
      {.name = "x", .mass = m, .start = 0, .stiffness = k, .damping = draw.value(0.1, 0.8) * std::sqrt(k * m)}};
  Wall moving{.name = "wall", .normal = {1}, .distance = a * draw.value(1, 3), .restitution = draw_restitution(draw)};
  moving.face = draw_signal(draw, a * draw.value(1, 3), plan.end, true);
  moving.face_moves = true;
  // open at the start, by enough for the face's way there
  moving.distance += std::max(0.0, moving.face(0));
  plan.walls = {moving};
  if (draw.chance(0.3)) plan.axes[0].load = draw_signal(draw, k * a, plan.end, false);
  return write(plan, line(draw));
}

Model valve(Draw& draw) {
  Plan plan{.family = "valve", .end = draw.size(0.1, 1)};
  const double m = draw.size(0.05, 0.3), k = draw.size(5e3, 3e4), h = draw.value(0.003, 0.01),
               rate = draw.value(100, 350);
  plan.axes = {{.name = "s",
                .mass = m,
                .stiffness = k,
                .relaxed = -draw.value(0.003, 0.015),
                .damping = draw.value(0, 0.2) * std::sqrt(k * m)}};
  Wall cam{.name = "cam", .normal = {1}, .restitution = draw.chance(0.6) ? 0 : draw.value(0.1, 0.3)};
  cam.face_moves = true;
  cam.distance = draw.value(0, 0.5) * h;
  cam.face.add({Term::sine, h, draw.value(-1.5, 0), 1, rate});
  plan.walls = {{.name = "seat", .normal = {1}, .restitution = draw.chance(0.6) ? 0 : draw.value(0.1, 0.3)}, cam};
  return write(plan, draw.chance(0.5) ? Writing::formulas : Writing::sliders);
}

Model shelf(Draw& draw) {
  Plan plan{.family = "shelf", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5);
  plan.axes = {{.name = "y", .mass = m, .start = draw.chance(0.5) ? draw.value(0.05, 0.5) : 0, .weight = m * g}};
  if (draw.chance(0.7)) plan.axes[0].load = draw_signal(draw, threshold(draw, m * g), plan.end, false);
  plan.walls = {
      {.name = "shelf", .normal = {1}, .restitution = draw_restitution(draw)},
      {.name = "ground", .normal = {1}, .distance = draw.value(0.02, 0.4), .restitution = draw_restitution(draw)}};
  return write(plan, line(draw));
}

// a rough floor and two walls
Model box(Draw& draw) {
  Plan plan{.family = "box", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), mu = draw.value(0.1, 0.6), a = draw.value(0.05, 1);
  plan.axes = {{.name = "x", .mass = m, .rate = draw.value(-1, 1)},
               {.name = "y", .mass = m, .start = draw.chance(0.5) ? draw.value(0.05, 0.3) : 0, .weight = m * g}};
  plan.axes[0].load = draw_signal(draw, threshold(draw, mu * m * g), plan.end, false);
  if (draw.chance(0.4)) plan.axes[1].load = draw_signal(draw, draw.value(0.4, 1.2) * m * g, plan.end, false);
  Wall floor = floor_of({0, 1}, draw_restitution(draw));
  floor.friction = mu;
  floor.slip = {1, 0};
  plan.walls = {floor,
                {.name = "left", .normal = {1, 0}, .distance = a, .restitution = draw_restitution(draw)},
                {.name = "right", .normal = {-1, 0}, .distance = a, .restitution = draw_restitution(draw)}};
  return write(plan, plane(draw));
}

Model brake(Draw& draw) {
  Plan plan{.family = "brake", .end = draw_end(draw)};
  const double m = draw.size(0.1, 5), size = draw.size(0.5, 20);
  plan.axes = {{.name = "w", .mass = m, .rate = draw.chance(0.3) ? draw.value(-2, 2) : 0}};
  plan.axes[0].load = draw_signal(draw, threshold(draw, size), plan.end, false);
  if (draw.chance(0.3)) plan.axes[0].stiffness = draw.size(1, 50) * m;
  plan.brakes = {{0, size}};
  if (draw.chance(0.4))
    plan.walls = {
        {.name = "stop", .normal = {-1}, .distance = draw.value(0.1, 1), .restitution = draw_restitution(draw)}};
  return write(plan, draw.chance(0.5) ? Writing::sliders : Writing::wheels);
}

Model free_mass(Draw& draw) {
  Plan plan{.family = "free", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5);
  plan.axes = {{.name = "x", .mass = m, .rate = draw.chance(0.5) ? draw.value(-1, 1) : 0}};
  plan.axes[0].load = draw_signal(draw, draw.size(0.5, 50) * m, plan.end, false);
  if (draw.chance(0.5)) plan.axes[0].stiffness = draw.size(0.5, 50) * m;
  return write(plan, line(draw));
}

// a mass sliding over a floor with a bump in it
Model bump(Draw& draw) {
  Model model;
  model.family = "bump";
  const double speed = draw.value(0.4, 2), way = draw.value(2, 20), width = std::min(draw.size(0.02, 0.5), way / 12),
               m = draw.size(0.2, 5);
  const double height = draw.value(0.1, 0.6) * width, centre = draw.value(0.5, 0.8) * way,
               e = draw.chance(0.7) ? 0 : draw.value(0.1, 0.4);
  model.end = way / speed;
  const bool body = draw.chance(0.5);
  model.columns = body ? std::vector<std::string>{"block.x", "block.y"} : std::vector<std::string>{"x", "y"};
  const std::string x = model.columns[0], y = model.columns[1], mass = text_of(m);
  model.text = "escapement: 1\nname: bump\n";
  if (body)
    model.text += "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  block: {mass: " + mass +
                  ", inertia: 0.1, position: [0, 0], velocity: [" + text_of(speed) + ", 0]}\n";
  else
    model.text += "coordinates:\n  x: {rate: " + text_of(speed) + "}\n  y: {}\nkinetic_energy: " + mass +
                  "/2*(x'^2 + y'^2)\npotential_energy: " + mass + "*9.81*y\n";
  model.text += "contacts:\n  floor: {gap: \"" + y + " - " + text_of(height) + "*exp(-((" + x + " - " +
                text_of(centre) + ")/" + text_of(width) + ")^2)\", restitution: " + text_of(e) + "}\n";
  model.mass = {m, m};
  model.start = {0, 0};
  model.rate = {speed, 0};
  model.force = [m](double, const Place&, const Row&, Row& f) { f = {0, -m * g}; };
  Contact floor;
  floor.restitution = e;
  const auto surface = [=](double at) { return height * std::exp(-std::pow((at - centre) / width, 2)); };
  floor.gap = [=](const Place& q, double) { return q[1] - surface(q[0]); };
  floor.gradient = [=](const Place& q, double, Row& G) {
    G = {2 * (q[0] - centre) / (width * width) * surface(q[0]), 1};
  };
  model.contacts = {floor};
  return model;
}

// a pendulum with a torque, which meets stops, or whose tip meets a floor
Model pendulum(Draw& draw) {
  Model model;
  model.family = "pendulum";
  model.end = draw_end(draw);
  const double m = draw.size(0.3, 3), l = draw.value(0.3, 1), J = m * l * l / 3, start = draw.value(0.1, 1),
               d = draw.value(0.05, 0.5) * J;
  const double stop = draw.value(0.1, 0.8) * start, e = draw_restitution(draw);
  const Signal torque =
      draw_signal(draw, draw.value(0.3, 1.2) * m * g * l / 2 * std::sin(stop + 0.3), model.end, false);
  const bool body = draw.chance(0.6), tip = draw.chance(0.4);
  model.columns = {body ? "rod.angle" : "phi"};
  const std::string name = model.columns[0], load = torque.text() + " - " + text_of(d) + "*" + name + "'";
  model.text = "escapement: 1\nname: pendulum\n";
  // the angle counts from the rod that hangs
  if (body)
    model.text += "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  rod: {mass: " + text_of(m) +
                  ", inertia: " + text_of(m) + "*" + text_of(l) + "^2/12, position: [" + text_of(l / 2) + "*sin(" +
                  text_of(start) + "), -" + text_of(l / 2) + "*cos(" + text_of(start) + ")], angle: " + text_of(start) +
                  "}\njoints:\n  pin: {revolute: [ground, rod], at: [0, 0]}\nforces:\n  load: {torque: rod, value: \"" +
                  load + "\"}\n";
  else
    model.text += "coordinates: {phi: {start: " + text_of(start) + "}}\nkinetic_energy: " + text_of(m) + "*" +
                  text_of(l) + "^2/6*phi'^2\npotential_energy: -" + text_of(m) + "*9.81*" + text_of(l / 2) +
                  "*cos(phi)\nforces:\n  phi: \"" + load + "\"\n";
  Contact contact;
  contact.restitution = e;
  if (tip) {  // a wall upright at the stop's angle: the tip's way to it
    const double wall = l * std::sin(stop);
    model.text += "contacts:\n  wall: {gap: \"" + text_of(l) + "*sin(" + name + ") + " + text_of(wall) +
                  "\", restitution: " + text_of(e) + "}\n";
    contact.gap = [=](const Place& q, double) { return l * std::sin(q[0]) + wall; };
    contact.gradient = [=](const Place& q, double, Row& G) { G = {l * std::cos(q[0])}; };
  } else {
    model.text +=
        "contacts:\n  stop: {gap: \"" + name + " + " + text_of(stop) + "\", restitution: " + text_of(e) + "}\n";
    contact.gap = [=](const Place& q, double) { return q[0] + stop; };
    contact.gradient = [=](const Place&, double, Row& G) { G = {1}; };
  }
  model.contacts = {contact};
  model.mass = {J};
  model.start = {start};
  model.rate = {0};
  model.force = [=](double t, const Place& q, const Row& v, Row& f) {
    f[0] = torque(t) - d * v[0] - m * g * l / 2 * std::sin(q[0]);
  };
  return model;
}

Writing space(Draw& draw) { return draw.chance(0.5) ? Writing::formulas : Writing::body_in_space; }

Wall floor_in_space(double friction, double restitution) {
  Wall floor = floor_of({0, 0, 1}, restitution);
  floor.friction = friction;
  floor.slip = {1, 0, 0};
  floor.across = {0, 1, 0};
  return floor;
}

// on a floor or a belt, pushed in two directions, pressed and relieved
Model puck(Draw& draw) {
  Plan plan{.family = "puck", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), mu = draw.value(0.1, 0.8);
  plan.axes = {{.name = "x", .mass = m, .rate = draw.chance(0.5) ? draw.value(-1, 1) : 0},
               {.name = "y", .mass = m, .rate = draw.chance(0.5) ? draw.value(-1, 1) : 0},
               {.name = "z", .mass = m, .weight = m * g}};
  plan.axes[0].load = draw_signal(draw, threshold(draw, mu * m * g), plan.end, false);
  if (draw.chance(0.7)) plan.axes[1].load = draw_signal(draw, threshold(draw, mu * m * g), plan.end, false);
  if (draw.chance(0.3)) plan.axes[2].load = draw_signal(draw, draw.value(0.2, 0.8) * m * g, plan.end, false);
  if (draw.chance(0.4)) plan.axes[0].stiffness = plan.axes[1].stiffness = draw.size(1, 60) * m;
  plan.walls = {floor_in_space(mu, 0)};
  if (draw.chance(0.3)) plan.walls[0].belt = Signal(draw.value(0.1, 0.6));
  return write(plan, space(draw));
}

// a rough floor and a wall in each direction
Model corner(Draw& draw) {
  Plan plan{.family = "corner", .end = draw_end(draw)};
  const double m = draw.size(0.2, 5), mu = draw.value(0.1, 0.6), a = draw.value(0.05, 1), b = draw.value(0.05, 1);
  plan.axes = {{.name = "x", .mass = m, .rate = draw.value(-1, 1)},
               {.name = "y", .mass = m, .rate = draw.value(-1, 1)},
               {.name = "z", .mass = m, .start = draw.chance(0.5) ? draw.value(0.05, 0.3) : 0, .weight = m * g}};
  for (int i : {0, 1}) plan.axes[i].load = draw_signal(draw, threshold(draw, mu * m * g), plan.end, false);
  plan.walls = {floor_in_space(mu, draw_restitution(draw)),
                {.name = "left", .normal = {1, 0, 0}, .distance = a, .restitution = draw_restitution(draw)},
                {.name = "back", .normal = {0, -1, 0}, .distance = b, .restitution = draw_restitution(draw)}};
  return write(plan, space(draw));
}

// thrown with a spin, it bounces, slides and rolls; loads around what rolling can take
Model ball(Draw& draw) {
  Plan plan{.family = "ball", .end = draw.size(2, 20)};
  const double m = draw.size(0.2, 5), mu = draw.value(0.05, 0.5), r = draw.value(0.03, 0.2), J = 0.4 * m * r * r;
  plan.radius = r;
  plan.axes = {{.name = "x", .mass = m, .rate = draw.value(-1, 1), .damping = draw.value(0.1, 1) * m},
               {.name = "y", .mass = m, .rate = draw.value(-1, 1), .damping = draw.value(0.1, 1) * m},
               {.name = "z", .mass = m, .start = draw.chance(0.5) ? draw.value(0.05, 0.3) : 0, .weight = m * g},
               {.name = "a", .mass = J, .rate = draw.chance(0.5) ? draw.value(-1, 1) / r : 0},
               {.name = "b", .mass = J, .rate = draw.chance(0.5) ? draw.value(-1, 1) / r : 0}};
  for (int i : {0, 1}) plan.axes[i].load = draw_signal(draw, threshold(draw, 3.5 * mu * m * g), plan.end, false);
  if (draw.chance(0.3)) plan.axes[2].load = draw_signal(draw, draw.value(0.2, 0.8) * m * g, plan.end, false);
  Wall table = floor_of({0, 0, 1, 0, 0}, draw_restitution(draw));
  table.friction = mu;
  table.slip = {1, 0, 0, 0, -r};
  table.across = {0, 1, 0, r, 0};
  plan.walls = {table};
  return write(plan, draw.chance(0.4) ? Writing::formulas : Writing::ball);
}

constexpr Model (*families[])(Draw&) = {lift,  block, belt,  stop,      between, pair,     stack, hammer, wall, valve,
                                        shelf, box,   brake, free_mass, bump,    pendulum, puck,  corner, ball};

}  // namespace

Model draw_model(Draw& draw) {
  Model model = families[draw.below(std::size(families))](draw);
  return model;
}
