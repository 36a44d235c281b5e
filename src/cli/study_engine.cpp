#include "cli/study_engine.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cli/answers.hpp"
#include "math/nearest_name.hpp"

namespace escapement::cli {

StudyEngine read_engine(const std::string& text) {
  const std::size_t colon = text.find(':');
  StudyEngine engine{text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
  const std::vector<std::string> known{"cores", "dask", "mpi", "lanes", "gpu"};
  if (std::find(known.begin(), known.end(), engine.name) == known.end()) {
    const std::string near = did_you_mean(engine.name, known);
    throw UsageError(fmt::format("--on takes cores, dask:ADDRESS, mpi, lanes or gpu, not '{:.40}'{}", text, near));
  }
  if (engine.name == "dask" && engine.address.empty())
    throw UsageError("--on dask needs the address of a scheduler, such as --on dask:tcp://host:8786; 'dask-scheduler' starts one and prints it");
  if (engine.name != "dask" && colon != std::string::npos) throw UsageError(fmt::format("--on {} takes no address", engine.name));
  return engine;
}

void check_launcher(const StudyEngine& engine) {
  if (engine.name == "mpi") return;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = std::getenv(name); size && std::atoi(size) > 1)
      throw UsageError(
          "under mpirun every process would make the whole study: take 'mpirun -n N python3 -m mpi4py.futures -m escapement "
          "sweep STUDY.yaml --on mpi', or leave mpirun out");
}

namespace {

bool can_import(const std::string& python) {
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stderr)) _exit(1);
    execlp(python.c_str(), python.c_str(), "-c", "import escapement", nullptr);
    _exit(127);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void hand_over(const StudyEngine& engine, int argc, char** argv) {
  if (engine.name == "mpi")
    throw UsageError("--on mpi is started by 'mpirun -n N python3 -m mpi4py.futures -m escapement sweep STUDY.yaml --on mpi' with the Python module");
  // the Python of the environment, then Debian's
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    if (!can_import(python)) continue;
    std::vector<char*> words{const_cast<char*>(python.c_str()), const_cast<char*>("-m"), const_cast<char*>("escapement")};
    for (int i = 1; i < argc; ++i) words.push_back(argv[i]);
    words.push_back(nullptr);
    execvp(python.c_str(), words.data());
  }
  throw UsageError(fmt::format(
      "--on {} needs the Python module: '/usr/bin/python3 -m venv --system-site-packages ENV && ENV/bin/pip install --no-build-isolation .' in a "
      "checkout, then ENV/bin in the PATH",
      engine.name));
}

}  // namespace escapement::cli
