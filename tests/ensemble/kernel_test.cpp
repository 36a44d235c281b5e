// The kernel of an ensemble compiled for the host gives what the lanes give, and the compiler of kernels takes it where there is one.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ensemble/gpu.hpp"
#include "ensemble/lanes.hpp"
#include "ensemble/members.hpp"

namespace escapement::kernel_test {
namespace {

namespace fs = std::filesystem;
using testing::MemberFormulas;

class Kernel : public ::testing::Test {
 protected:
  Kernel() { fs::create_directories(folder_); }
  ~Kernel() override { fs::remove_all(folder_); }

  std::string write(const Ensemble& ensemble, const char* name) const {
    std::ofstream(folder_ / name) << gpu_source(ensemble);
    return (folder_ / name).string();
  }

  // as run_gpu does, in two calls
  EnsembleResult run_on_host(const Ensemble& e, const std::vector<double>& parameters) {
    // another name each time: a library that is open stays what it is
    const std::string source = write(e, "members.cpp"), library = (folder_ / ("members" + std::to_string(++libraries_) + ".so")).string();
    EXPECT_EQ(std::system(("c++ -std=c++17 -O1 -ffp-contract=off -shared -fPIC " + source + " -o " + library).c_str()), 0);
    void* handle = dlopen(library.c_str(), RTLD_NOW);
    EXPECT_NE(handle, nullptr) << dlerror();
    const auto kernel = reinterpret_cast<void (*)(const GpuArguments&)>(dlsym(handle, "escapement_members"));
    const auto kinds = static_cast<std::size_t>(e.parameters), members = parameters.size() / kinds, values = e.reductions.size();
    std::vector<double> side_by_side(parameters.size()), state(static_cast<std::size_t>(gpu_slots(e)) * members);
    for (std::size_t k = 0; k < members; ++k)
      for (std::size_t p = 0; p < kinds; ++p) side_by_side[p * members + k] = parameters[k * kinds + p];
    const EnsembleTimes& t = e.times;
    GpuArguments a{side_by_side.data(), state.data(), t.sample_step.data(), t.sample_part.data(), t.sample_time.data(), e.settings.start, e.settings.step, e.settings.end, t.steps,
                   static_cast<int>(t.sample_step.size()), static_cast<int>(members), 0, t.steps / 3, 0};
    kernel(a);
    a.from = a.to;
    a.to = t.steps;
    while (a.sample < a.samples && t.sample_step[static_cast<std::size_t>(a.sample)] < a.from) ++a.sample;
    kernel(a);
    EnsembleResult result;
    result.resize(members, values);
    for (std::size_t k = 0; k < members; ++k) {
      for (std::size_t i = 0; i < values; ++i) result.value[k * values + i] = state[i * members + k];
      result.impacts[k] = state[2 * values * members + k];
      result.failure[k] = state[(2 * values + 1) * members + k];
    }
    return result;
  }

