// What numbers were computed from, and what they decided: see traced_number.hpp.
#pragma once

#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "math/traced_number.hpp"

namespace escapement::inline math {

class NumberTape {
 public:
  TracedNumber input(double value);  // one that may have another value later
  void refuse() { refused_ = true; }  // something was decided in a way that cannot be kept
  bool refused() const { return refused_; }

  // while it lives, this thread's numbers are kept on the tape
  class Recording {
   public:
    explicit Recording(NumberTape&);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
  };
  static NumberTape* current();

  // every number of the tape for other inputs; nothing where one of the decisions would be another
  std::optional<std::vector<double>> replay(std::span<const double> inputs) const;

 private:
  friend class TracedNumber;
  struct Operand {
    int source;
    double value;
    explicit Operand(TracedNumber n) : source(n.source()), value(n.plain()) {}
    double at(const std::vector<double>& values) const { return source < 0 ? value : values[std::size_t(source)]; }
    friend bool operator<(const Operand& a, const Operand& b) {
      const auto bits = [](const Operand& n) { return n.source < 0 ? std::bit_cast<std::uint64_t>(n.value) : 0; };
      return a.source != b.source ? a.source < b.source : bits(a) < bits(b);
    }
  };
  template <class Function>
  struct Entry {
    Function function;
    Operand a, b;
    friend bool operator<(const Entry& x, const Entry& y) {
      if (x.function != y.function) return std::less<>()(x.function, y.function);
      return x.a < y.a ? true : y.a < x.a ? false : x.b < y.b;
    }
  };
  using Step = Entry<TracedNumber::Operation>;
  using Decision = Entry<TracedNumber::Question>;

  TracedNumber record(TracedNumber::Operation, TracedNumber a, TracedNumber b);
  bool decide(TracedNumber::Question, TracedNumber a, TracedNumber b);
  void note(TracedNumber);
  bool same_are_same(const std::vector<double>& values) const;

  std::vector<double> inputs_;  // as they were
  std::vector<std::pair<int, Step>> steps_;  // with the place of the result
  std::map<Step, int> known_steps_;
  std::vector<std::pair<Decision, bool>> decisions_;
  std::set<Decision> known_decisions_;
  std::vector<double> values_;  // of every place
  // numbers that were looked for among equal ones: places and the class of equals that each belongs to, and other numbers
  std::vector<std::pair<int, int>> noted_;
  std::vector<bool> is_noted_;
  std::map<std::uint64_t, int> classes_;
  std::set<std::uint64_t> plain_;
  bool refused_ = false;
};

}  // namespace escapement
