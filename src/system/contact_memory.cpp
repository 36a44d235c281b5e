#include "system/contact_memory.hpp"

namespace escapement::inline system {

namespace {

constexpr int head = 3, each = 19;

// a number holds 53 bits of an id
constexpr std::uint64_t half = std::uint64_t{1} << 32;

}  // namespace

void ContactMemory::keep(Memory& memory) const {
  memory.vectors.resize(1);
  Vec& x = memory.vectors[0];
  x.resize(head + each * static_cast<int>(contacts.size()));
  x[0] = penetration;
  x[1] = sunk;
  x[2] = step_energy;
  double* to = x.data() + head;
  for (const ActingContact& c : contacts) {
    for (const double number : {static_cast<double>(c.at.id / half), static_cast<double>(c.at.id % half), double(c.at.a), double(c.at.b), double(c.at.law), c.at.gap, c.approach}) *to++ = number;
    for (const Eigen::Vector3d* vector : {&c.at.point, &c.at.normal, &c.force, &c.moment})
      for (const double number : *vector) *to++ = number;
  }
}

void ContactMemory::recall(const Memory& memory) {
  penetration = sunk = step_energy = 0;
  contacts.clear();
  if (memory.vectors.empty() || memory.vectors[0].size() < head) return;
  const Vec& x = memory.vectors[0];
  penetration = x[0];
  sunk = x[1];
  step_energy = x[2];
  contacts.resize(static_cast<std::size_t>((x.size() - head) / each));
  const double* from = x.data() + head;
  for (ActingContact& c : contacts) {
    c.at.id = static_cast<std::uint64_t>(from[0]) * half + static_cast<std::uint64_t>(from[1]);
    c.at.a = static_cast<int>(from[2]);
    c.at.b = static_cast<int>(from[3]);
    c.at.law = static_cast<int>(from[4]);
    c.at.gap = from[5];
    c.approach = from[6];
    from += 7;
    for (Eigen::Vector3d* vector : {&c.at.point, &c.at.normal, &c.force, &c.moment})
      for (double& number : *vector) number = *from++;
  }
}

}  // namespace escapement
