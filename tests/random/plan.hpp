// Masses that move along lines, with springs, loads, walls, friction and brakes: what most random models are, and some
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
  Row across{};  // in space the other direction of slip
};

struct Plan {
  std::string family;
  double end = 1;
  std::vector<Axis> axes;
  std::vector<Spring> springs;
  std::vector<Wall> walls;
  std::vector<Brake> brakes;
  double radius = 0;  // of a ball: the last two axes are its spins about x and y
};

enum class Writing { formulas, sliders, wheels, free_body, body_in_space, ball };
Model write(const Plan& plan, Writing writing);
