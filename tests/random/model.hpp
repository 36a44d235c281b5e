// A random model twice: as the text of a model file, and as functions that the reference integrates.
#pragma once

#include <functional>
#include <string>
#include <vector>

using Row = std::vector<double>;  // one number per coordinate
using Place = std::vector<double>;

struct Contact {
  double restitution = 0, friction = 0;
  std::function<double(const Place& q, double t)> gap;
  std::function<void(const Place& q, double t, Row& G)> gradient;
  std::function<void(const Place& q, Row& T)> slip;                   // direction, where there is friction
  std::function<double(double t)> belt = [](double) { return 0.0; };  // slip = T v - belt
  std::function<void(const Place& q, Row& A)> across{};  // in space the other direction: friction is Coulomb's disc
};

struct Brake {  // dry friction of a given size against one coordinate
  int coordinate;
  double size;
};

struct Model {
  std::string family, text;
  std::vector<std::string> columns;  // of the coordinates in the results; the last ones may have none
  double end = 1;
  Row mass, start, rate;
  std::function<void(double t, const Place& q, const Row& v, Row& f)> force;
  std::vector<Contact> contacts;
  std::vector<Brake> brakes;
};
