// The samples of a run: on the grid of save_every, or every step, and always its end.
#pragma once

#include <cmath>
#include <memory>

#include "schemes/projection.hpp"
#include "simulate/course.hpp"
#include "simulate/forces_within.hpp"
#include "simulate/observers.hpp"
#include "simulate/settings.hpp"

namespace escapement::inline simulate {

class Sampling {
 public:
  Sampling(Observers& observers, const Settings& settings)
      : observers_(observers), every_(settings.save_every < 0 ? settings.duration() / 1000 : settings.save_every), start_(settings.start) {}

  // closed contacts of samples between the ends of a step, where the polynomial alone would let them sink in, are held as
  // at the ends by schemes that keep positions. The system is the run's, or the one behind it where evaluations are counted
  void hold_contacts(const System&);
  // forces of samples between the ends of a step in which a contact is closed or a brake acts are those of that instant; the system
  // likewise
  void find_forces(const System&);
  // states of first order between the ends of a step lie on a cubic polynomial; the system likewise
  void follow_states(const System&);
  void begin(const State& start);
  const State& look(Course&, double theta);  // the state there, as a sample has it, in course.between
  // what is due in the step, as far as this time
  void take(Course&, double until);
  void take_end(const State& s) {  // the end of the step, unless it is sampled already
    if (!ends_) sample_end(s);
  }
  void take_jump(const State& s) { sample_end(s); }  // the same time again, after an impact
  void cut() { ends_ = false; }                      // the step ends elsewhere than it did

  bool news() const { return news_; }
  void clear_news() { news_ = false; }
  void exchange(Snapshot& s) { s(taken_, ends_); }

 private:
  struct Hold {
    ActiveView view;
    Projection projection;
    SaddleSolver kkt{};
    Terms gaps{}, terms{};  // of all contacts; of those that are held
    unsigned version = 0;   // of the view, that these are for
    void prepare();
  };

  struct Forces {
    ActiveView view;
    ForcesWithin within;
    explicit Forces(const System& system) : view(system), within(system, view) {}
  };

  // rates of the states at the ends of a step
  struct Rates {
    const System& system;
    Terms terms{};
    double t = NAN, t1 = NAN;  // of the step they belong to
    Vec begin{}, end{};
  };

  void hold(Course&, double theta);
  void find_forces(Course&);
  void bend_states(Course&, double theta);
  void sample(const State& s) {
    news_ = true;
    observers_.sample(s);
  }
  void sample_end(const State& s) {
    sample(s);
    ends_ = true;
  }

  Observers& observers_;
  double every_;
  double start_;  // samples are counted from here
  std::unique_ptr<Hold> hold_;    // where contacts are events
  std::unique_ptr<Forces> forces_;  // likewise
  std::unique_ptr<Rates> rates_;  // where there are states
  long taken_ = 0;     // so far, on the grid
  bool ends_ = false;  // the last sample is the end of the last step
  bool news_ = false;  // samples since clear_news()
};

}  // namespace escapement
