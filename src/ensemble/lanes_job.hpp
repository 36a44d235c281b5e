// What the lanes compute, in plain types: the engine is compiled once for each set of instructions, and shares no inline function
// of a library with the rest of the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace escapement::inline ensemble {

// one operation of a program over lanes; operands and targets are offsets in bytes of a register file
struct LaneInstruction {
  uint32_t operation;  // a form, or behind the forms a Code; times three, plus where the result goes
  uint32_t operands[6];
  uint32_t targets[2];
  uint32_t call;
};

struct LaneProgram {
  const LaneInstruction* code = nullptr;
  size_t count = 0;
  const double* constants = nullptr;  // they stand first in the registers, then the inputs
  size_t constant_count = 0, input_count = 0, register_count = 0, output_count = 0;
  const double* fixed_outputs = nullptr;  // null: none
  const void* calls = nullptr;            // tables
};

struct LanePair {  // of StraightCode
  LaneProgram once, every;
};

struct LaneJob {
  int scheme = 0;  // EnsembleScheme
  int v = 0, bilateral = 0, contacts = 0, parameters = 0;
  const unsigned char *coupled = nullptr, *acts = nullptr;  // v x v; rows x v
  const double *scale_q = nullptr, *scale_v = nullptr;
  LaneProgram start;  // parameters -> q, v, restitutions
  LanePair terms, sample;
  const int* reductions = nullptr;
  int values = 0;
  double begin = 0, step = 0, end = 0;
  int steps = 0, samples = 0;
  const int* sample_step = nullptr;
  const double *sample_part = nullptr, *sample_time = nullptr;
  double (*table)(const void* calls, uint32_t call, double x) = nullptr;
  bool (*stop)(const void*) = nullptr;  // asked now and then
  const void* stop_context = nullptr;

  // members, one after another
  const double* parameter = nullptr;  // of each member: its parameters
  double *value = nullptr, *impacts = nullptr, *failure = nullptr, *failed_at = nullptr, *work = nullptr;
};

constexpr int most_lane_v = 12, most_lane_rows = 16;

// members first .. first + count - 1, in groups of as many as there are lanes; the last group repeats its last member
struct LaneEngine {
  const char* name;
  int lanes;
  void (*run)(const LaneJob&, size_t first, size_t count);
};

LaneEngine lanes_of_any();
LaneEngine lanes_of_avx2();
LaneEngine lanes_of_avx512();

}  // namespace escapement
