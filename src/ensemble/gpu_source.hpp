// The kernel of an ensemble as text: its terms as straight-line code, beside the one source of steps and samples.
#pragma once

#include <string>

#include "ensemble/ensemble.hpp"

namespace escapement::inline ensemble {

const char* kernel_source();  // the files of kernel/

// threads of a block, and how many blocks a processor is to hold at once, which bounds the registers of a thread; 0: no bound
struct GpuShape {
  int block = 128, blocks = 3;  // the fastest of those tried on an H200
};

// C++17 without includes, for a compiler of kernels; any other compiler makes escapement_members(arguments) of it, for the host
std::string gpu_source(const Ensemble&, const GpuShape& = {});
// empty: a kernel can be made of it
std::string refuse_gpu(const Ensemble&);

// what the kernel is given; the text has the same
struct GpuArguments {
  const double* parameters;  // parameters x members: those of one kind side by side
  double* state;             // gpu_slots x members
  const int* sample_step;
  const double *sample_part, *sample_time;
  double begin, step, end;
  int steps, samples, members;
  int from, to, sample;  // steps of this call, and the first sample in them
};
// numbers kept of a member between calls: the values sampled first, then those that a mean needs besides, impacts, failure, its time
int gpu_slots(const Ensemble&);

}  // namespace escapement
