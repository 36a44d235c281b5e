// What one computation of a case gives: numbers by name, and columns of numbers for figures.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace escapement::inline study {

struct Point {
  bool done = false;  // false: left out by the quick version
  std::map<std::string, double, std::less<>> values;
  std::map<std::string, std::vector<double>, std::less<>> columns;
};

struct CaseResult {
  std::vector<double> varied;  // the first list of `vary`, as numbers where they are numbers
  std::vector<std::string> labels;
  std::vector<Point> points;
};

using CaseResults = std::map<std::string, CaseResult, std::less<>>;

// a number that was not computed because the version is the quick one
struct LeftOut : std::runtime_error {
  LeftOut() : std::runtime_error("left out") {}
};

// the name's value, or nothing
using Lookup = std::function<std::optional<double>(std::string_view)>;

// an expression of names; throws std::runtime_error that names the unknown one
double evaluate(const std::string& expression, const Lookup&);
// as people write it: whole numbers whole, others with this many digits
std::string number_text(double value, int digits = 3);
// every {expression} in the text replaced by its value
std::string fill_in(const std::string& text, const Lookup&);

// an expression of columns and values, sample by sample
std::vector<double> column_of(const Point&, const std::string& expression);

// names of one point: its values, and min. max. mean. last. before a column's name
Lookup names_of(const Point&);
// names of an experiment: CASE.pI.NAME (I counts from 1), and CASE.min.NAME, max, first, last, slope (of the logarithms
// against the varied value)
Lookup names_of(const CaseResults&);
// the same, with CASE.here.NAME for the point of this index, and FAMILY.least.NAME, most, count over a grid's cases there
Lookup names_of(const CaseResults&, int here);

// least-squares slope of log y against log x, over positive numbers
double log_slope(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace escapement
