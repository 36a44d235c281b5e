// The matrix of a semismooth Newton iteration, kept over steps that go on like each other: with the same contacts, friction and step
// size. It is part of the state, so that a run which goes on from a state goes on with the state's matrix.
#pragma once

#include "schemes/contact_sets.hpp"
#include "schemes/monolithic_system.hpp"

namespace escapement::inline schemes {

class KeptMatrix {
 public:
  void start(State& s);  // its memory is a vector of the state's, behind those that are there
  void begin_step() { made_ = paused_ = false; }

  // does the state have a matrix for these sets and this step? Then its factors are those of the system
  bool serves(const State& s, double h, const ContactSets&, MonolithicSystem&);
  void forget() { known_ = false; }  // the system is about to have another one
  void note_new(const State& s, double h, const ContactSets&);  // one that was factored in the step from s
  void pause() { paused_ = true; }         // it did not do: some steps are to have their own
  void finish(const State& s, const MonolithicSystem&, State& s1) const;

 private:
  enum : int { size, time, step, sets, rest, first };  // entries of the memory: numbers, then the matrix; size 0: none
  // what tells matrices from each other
  struct Stamp {
    double time = 0, step = 0, sets = 0;
    bool operator==(const Stamp&) const = default;
  };
  static constexpr int largest = 16;  // unknowns: of larger matrices a copy in every state is too much
  static constexpr int pauses = 8;    // steps

  std::size_t at_ = 0;
  Stamp factored_;  // that the system has, if any
  bool known_ = false, made_ = false, paused_ = false;
};

}  // namespace escapement
