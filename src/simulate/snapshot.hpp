// Everything a run needs to go on with the same bits, as one list of numbers. A class lists its fields once, in
// exchange(); the same lines save and load them.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "system/state.hpp"

namespace escapement::inline simulate {

struct SnapshotError : std::runtime_error {
  SnapshotError() : std::runtime_error("the checkpoint does not fit this model and version") {}
};

class Snapshot {
 public:
  Snapshot() = default;                                                             // saves
  explicit Snapshot(std::vector<double> numbers) : numbers_(std::move(numbers)), loading_(true) {}  // loads

  bool loading() const { return loading_; }
  bool at_end() const { return next_ == numbers_.size(); }
  std::vector<double> take() { return std::move(numbers_); }

  template <class... T>
  void operator()(T&... fields) {
    (field(fields), ...);
  }

 private:
  void field(double& x) {
    if (!loading_) {
      numbers_.push_back(x);
    } else {
      if (next_ >= numbers_.size()) throw SnapshotError();
      x = numbers_[next_++];
    }
  }
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void field(T& x) {
    double number = static_cast<double>(x);
    field(number);
    x = static_cast<T>(static_cast<long>(number));
  }
  std::size_t size(std::size_t n) {
    field(n);
    if (loading_ && n > numbers_.size() - next_) throw SnapshotError();
    return n;
  }
  void field(Vec& x) {
    x.resize(static_cast<int>(size(static_cast<std::size_t>(x.size()))));
    for (double& value : x) field(value);
  }
  void field(std::string& x) {
    x.resize(size(x.size()));
    for (char& c : x) field(c);
  }
  template <class T>
  void field(std::vector<T>& x) {
    x.resize(size(x.size()));
    for (T& item : x) field(item);
  }
  template <class T, std::size_t n>
  void field(std::array<T, n>& x) {
    for (T& item : x) field(item);
  }
  void field(State& s) {
    (*this)(s.t, s.q, s.v, s.vdot, s.lambda, s.z, s.memory.vectors, s.memory.numbers);
  }

  std::vector<double> numbers_;
  std::size_t next_ = 0;
  bool loading_ = false;
};

}  // namespace escapement