  inline static int libraries_ = 0;
  fs::path folder_ = fs::temp_directory_path() / ("escapement_kernel_" + std::to_string(getpid()));
};

TEST_F(Kernel, GivesWhatTheLanesGive) {
  for (const EnsembleScheme scheme : {EnsembleScheme::moreau_midpoint, EnsembleScheme::moreau_midpoint_ggl, EnsembleScheme::moreau_jean}) {
    SCOPED_TRACE(static_cast<int>(scheme));
    MemberFormulas m({"e", "c"});
    testing::add_slider_crank(m, "e", "c", "150");
    m.sample(Reduction::final, "th1'");
    m.sample(Reduction::max, "g1.force");
    m.sample(Reduction::min, "th2'");
    m.sample(Reduction::first, "sy > 0.0001");
    const Ensemble ensemble = m.make({.scheme = scheme, .start = 0, .end = 0.01, .step = 1e-5, .save_every = 3e-5});
    std::vector<double> parameters;
    for (int k = 0; k < 10; ++k) parameters.insert(parameters.end(), {0.05 + 0.09 * k, 5e-4 + 1e-4 * k});
    parameters.insert(parameters.end(), {1.5, 1e-3});  // no restitution
    EnsembleResult host = run_on_host(ensemble, parameters);
    EnsembleResult lanes;
    run_lanes(ensemble, lane_engines().back(), parameters, 1, {}, lanes);
    EXPECT_EQ(host.failure, lanes.failure);
    EXPECT_TRUE(is_refusal(static_cast<int>(host.failure.back())));
    host.impacts.pop_back();
    lanes.impacts.pop_back();
    EXPECT_EQ(host.impacts, lanes.impacts);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(host.value[i], lanes.value[i], 1e-10 * std::abs(lanes.value[i])) << i;
  }
}

TEST_F(Kernel, GivesWhatTheLanesGiveBySmoothSchemes) {
  for (const EnsembleScheme scheme : {EnsembleScheme::rk4, EnsembleScheme::hem5}) {
    MemberFormulas m({"k", "x0"});
    m.coordinate("x", "x0", "0");
    m.coordinate("y", "1", "k");
    m.formulas.formulas.kinetic = m("x'^2/2 + y'^2/2 + 0.3*cos(x - y)*x'*y'");
    m.formulas.formulas.potential = m("9.81*x + k*y^2 - cos(x)");
    m.formulas.formulas.forces[1] = m("-0.1*y'*abs(y')");
    m.sample(Reduction::final, "x'");
    m.sample(Reduction::max, "y");
    const Ensemble ensemble = m.make({.scheme = scheme, .start = 0, .end = 0.5, .step = 1e-2, .save_every = 1.3e-2});
    const std::vector<double> parameters{1, 1, 2, 0.7, 3, 0.5, 0.5, 2, 0.1, 1.3};
    const EnsembleResult host = run_on_host(ensemble, parameters);
    EnsembleResult lanes;
    run_lanes(ensemble, lane_engines().back(), parameters, 1, {}, lanes);
    EXPECT_EQ(host.impacts, lanes.impacts);
    EXPECT_EQ(host.failure, std::vector<double>(5, 0));
    EXPECT_EQ(lanes.failure, std::vector<double>(5, 0));
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(host.value[i], lanes.value[i], 1e-10) << static_cast<int>(scheme) << " " << i;
  }
}

TEST_F(Kernel, IsTakenByTheCompilerOfKernelsWhereThereIsOne) {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no nvcc";
  MemberFormulas m({"e"});
  m.coordinate("x", "1", "0");
  m.formulas.formulas.kinetic = m("x'^2/2");
  m.formulas.formulas.potential = m("9.81*x + exp(-x) + atan2(x, 2) + min(x, 0)^2 + abs(x)^1.5");
  m.contact("floor", "x", "e");
  m.sample(Reduction::mean, "if(x > 0.5, sin(x), sign(x))");
  // the scheme that has all of the source but Runge-Kutta methods
  const std::string source = write(m.make({.scheme = EnsembleScheme::moreau_midpoint_ggl, .start = 0, .end = 1, .step = 1e-2, .save_every = 0}), "members.cu");
  EXPECT_EQ(std::system(("nvcc -std=c++17 -arch=sm_80 -cubin " + source + " -o " + (folder_ / "members.cubin").string()).c_str()), 0);
}

TEST_F(Kernel, WithoutAGpuOneSentenceSaysWhatToDo) {
  MemberFormulas m({"e"});
  m.coordinate("x", "1", "0");
  m.formulas.formulas.kinetic = m("x'^2/2");
  m.sample(Reduction::final, "x");
  const Ensemble ensemble = m.make({.start = 0, .end = 1, .step = 0.5, .save_every = 0});
  EnsembleResult result;
  try {
    run_gpu(ensemble, std::vector<double>{1}, {}, result);
    EXPECT_EQ(result.value[0], 1);  // there is one
  } catch (const GpuError& error) {
    EXPECT_NE(std::string(error.what()).find("--on lanes"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace escapement
