// Result files (HDF5), of finished runs and of those still running. docs/results.md has their layout.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include "io/whole_file.hpp"
#include "run/result.hpp"
#include "run/run.hpp"

namespace escapement::inline io {

struct ResultError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void write_result(const Result&, const std::filesystem::path&);     // with all samples in memory; throws WriteError
void write_result(const RunReport&, const std::filesystem::path&);  // the same, with the summary
Result read_result(const std::filesystem::path&);                   // throws ResultError

class Hdf5File;

// a result file whose samples come piece by piece
class ResultReader {
 public:
  explicit ResultReader(const std::filesystem::path&);  // throws ResultError, as the others
  ~ResultReader();

  const Result& head() const { return head_; }  // everything but the samples: its tables have names and no rows
  std::size_t samples() const { return samples_; }
  std::size_t sample_bytes() const;  // of one
  // replaces the samples of a result with the same tables
  void read_samples(std::size_t first, std::size_t count, Result&) const;
  // calls action(const Result& part) with a few samples at a time: part.first says which
  template <class Action>
  void for_each_part(Action action) const {
    Result part = head_;
    for (std::size_t first = 0; first < samples_; first += part.time.size()) {
      read_samples(first, std::min(samples_ - first, most_in_part()), part);
      action(std::as_const(part));
    }
  }
  void read_all(Result&) const;
  Result whole() &&;    // head and samples
  void verify() const;  // that all samples are those which were written; read_all does so too

 private:
  std::size_t most_in_part() const;
  template <class Action>
  auto reading(Action) const;  // what is wrong becomes a ResultError

  std::filesystem::path path_;
  std::unique_ptr<Hdf5File> file_;
  Result head_;
  std::size_t samples_ = 0;
  std::uint64_t checksum_ = 0;  // of the samples
};

// any other table of numbers and texts, with paths like "measures/impacts"
struct ResultTable {
  struct Numbers {
    std::string name;
    std::vector<double> values;
  };
  struct Texts {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<std::string> groups;
  std::vector<Numbers> numbers;
  std::vector<Texts> texts;
  std::vector<std::pair<std::string, std::string>> attributes;
};
void write_table(const ResultTable&, const std::filesystem::path&);  // throws WriteError

// one row per sample; throws WriteError
void write_csv(const Result&, const std::filesystem::path&);
void write_csv(const ResultReader&, const std::filesystem::path&);

}  // namespace escapement
