// Where the runs of a study are made: what --on says.
#pragma once

#include <string>

namespace escapement::cli {

struct StudyEngine {
  std::string name = "cores";  // cores, dask, mpi, lanes, gpu
  std::string address;         // of a Dask scheduler
  bool elsewhere() const { return name == "dask" || name == "mpi"; }
  bool together() const { return name == "lanes" || name == "gpu"; }  // many members at once
};

StudyEngine read_engine(const std::string& text);  // throws UsageError
// under mpirun every process would make the whole study: throws UsageError unless the engine is mpi
void check_launcher(const StudyEngine&);
// starts the Python module with the same arguments, in place of this program; throws UsageError where it is missing
void hand_over(const StudyEngine&, int argc, char** argv);

}  // namespace escapement::cli
