// Where the runs of a study are made: what --on says.
#pragma once

#include <string>

namespace escapement::cli {

struct StudyEngine {
  std::string name = "cores";  // cores, dask, mpi
  std::string address;         // of a Dask scheduler
};

StudyEngine read_engine(const std::string& text);  // throws UsageError
// under mpirun every process would make the whole study: throws UsageError unless the engine is mpi
void check_launcher(const StudyEngine&);
// starts the Python module with the same arguments, in place of this program; throws UsageError where it is missing
void hand_over(const StudyEngine&, int argc, char** argv);

}  // namespace escapement::cli
