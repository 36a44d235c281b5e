// Ensembles on an NVIDIA GPU: one thread for each member. The driver and the compiler of kernels are looked for when they are asked
// for, and nothing of them is needed to build this program or to run it without.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>

#include "ensemble/gpu_source.hpp"

namespace escapement::inline ensemble {

// one sentence: what is missing
struct GpuError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct GpuTimes {
  double prepare = 0, kernel_code = 0, run = 0;  // seconds: driver and device; compiling or loading the kernel; steps
  bool from_cache = false;
  std::string device;
};

// where kernels are kept, by their content
std::filesystem::path kernel_cache();

// parameters: of each member; throws GpuError where there is no GPU
void run_gpu(const Ensemble&, std::span<const double> parameters, const EnsembleHooks&, EnsembleResult&, GpuTimes* = nullptr, const GpuShape& = {});

}  // namespace escapement
