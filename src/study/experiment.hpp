// An experiment of a paper as data: which runs, what is measured in them, and what the paper prints. One YAML file
// each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace escapement::inline study {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

// a computation repeated over the values of `vary`: each value gives one point
struct Case {
  std::string name, title;   // title: which reading of the paper it is
  std::string family;        // the case whose grid it comes from
  std::string kind = "run";  // which probe makes its points
  std::string model;         // example, or a name from the experiment's `models`
  TextPairs settings;        // scheme, step, tolerance, end, save_every, error; probes read their own keys
  TextPairs set, options;    // of the model, of the scheme
  std::vector<std::pair<std::string, std::vector<std::string>>> vary;  // lists of equal length, taken together
  TextPairs columns;                   // name: expression of the point's columns, sample by sample
  TextPairs measures;                  // name: expression of the point's values, in order
  std::string fitted;                  // what was picked because it meets printed numbers
  std::string reference;               // a case whose last point is the truth
  TextPairs reference_q, reference_v;  // or the truth itself
  int quick = -1;                      // points of the quick version, the first ones; -1: all
  int keep = 0;                        // of every so many samples one stands in figures

  int points() const { return vary.empty() ? 1 : static_cast<int>(vary.front().second.size()); }
  const std::string* setting(std::string_view key) const;
};

// why two numbers differ, and the comparison of numbers without which it does not count
struct Reason {
  std::string because, proof;
  std::string fitted;       // the reading that bears it out was picked because it does
  bool print_only = false;  // the proof goes by printed numbers alone
};

// one line of the comparison, or one per point of its case
struct RowSpec {
  std::string what, unit;
  std::string case_name;               // empty: one row, whose expressions name cases
  std::string value, against;          // expressions; `against`: our own baseline, less is better
  std::vector<std::string> published;  // as printed, one per row; "-": none
  std::vector<std::string> expected;   // the same of ours: closed forms, theory, what follows from printed numbers
  double same_within = 0.05;           // largest relative difference that is called the same
  double rounding = 0;                 // both below: the same to within rounding
  std::string claim, statement;        // what the paper says; what we say
  std::string holds;                   // the comparison of numbers it comes to
  std::vector<Reason> reasons;         // when the numbers differ or the claim does not hold: the first that is proven
  std::string remark;                  // when none is: what we think of it
  std::string fitted;                  // the value's reading was picked because of these numbers
  int readings = 0;                    // tried for this row, other than the one it is read by
  std::vector<std::string> tried;      // cases or families of other readings: the same value in their points
  TextPairs also;                      // and other ways to count: name, expression
  std::string absent;                  // why there is no number of ours
  bool timing = false;                 // wall times: the verdict may change from run to run
};

struct SeriesSpec {
  std::string name, case_name, x, y;  // expressions of columns (curves over time) or of values (curves over points)
  int point = -1;                     // -1: over the case's points; else the columns of that point
  std::vector<double> xs, ys;         // or the numbers themselves
  std::string style;
  bool faint = false;
};

struct FigureSpec {
  std::string title, caption;
  std::string x_label, x_unit, y_label, y_unit;
  bool x_log = false, y_log = false, slopes = false, equal = false;
  std::vector<double> orders;
  std::vector<SeriesSpec> series;
};

struct Experiment {
  std::string id, paper, place, title;
  std::vector<std::string> reading, alternatives;  // what the paper leaves unsaid, and what else was tried
  std::map<std::string, std::string> models;       // models of the experiment's own, as texts
  std::vector<Case> cases;
  std::vector<RowSpec> rows;
  std::vector<FigureSpec> figures;
  int order = 0;        // among the experiments of its paper
  bool quick = true;    // part of the quick version
  bool timing = false;  // run alone

  const Case* find(std::string_view name) const;
  std::vector<const Case*> readings(std::string_view name) const;  // the case of this name, or those of its grid
};

struct Paper {
  std::string id, title;
  std::vector<std::string> authors;  // by which it may be asked for too; without accents
  std::string published = "";        // authors, where and in which year; or why that is not known
};

const std::vector<Paper>& papers();
const std::vector<Experiment>&
experiments();  // all, in the order of their files; throws ModelError when one is malformed
Experiment read_experiment(const std::string& file, const std::string& text);

}  // namespace escapement
