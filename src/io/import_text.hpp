// What imports of robots share: lines of a model file that know where they come from, numbers and names of the format.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "math/rotation.hpp"

namespace escapement::inline io {

struct Place3 {  // of a frame in another
  Vec3 x = Vec3::Zero();
  Mat3 R = Mat3::Identity();
  Place3 operator*(const Place3& inner) const { return {x + R * inner.x, R * inner.R}; }
  Place3 inverse() const { return {-(R.transpose() * x), R.transpose()}; }
};

std::string import_number(double x);
// a list like [0, 0, 1]
template <int N>
std::string import_list(const Eigen::Matrix<double, N, 1>& p) {
  std::string result;
  for (int i = 0; i < N; ++i) result += (i == 0 ? "[" : ", ") + import_number(p[i]);
  return result + "]";
}
// for a text in double quotes
std::string import_quoted(const std::string& text);

// lines of the model file, with the places in the imported file they come from
struct ImportLines {
  std::string text;
  std::vector<std::size_t> offsets;
  void add(std::size_t offset, const std::string& line) {
    text += line + "\n";
    offsets.push_back(offset);
  }
  void add(const ImportLines& lines) {
    text += lines.text;
    offsets.insert(offsets.end(), lines.offsets.begin(), lines.offsets.end());
  }
};

// names of the format, letters, digits and _, each once
class ImportNames {
 public:
  // of a thing of the robot; kind: in front of the name
  std::string operator()(const std::string& kind, const std::string& name);

 private:
  std::map<std::pair<std::string, std::string>, std::string> known_;
  std::set<std::string> used_;
};

}  // namespace escapement
