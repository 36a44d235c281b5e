// The phases of a run, in each of which one scheme integrates with one set of closed contacts. Here a phase ends and
// the next begins: at the start, at events, at singular places, where another scheme takes over.
#pragma once

#include "simulate/automatic.hpp"
#include "simulate/course.hpp"
#include "simulate/observers.hpp"
#include "simulate/outcome.hpp"
#include "simulate/sampling.hpp"
#include "simulate/settings.hpp"
#include "simulate/step_control.hpp"

namespace escapement::inline simulate {

class Phases {
 public:
  Phases(Course&, StepControl&, Sampling&, Observers&, Outcome&, const Settings&);

  // the scheme `auto`: this decides which scheme goes on
  void follow(Automatic&);

  // all of these, false: the outcome says why it cannot go on
  bool begin();          // at course.s
  bool act_on_event();   // impacts and changes of contact at course.s1
  bool act_on_branch();  // an expression changes its branch at course.s1
  bool act_on_feature();  // a contact goes on to another face, edge or corner just behind course.s1
  bool act_on_forces();  // forces have jumped at course.s1, where nothing else has
  void change_steps();   // at course.s, where the settings say so
  bool change_scheme();  // at course.s, if the automatic choice says so

  void announce_begin();    // what begin() has found
  void report_impacts();    // of a time-stepping scheme's last step
  bool pass_singularity();  // contacts that contradict each other ahead, [000] section 4; true: try the step again
  // no step from course.s is short enough with the contacts that are closed; true: another scheme tries it, without
  bool go_on_without_contact_modes();

  void resume();  // with the automatic choice of a snapshot
  void exchange(Snapshot&);

 private:
  bool act_on_jump();
  void inform_scheme();  // how its errors are judged
  // events cannot be acted on: another scheme goes on from s without, or the outcome says that none does
  bool go_on_without_events(State& s);
  void announce(const Event&);
  void announce_scheme(double t);
  void announce_contacts();
  int closed_contacts() const;

  Course& course_;
  StepControl& control_;
  Sampling& sampling_;
  Observers& observers_;
  Outcome& outcome_;
  const Settings& settings_;
  Automatic* automatic_ = nullptr;
};

}  // namespace escapement
