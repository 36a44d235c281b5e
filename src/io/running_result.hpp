// The file of a run that goes on: whenever it is written it is complete up to there, and whoever is killed at any moment leaves
// it as it was written last. Two files take turns, one that has the name and one behind it, so that each sample is written twice
// and no file twice.
#pragma once

#include <optional>

#include "io/result_file.hpp"
#include "io/result_parts.hpp"

namespace escapement::inline io {

class RunningResult {
 public:
  explicit RunningResult(std::filesystem::path);
  RunningResult(const RunningResult&) = delete;
  RunningResult& operator=(const RunningResult&) = delete;
  ~RunningResult();

  // a run that starts: what an earlier one has left under the name is not this one's. It is kept until there is a file of this run,
  // and comes back where there never is one
  void take_name();
  // what a run goes on from: all of it, or of long ones everything but the samples, which stay in their file. Throws ResultError
  Result go_on_from(const std::filesystem::path& file);
  // writes what is new, and drops samples from memory where there are many. Throws WriteError: then the file is as before
  void write(Result&);
  void finish(RunReport&);  // the file of the whole run; the same

  bool is_long(const Result&) const;  // so much is new that it should be written

 private:
  void bring_up(const Result&);  // the hidden file
  void show();                   // the hidden file gets the name, the other one is hidden
  void remove_hidden();
  void has_name();  // the file is this run's

  std::filesystem::path path_, draft_, source_;
  std::optional<std::filesystem::path> aside_;
  Written shown_, hidden_;
};

}  // namespace escapement
