// The rows of a study as they are made, in a file beside its table: a study that is stopped, or killed, goes on with them.
#pragma once

#include <cstdio>
#include <filesystem>

#include "io/sweep.hpp"

namespace escapement::inline io {

class StudyJournal {
 public:
  // takes the rows of an earlier attempt at the same study (model, values, measures and version); a file of another one is
  // kept under the name FILE.old. Throws WriteError
  StudyJournal(std::filesystem::path, const Study&, std::vector<SweepRow>&);
  ~StudyJournal();
  StudyJournal(const StudyJournal&) = delete;
  StudyJournal& operator=(const StudyJournal&) = delete;

  std::size_t taken() const { return taken_; }          // rows that were there
  std::size_t cut_short() const { return cut_short_; }  // runs that had begun and are made again
  bool set_aside() const { return set_aside_; }         // there was one of another study
  void start(std::span<const std::size_t> runs);
  void add(std::span<const std::size_t> runs, const std::vector<SweepRow>& rows);  // rows: of all runs
  void remove();  // the table is written

 private:
  void write(const std::string& lines);

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  std::size_t taken_ = 0, added_ = 0, cut_short_ = 0;
  bool set_aside_ = false;
};

}  // namespace escapement
