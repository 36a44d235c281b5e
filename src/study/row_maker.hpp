// Rows of the comparison from what the cases gave: verdicts, and what other readings of the paper give beside them.
#pragma once

#include "study/reproduction.hpp"

namespace escapement::inline study {

// what would contradict a statement, from the comparison it comes to: a < b and c > d gives a >= b or c <= d
std::string contradiction(const std::string& holds);

class RowMaker {
 public:
  RowMaker(const Experiment& experiment, const CaseResults& results, bool quick)
      : experiment_(experiment), results_(results), quick_(quick) {}

  void make(const RowSpec&, std::vector<Row>&);
  void summarize_readings(std::vector<Row>&) const;  // how many printed values each reading meets, the best of a grid

 private:
  Row row(const RowSpec&, const Lookup& names, const std::string& what, int index);
  void statement(const RowSpec&, const Lookup& names, Row&) const;
  void number(const RowSpec&, const Lookup& names, Row&, int index);
  Lookup with_numbers(const RowSpec&, const Lookup& names, double ours, const std::string& published, int index) const;
  int meeting(const RowSpec&, std::string_view family, const std::string& published, int index) const;
  const Reason* proven(const RowSpec&, const Lookup& names) const;
  Verdict of_difference(const RowSpec&, const Lookup& names, const std::string& end, const std::string& others) const;
  void compare(const RowSpec&, const Lookup& names, double ours, Row&, int index);
  std::string other_readings(const RowSpec&, const Lookup& names, const Row&, int index);

  // a reading of the paper over all rows: how many printed values it meets
  struct Reading {
    std::string title, family;
    int met = 0, all = 0;
  };
  Reading& reading(const std::string& title, const std::string& family);

  const Experiment& experiment_;
  const CaseResults& results_;
  bool quick_;
  std::vector<Reading> readings_;
  bool left_out_ = false;  // a number of another reading
};

}  // namespace escapement
