// Numbers of a run in rows and named columns, all in one block: row after row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace escapement::inline run {

// the numbers of one column, where they are: every so many doubles one
class Column {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = double;
    using difference_type = std::ptrdiff_t;
    using pointer = const double*;
    using reference = const double&;

    Iterator() = default;
    Iterator(const double* first, difference_type stride, difference_type i) : first_(first), stride_(stride), i_(i) {}
    reference operator*() const { return first_[i_ * stride_]; }
    reference operator[](difference_type k) const { return first_[(i_ + k) * stride_]; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return {first_, stride_, i_++}; }
    Iterator operator--(int) { return {first_, stride_, i_--}; }
    Iterator& operator+=(difference_type k) { return i_ += k, *this; }
    Iterator& operator-=(difference_type k) { return i_ -= k, *this; }
    friend Iterator operator+(Iterator a, difference_type k) { return a += k; }
    friend Iterator operator+(difference_type k, Iterator a) { return a += k; }
    friend Iterator operator-(Iterator a, difference_type k) { return a -= k; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.i_ - b.i_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.i_ <=> b.i_; }

   private:
    const double* first_ = nullptr;
    difference_type stride_ = 1, i_ = 0;
  };

  Column() = default;
  Column(const double* first, std::size_t size, std::size_t stride) : first_(first), size_(size), stride_(stride) {}
  Column(std::span<const double> values) : Column(values.data(), values.size(), 1) {}
  Column(const std::vector<double>& values) : Column(values.data(), values.size(), 1) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const double& operator[](std::size_t i) const { return first_[i * stride_]; }
  const double& front() const { return (*this)[0]; }
  const double& back() const { return (*this)[size_ - 1]; }
  const double* data() const { return first_; }
  std::size_t stride() const { return stride_; }
  Iterator begin() const { return {first_, static_cast<std::ptrdiff_t>(stride_), 0}; }
  Iterator end() const { return {first_, static_cast<std::ptrdiff_t>(stride_), static_cast<std::ptrdiff_t>(size_)}; }
  friend bool operator==(const Column& a, const Column& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  const double* first_ = nullptr;
  std::size_t size_ = 0, stride_ = 1;
};

// numbers that nobody has given a value are whatever was there, until a file is read over them
struct Unfilled : std::allocator<double> {
  template <class Other>
  struct rebind {
    using other = Unfilled;
  };
  void construct(double* at) const noexcept { ::new (static_cast<void*>(at)) double; }
  template <class Value>
  void construct(double* at, Value&& value) const noexcept {
    *at = value;
  }
};
using Numbers = std::vector<double, Unfilled>;

class DataTable {
 public:
  DataTable() = default;
  explicit DataTable(std::vector<std::string> names) : names_(std::move(names)) {}
  DataTable(std::vector<std::string> names, std::size_t rows, std::span<const double> values)
      : names_(std::move(names)), rows_(rows), values_(values.begin(), values.end()) {
    values_.resize(rows_ * columns(), 0.0);
  }

  const std::vector<std::string>& names() const { return names_; }
  std::size_t columns() const { return names_.size(); }
  std::size_t rows() const { return rows_; }
  bool empty() const { return names_.empty(); }  // has no columns
  const Numbers& values() const { return values_; }

  double operator()(std::size_t row, std::size_t column) const { return values_[row * columns() + column]; }
  double& operator()(std::size_t row, std::size_t column) { return values_[row * columns() + column]; }
  std::span<const double> row(std::size_t i) const { return {values_.data() + i * columns(), columns()}; }
  Column operator[](std::size_t column) const { return {values_.data() + column, rows_, columns()}; }
  // the column of this name, or one without numbers
  Column operator[](std::string_view name) const {
    const std::size_t k = find(name);
    return k < columns() ? (*this)[k] : Column();
  }
  std::size_t find(std::string_view name) const {  // columns(): there is none
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  double* add_row() {
    values_.resize(values_.size() + columns(), 0.0);
    return values_.data() + columns() * rows_++;
  }
  void add_row(std::span<const double> numbers) { std::copy(numbers.begin(), numbers.end(), add_row()); }
  void resize(std::size_t rows) {
    rows_ = rows;
    values_.resize(rows * columns(), 0.0);
  }
  double* unfilled(std::size_t rows) {  // in place of those that there are
    rows_ = rows;
    values_.clear();
    values_.resize(rows * columns());
    return values_.data();
  }
  void drop(std::size_t rows) {  // the first ones
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(rows * columns()));
    rows_ -= rows;
  }
  // one column more, as long as the others where there are any
  void add_column(std::string name, std::span<const double> numbers);

 private:
  std::vector<std::string> names_;
  std::size_t rows_ = 0;
  Numbers values_;  // rows x columns
};

inline void DataTable::add_column(std::string name, std::span<const double> numbers) {
  if (empty()) rows_ = numbers.size();
  Numbers wider;
  wider.reserve(rows_ * (columns() + 1));
  for (std::size_t i = 0; i < rows_; ++i) {
    const std::span<const double> before = row(i);
    wider.insert(wider.end(), before.begin(), before.end());
    wider.push_back(numbers[i]);
  }
  values_ = std::move(wider);
  names_.push_back(std::move(name));
}

}  // namespace escapement
