// Steps that resolve what the model says: no step is longer than the features of its expressions along it, and steps end
// where expressions change their branch. See math/expression_watch.hpp for what features and branches are.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "simulate/course.hpp"
#include "simulate/input_ranges.hpp"
#include "simulate/snapshot.hpp"
#include "system/explicit_terms.hpp"

namespace escapement::inline simulate {

class Resolution {
 public:
  explicit Resolution(ExplicitTerms& terms);

  void begin(const State& start, double end);

  // before a step of size h from t is made: the largest part of it that resolves what depends on time alone, up to the
  // first change of a branch
  double limit(double t, double h);
  // limit() let the step end just before a change of branch; the run goes on at the first instant after it
  bool ends_at_branch() const { return after_branch_ == after_branch_; }
  double after_branch() const { return after_branch_; }

  // of a step that was made: the part of it that resolves what depends on the motion; 1: all of it
  double resolved_part(Course& course) { return resolved_part(course, true); }
  // where in it a branch that depends on the motion changes first, as a part of it; 2: nowhere
  double first_branch(Course&);
  // of steps that may lead across a branch of the motion, but not across what lies between two of them: the part of it that ends
  // there; 1: there is none
  double between_branches(Course&);
  // steps end just before a change of branch, where no stage has seen what is beyond it, and the run goes on just behind:
  // the time from the step's end to where a branch changes next, as its rate there says
  double time_to_branch();
  // last: no try brings it nearer
  bool lands(double time, double h, bool last) const { return time <= (last ? begins_on_ : landing_time(h)); }
  double short_of(double time, double h) const { return std::max(time - 0.5 * landing_time(h), 0.0); }
  double across(double time, double h) const { return 1.5 * std::max(time, landing_time(h)); }  // and whatever else changes just there
  void accepted();  // the step was taken
  // A force may jump at a branch of the motion so that it drives the motion back from either side, like -sign(v): the motion
  // then stays on the branch (a sliding mode, Filippov 1988), where no branch's force holds. Told by how fast the switch
  // changes with the accelerations just before it, which the step ends with, and those just behind it
  void note_approach(Course&);              // at course.s1
  bool nears_a_jump() const { return switch_ >= 0 && terms_.of_motion.jumps(switch_); }  // the branch that time_to_branch() found, where finite
  bool drives_back(Course&, const State&);  // the state just behind
  // of steps that do not end on branches: does one change within it, and has it done so many times in a row without the motion
  // going on to the other side?
  bool crosses(const Course&);
  bool keeps_turning_back() const;
  std::string branch_text() const;  // the branch that all of these have last told of, as the file has it

  // fixed steps are taken as they are: how many times as long the one that was made is as one that resolves what it runs
  // through, where that is narrowest
  double excess_length(Course&);

  void exchange(Snapshot&);

 private:
  double landing_time(double h) const;
  double begins_on(const Course&) const;
  bool resolved_until(double t, double h);
  bool resolved_closely_until(double t, double h);
  bool motion_resolved(double from, double to);
  bool motion_resolved_until(double part);
  double resolved_part(Course&, bool closely);
  double excess_of_time(double t, double h);
  double excess_of_motion(Course&);
  void enclose_time(double from, double to);
  bool find_time_branch(double t, double h);  // sets before_branch_ and after_branch_
  bool first_time_branch(double from, double to);
  int time_side(int k, double t);
  void follow(Course&);                   // inputs as polynomials over the step
  void fill_part(double from, double to);
  void enclose_part(double from, double to);
  void enclose_end();
  bool find_branch(double from, double to);
  int side_at(int k, double theta);
  double branch_rate(Course&, const State&);  // of the switch that changes
  double switch_at(int k, const State&);

  ExplicitTerms& terms_;
  double before_branch_, after_branch_;
  double shortest_ = 0;  // time that rounding leaves
  double h_ = 0;         // of the step that is followed
  double span_ = 0;      // of times, which have the digits of the largest one
  double branch_ = 2;
  int switch_ = -1;        // the switch that changes where the step ends
  double approach_ = 0;    // its rate just before
  double mean_rate_ = 0;   // and on the way there
  double across_ = 0;      // how far a step has led it across; 0: none of late
  int turned_back_ = 0;    // times in a row
  double began_ = 0;  // where the search begins
  double begins_on_ = 0;  // a change of branch so soon, as time from a step's start, belongs to that
  int splits_left_ = 0;
  int found_ = -1;             // the switch at branch_
  std::vector<double> reach_;  // the largest that each switch of the motion was at ends of steps
  bool followed_ = false;
  InputRanges ranges_;
  std::vector<double> in_, at_start_;
  std::vector<Enclosure> pieces_;
};

}  // namespace escapement
