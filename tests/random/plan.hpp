// Masses that move along lines, with springs, loads, walls, friction and brakes: what most random models are, and three
// ways to write them into a model file.
#pragma once

#include "model.hpp"
#include "signal.hpp"

struct Axis {
  std::string name;
  double mass = 1, start = 0, rate = 0;
  double weight = 0, stiffness = 0, relaxed = 0, damping = 0;
  Signal load{};
};

struct Spring {
  int from, to;
  double stiffness, damping, length;
};

struct Wall {
  std::string name;
  Row normal;  // gap = normal q + distance - face(t)
  double distance = 0;
  Signal face{};
  double restitution = 0, friction = 0;
  Row slip{};  // slip = slip v - belt(t)
  Signal belt{};
  bool face_moves = false;
};

struct Plan {
  std::string family;
  double end = 1;
  std::vector<Axis> axes;
  std::vector<Spring> springs;
  std::vector<Wall> walls;
  std::vector<Brake> brakes;
};

enum class Writing { formulas, sliders, wheels, free_body };
Model write(const Plan& plan, Writing writing);
