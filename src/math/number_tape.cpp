#include "math/number_tape.hpp"

#include <algorithm>

namespace escapement::inline math {

namespace {

thread_local NumberTape* recording_tape = nullptr;

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

}  // namespace

NumberTape* NumberTape::current() { return recording_tape; }
NumberTape::Recording::Recording(NumberTape& tape) { recording_tape = &tape; }
NumberTape::Recording::~Recording() { recording_tape = nullptr; }

double TracedNumber::fixed() const {
  if (is_traced()) decide([](double x, double y) { return x == y; }, *this, value_);
  return value_;
}

void TracedNumber::note() const {
  if (recording_tape) recording_tape->note(*this);
}

TracedNumber TracedNumber::record(Operation operation, TracedNumber a, TracedNumber b) {
  return recording_tape ? recording_tape->record(operation, a, b) : TracedNumber(operation(a.value_, b.value_));
}

bool TracedNumber::decide(Question question, TracedNumber a, TracedNumber b) {
  return recording_tape ? recording_tape->decide(question, a, b) : question(a.value_, b.value_);
}

TracedNumber NumberTape::input(double value) {
  TracedNumber n(value);
  n.source_ = static_cast<int>(values_.size());
  inputs_.push_back(value);
  values_.push_back(value);
  is_noted_.push_back(false);
  return n;
}

TracedNumber NumberTape::record(TracedNumber::Operation operation, TracedNumber a, TracedNumber b) {
  const Step step{operation, Operand(a), Operand(b)};
  const auto [known, fresh] = known_steps_.emplace(step, static_cast<int>(values_.size()));
  if (fresh) {
    steps_.emplace_back(known->second, step);
    values_.push_back(operation(a.plain(), b.plain()));
    is_noted_.push_back(false);
  }
  TracedNumber result(values_[std::size_t(known->second)]);
  result.source_ = known->second;
  return result;
}

bool NumberTape::decide(TracedNumber::Question question, TracedNumber a, TracedNumber b) {
  const bool answer = question(a.plain(), b.plain());
  const Decision decision{question, Operand(a), Operand(b)};
  if (known_decisions_.insert(decision).second) decisions_.emplace_back(decision, answer);
  return answer;
}

void NumberTape::note(TracedNumber n) {
  if (!n.is_traced()) {
    plain_.insert(bits(n.plain()));
  } else if (!is_noted_[std::size_t(n.source())]) {
    is_noted_[std::size_t(n.source())] = true;
    noted_.emplace_back(n.source(), classes_.emplace(bits(n.plain()), static_cast<int>(classes_.size())).first->second);
  }
}

std::optional<std::vector<double>> NumberTape::replay(std::span<const double> inputs) const {
  if (refused_ || inputs.size() != inputs_.size()) return std::nullopt;
  std::vector<double> values(values_.size());
  std::ranges::copy(inputs, values.begin());
  for (const auto& [place, step] : steps_) values[std::size_t(place)] = step.function(step.a.at(values), step.b.at(values));
  for (const auto& [decision, answer] : decisions_)
    if (decision.function(decision.a.at(values), decision.b.at(values)) != answer) return std::nullopt;
  if (!same_are_same(values)) return std::nullopt;
  return values;
}

// equal numbers have stayed equal, different ones different
bool NumberTape::same_are_same(const std::vector<double>& values) const {
  std::vector<std::uint64_t> now(classes_.size());
  std::vector<bool> known(classes_.size(), false);
  for (const auto& [place, of] : noted_) {
    const auto k = std::size_t(of);
    const std::uint64_t is = bits(values[std::size_t(place)]);
    if (known[k] && now[k] != is) return false;
    known[k] = true;
    now[k] = is;
  }
  for (const auto& [was, of] : classes_) {
    const std::uint64_t is = now[std::size_t(of)];
    if (was != is && (plain_.contains(was) || plain_.contains(is))) return false;
  }
  std::ranges::sort(now);
  return std::ranges::adjacent_find(now) == now.end();
}

}  // namespace escapement
