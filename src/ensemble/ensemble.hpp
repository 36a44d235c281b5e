// Many members of one formula model, which differ in parameters, advanced together with fixed steps: the programs that give a
// member its start, the terms of its equations and what is sampled of it, and when steps and samples are due. Engines run it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ensemble/straight_code.hpp"
#include "model/formulas.hpp"

namespace escapement::inline ensemble {

// what is made of a value over the samples
enum class Reduction { max, min, mean, final, initial, first, count };

struct EnsembleFormulas {
  Formulas formulas;              // varied parameters stand in them as variables, which `parameters` lists
  std::vector<Expr> start, rate;  // of the coordinates
  std::vector<Expr> restitution;  // of the contacts
  std::vector<Expr> forces;       // variables that stand for normal forces of the contacts in what is sampled
  struct Sampled {
    Reduction reduction;
    Expr value;
  };
  std::vector<Sampled> sampled;
};

enum class EnsembleScheme { moreau_midpoint, moreau_midpoint_ggl, moreau_jean, rk4, hem5 };

struct EnsembleSettings {
  EnsembleScheme scheme = EnsembleScheme::moreau_midpoint;
  double start = 0, end = 0, step = 0, save_every = 0;  // save_every 0: at the end of every step
};

// steps and samples of a run with these settings, as a single run takes them
struct EnsembleTimes {
  int steps = 0;
  std::vector<int> sample_step;                    // in which step; the sample at the start is left out
  std::vector<double> sample_part, sample_time;    // where in it: 1 is its end
};
EnsembleTimes make_times(const EnsembleSettings&);

struct Ensemble {
  Ensemble(ExpressionGraph&, const EnsembleFormulas&, const EnsembleSettings&);

  EnsembleSettings settings;
  EnsembleTimes times;
  int v = 0, bilateral = 0, contacts = 0, parameters = 0;
  std::vector<double> scale_q, scale_v;
  std::vector<unsigned char> coupled;  // v x v: L(i, j) of the factors of M may be other than zero
  std::vector<unsigned char> acts;     // rows x v: G(r, j) may be
  BasicProgram start;                  // parameters -> q, v, restitutions
  StraightCode terms;                  // t, q, v -> M (lower half, row by row), f, g, G (row by row), g_t
  StraightCode sample;                 // t, q, v, forces of the contacts -> what is sampled
  std::vector<int> reductions;
  int rows() const { return bilateral + contacts; }
  int values() const { return static_cast<int>(reductions.size()); }
};

// of each member
struct EnsembleResult {
  std::vector<double> value;  // members x values
  std::vector<double> impacts, failure, failed_at, work;  // work: of the contacts
  bool complete = false;  // false: interrupted
  void resize(std::size_t members, std::size_t values);
};
// the failures by their number in `failure`; empty: none
const char* failure_text(int failure);
bool is_refusal(int failure);  // of values that a single run would not take either

struct EnsembleHooks {
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(std::size_t done, std::size_t of)> on_members;  // called by one thread at a time
};

}  // namespace escapement
